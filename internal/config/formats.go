package config

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/resourcename"
	"github.com/informerd/informerd/pkg/plugins"
)

var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// What the keys and values of labels are made of.
const (
	subdomain = `[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`
	labelText = `[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?`
)

const labelNoun = `a DNS label of a-z, 0-9 and "-"`

// formats are the forms that texts in a configuration have, as the tags of the fields name them.
// They are compiled when the first configuration is read, which most commands never do.
var formats = sync.OnceValue(func() map[string]document.Format {
	// method is a method in capitals but for CONNECT and TRACE, which handlers do not have.
	method := regexp.MustCompile(`^[A-Z]+(-[A-Z]+)*$`)
	// path is one that does not begin with ~/.
	path := regexp.MustCompile(`^\s*[^\s~]|^\s*~[^/]`)
	urlPrefix := regexp.MustCompile(`^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\s]+(/[^?#\s]*)?$`)
	httpURL := regexp.MustCompile(`^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\s\\]+([/?][^#\s\\]*)?$`)
	natsURL := regexp.MustCompile(
		`^([Nn][Aa][Tt][Ss]|[Tt][Ll][Ss]|[Ww][Ss][Ss]?)://[^/?#@,\s]+(/[^?#,\s]*)?$`)
	address := regexp.MustCompile(`:[0-9]{1,5}$`)
	return map[string]document.Format{
		"dns-label": {Noun: labelNoun, Pattern: label},
		"namespace": {Noun: "the name of a namespace", Pattern: label},
		"namespace-or-none": {Noun: "the name of a namespace",
			Pattern: regexp.MustCompile(`^$|` + label.String())},
		"resource": {Noun: "a resource name, as in pods or deployments.apps",
			Pattern: resourcename.Pattern},
		"index-name": {Noun: `at most 63 letters, digits, "-" and "_", with a letter first`,
			Pattern: regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,62}$`)},
		"sha256": {Noun: "64 lower-case hexadecimal digits",
			Pattern: regexp.MustCompile(`^[0-9a-f]{64}$`)},
		"variable": {Noun: "the name of an environment variable",
			Pattern: regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)},
		"header-name": {Noun: "a header name",
			Pattern: regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")},
		"method":         {Noun: "a method in capitals", Pattern: method, Check: checkMethod},
		"path":           {Pattern: path, Check: checkPath},
		"module":         {Pattern: path, Check: checkModule},
		"policy-files":   {Pattern: path, Check: checkPolicyFiles},
		"address":        {Pattern: address, Check: checkAddress},
		"http-address":   {Pattern: address, Check: checkAddress},
		"label-selector": {Check: checkLabelSelector},
		"field-selector": {Check: checkFieldSelector},
		"field-path":     {Check: checkFieldPath},
		"drop":           {Check: checkDrop},
		"url-prefix":     {Pattern: urlPrefix, Check: checkURLPrefix},
		"http-url":       {Pattern: httpURL, Check: checkHTTPURL},
		"nats-url":       {Pattern: natsURL, Check: checkNATSURL},
		"broker":         {Pattern: regexp.MustCompile(`^[^/@\s]+:[0-9]{1,5}$`), Check: checkBroker},
		"topic": {Noun: `the name of a topic, of at most 249 letters, digits, ".", "-" and "_"`,
			Pattern: regexp.MustCompile(`^[A-Za-z0-9._-]{1,249}$`), Check: checkTopic},
		"stream-name": {Noun: `the name of a stream, of at most 255 letters, digits, "-" and "_"`,
			Pattern: regexp.MustCompile(`^[A-Za-z0-9_-]{1,255}$`)},
		"server-name": {Noun: "the name of a server",
			Pattern: regexp.MustCompile(`^[A-Za-z0-9:]([A-Za-z0-9.:-]{0,252})$`)},
		"label-name": {Noun: `the name of a label, of letters, digits and "_", with no digit first`,
			Pattern: regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)},
		"label-key": {Noun: "the key of a label, as in region or example.com/region",
			Pattern: regexp.MustCompile(`^(` + subdomain + `/)?` + labelText + `$`)},
		"label-value": {Noun: `the value of a label, of at most 63 letters, digits, "-", "_" and "."`,
			Pattern: regexp.MustCompile(`^(` + labelText + `)?$`)},
		"event-type": {Pattern: regexp.MustCompile(`^[!-)+-~]{1,256}$`), Check: checkEventType},
	}
})

// Each of these returns the problem with a text, as it follows the field's path, "" if there is
// none.

func checkMethod(text, _ string) (problem string) {
	if text == "CONNECT" || text == "TRACE" {
		return ": handlers are not given the method " + text
	}
	return ""
}

// variable is what a shell would replace in a path. A lone $ may be part of a file's name.
var variable = regexp.MustCompile(`\$\{[A-Za-z_]\w*\}|(^|/)\$[A-Z_][A-Z0-9_]*(/|$)`)

var isFolder = regexp.MustCompile(`(^|/)\.{0,2}$`)

// checkPath checks the path of what, as in "a folder". Nothing in it is expanded.
func checkPath(path, what string) (problem string) {
	switch {
	case strings.TrimSpace(path) == "" || strings.ContainsRune(path, 0):
		return " must be the path of " + what + ", is " + document.Quote(path)
	case path == "~" || strings.HasPrefix(path, "~/"):
		return " must not begin with ~, which is not expanded, is " + document.Quote(path)
	case what == "a file" && isFolder.MatchString(path):
		return " must be the path of a file, and not of a folder, is " + document.Quote(path)
	case variable.MatchString(path):
		return " must not have a variable in it, which is not expanded, is " + document.Quote(path)
	}
	return ""
}

var remoteModule = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://`)

func checkModule(path, what string) (problem string) {
	if remoteModule.MatchString(path) {
		return " must be the path of a file, and not a URL"
	}
	return checkPath(path, what)
}

func checkPolicyFiles(pattern, what string) (problem string) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return " is not a pattern: " + document.Quote(pattern)
	}
	if strings.Contains(pattern, "**") {
		// It would be read as *, and deeper files would be missed silently.
		return ": ** for folders in folders is not supported: " + document.Quote(pattern)
	}
	return checkPath(pattern, what)
}

func checkTopic(text, _ string) (problem string) {
	if text == "." || text == ".." {
		return " must be the name of a topic, is " + document.Quote(text)
	}
	return ""
}

func checkEventType(text, _ string) (problem string) {
	return problemOf(plugins.CheckEmitType(text))
}

// problemOf returns what an error says of a text, "" for nil.
func problemOf(err error) (problem string) {
	if err == nil {
		return ""
	}
	text := document.Printable(err)
	if is, ok := strings.CutPrefix(text, "it "); ok {
		return " " + is
	}
	return ": " + text
}
