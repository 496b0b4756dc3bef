package config

import (
	"regexp"
	"strings"
)

// variable is what a shell would replace in a path. A lone $ may be part of a file's name.
var variable = regexp.MustCompile(`\$\{[A-Za-z_]\w*\}|(^|/)\$[A-Z_][A-Z0-9_]*(/|$)`)

// path checks a path of what, as in "a folder". Nothing in it is expanded, as a shell would.
func (r *report) path(field, path, what string) {
	const asItIs = "paths are taken as they are: write it out in full, or relative to the folder of this configuration"
	switch {
	case !r.good(field):
	case strings.TrimSpace(path) == "" || strings.ContainsRune(path, 0):
		r.value(field, "give the path of "+what, "%s is no path: %s", field, quote(path))
	case path == "~" || strings.HasPrefix(path, "~/"):
		r.value(field, asItIs, "%s must not begin with ~, is %s", field, quote(path))
	case variable.MatchString(path):
		r.value(field, asItIs, "%s must not have a variable in it, is %s", field, quote(path))
	}
}
