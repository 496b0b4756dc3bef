package shown

import (
	"regexp"
	"strconv"
	"strings"
)

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// steps returns the path of a field as an expression has it behind object: a name that is none in
// expressions, as x/y, is in brackets.
func steps(path string) string {
	var b strings.Builder
	for path != "" {
		end := strings.IndexAny(path, ".[")
		switch {
		case end < 0:
			end = len(path)
		case path[0] == '[':
			end = bracketed(path)
			b.WriteString(path[:end])
			path = strings.TrimPrefix(path[end:], ".")
			continue
		}
		if name := path[:end]; identifier.MatchString(name) {
			b.WriteString("." + name)
		} else {
			b.WriteString("[" + strconv.Quote(name) + "]")
		}
		path = strings.TrimPrefix(path[end:], ".")
	}
	return b.String()
}

// bracketed returns where the brackets end with which a path begins.
func bracketed(path string) int {
	quoted := false
	for i := 1; i < len(path); i++ {
		switch {
		case quoted && path[i] == '\\':
			i++
		case path[i] == '"':
			quoted = !quoted
		case path[i] == ']' && !quoted:
			return i + 1
		}
	}
	return len(path)
}
