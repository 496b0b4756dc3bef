package config

import (
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/config/urls"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
)

// Each of these returns the problem with a text, as it follows the field's path, and what to do.
// The problem is empty if there is none.

func notAllNamespaces(text, _ string) (problem, hint string) {
	if text == "" || text == "*" {
		return " must be the name of a namespace, is " + document.Quote(text),
			"remove namespaces to watch all of them"
	}
	const names = "namespaces are names; choose others with select, as in glob(\"team-*\", object.metadata.namespace), or with fieldSelector: metadata.namespace!=NAME"
	if hint := advice.NotReplaced(text); hint != "" {
		return " must be the name of a namespace, is " + document.Quote(text), hint
	}
	if strings.Contains(text, ",") {
		return " must be the name of a namespace, is " + document.Quote(text),
			"write each as an item of the list, as in [team-a, team-b]"
	}
	if strings.ContainsAny(text, "*?!") {
		return " must be the name of a namespace, is " + document.Quote(text), names
	}
	return "", ""
}

func notEveryNamespace(text, _ string) (problem, hint string) {
	if text == "*" {
		return ` must be the name of a namespace, is "*"`, "remove namespaces to allow all of them"
	}
	return "", ""
}

// notAVariable refuses what another program would replace.
func notAVariable(text, _ string) (problem, hint string) {
	if hint := advice.NotReplaced(text); hint != "" {
		return " must be a DNS label, is " + document.Quote(text), hint
	}
	return "", ""
}

func checkMethod(text, _ string) (problem, hint string) {
	if text == "CONNECT" || text == "TRACE" {
		return ": handlers are not given the method " + text, ""
	}
	if upper := strings.ToUpper(text); upper != text && method.MatchString(upper) {
		return " must be a method in capitals, is " + document.Quote(text),
			document.DidYouMean(upper, []string{upper})
	}
	return "", ""
}

// variable is what a shell would replace in a path. A lone $ may be part of a file's name.
var variable = regexp.MustCompile(`\$\{[A-Za-z_]\w*\}|(^|/)\$[A-Z_][A-Z0-9_]*(/|$)`)

var isFolder = regexp.MustCompile(`(^|/)\.{0,2}$`)

// checkPath checks the path of what, as in "a folder". Nothing in it is expanded.
func checkPath(path, what string) (problem, hint string) {
	const asItIs = "paths are taken as they are: write it out in full, or relative to the folder of this configuration"
	switch {
	case strings.TrimSpace(path) == "" || strings.ContainsRune(path, 0):
		return " is not a path: " + document.Quote(path), "write the path of " + what
	case path == "~" || strings.HasPrefix(path, "~/"):
		return " must not begin with ~, is " + document.Quote(path), asItIs
	case advice.Template.MatchString(path):
		return " must not have a template in it, is " + document.Quote(path),
			"templates are not replaced: render the file first, as with helm template"
	case what == "a file" && isFolder.MatchString(path):
		return " must be the path of a file, and not of a folder, is " + document.Quote(path), "add the name of the file"
	case variable.MatchString(path):
		return " must not have a variable in it, is " + document.Quote(path), asItIs
	}
	return "", ""
}

var remoteModule = regexp.MustCompile(`^[a-z][a-z0-9+.-]*://`)

func checkModule(path, what string) (problem, hint string) {
	if remoteModule.MatchString(path) {
		return ": modules from elsewhere are not supported by this version",
			"write the path of a file"
	}
	return checkPath(path, what)
}

func checkPolicyFiles(pattern, what string) (problem, hint string) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return " is not a pattern: " + document.Quote(pattern),
			`"[" and "\" are written as "\[" and "\\" if the names have them`
	}
	if strings.Contains(pattern, "**") {
		// It would be read as *, and deeper files would be missed silently.
		return ": ** for folders in folders is not supported: " + document.Quote(pattern),
			"add an entry for each folder, as in policies/*.yaml"
	}
	return checkPath(pattern, what)
}

// checkAddress checks an address to listen on.
func checkAddress(address, example string) (problem, hint string) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return " must be a host and a port, is " + document.Quote(address), "write it as " + example
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || strconv.FormatUint(n, 10) != port {
		return " must have a port of 0 to 65535, is " + document.Quote(address), "write it as " +
			example
	}
	return "", ""
}

func checkAnyAddress(address, _ string) (problem, hint string) {
	return checkAddress(address, ":8081")
}

func checkHTTPAddress(address, _ string) (problem, hint string) {
	return checkAddress(address, "127.0.0.1:8080")
}

func checkFieldPath(text, _ string) (problem, hint string) {
	if _, err := object.CompilePath(text); err != nil {
		return ": " + document.Printable(err), ""
	}
	return "", ""
}

// checkDrop checks the path of a field that objects can do without.
func checkDrop(text, _ string) (problem, hint string) {
	path, err := object.CompilePath(text)
	if err == nil {
		err = new(object.Parser).Drop(path)
	}
	if err != nil {
		return ": " + document.Printable(err), ""
	}
	return "", ""
}

// checkURLPrefix returns what the host of handlers says of a URL. The URL is not shown: there may
// be a password in it.
func checkURLPrefix(text, _ string) (problem, hint string) {
	err := plugins.CheckHTTPAllow(text)
	if err == nil {
		return "", ""
	}
	problem, hint = ": "+err.Error(), "write it as "+urlExample
	if is, ok := strings.CutPrefix(err.Error(), "it "); ok {
		problem = " " + is
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http":
	case u.User != nil:
		hint = "remove it, and put the credential into headers, as in headers: {Authorization: {fromEnv: NAME}}"
	case strings.Contains(u.Host, "*"):
		hint = "name each host"
	case strings.ContainsAny(text, "?#"):
		hint = "remove ? or # and what follows"
	case u.Host != "":
		hint = "" // what is wrong with the host, the port or the path says enough
	}
	return problem, hint
}

func checkEventType(text, _ string) (problem, hint string) {
	err := plugins.CheckEmitType(text)
	if err == nil {
		return "", ""
	}
	problem, hint, _ = strings.Cut(strings.TrimPrefix(err.Error(), "it "), ": ")
	return " " + problem, hint
}

// checkHTTPURL is urls.HTTP for a field.
func checkHTTPURL(text, _ string) (problem, hint string) {
	problem, hint = urls.HTTP(text)
	if meant := advice.AsValue(text); problem != "" && meant != "" {
		hint = meant
	}
	return problem, hint
}
