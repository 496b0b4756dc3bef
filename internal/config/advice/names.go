package advice

import (
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/config/urls"
)

// Each of these returns the text that is meant by one that does not have its form, "" if that is
// not clear. What they return is checked.

var (
	notOfLabels = regexp.MustCompile(`[^a-z0-9]+`)
	humps       = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	notOfNames  = regexp.MustCompile(`[^A-Za-z0-9_]+`)
)

// AsLabel returns a name as a DNS label: no-latest for No Latest and noLatest.
func AsLabel(text string) string {
	lower := strings.ToLower(humps.ReplaceAllString(text, "$1-$2"))
	return strings.Trim(notOfLabels.ReplaceAllString(lower, "-"), "-")
}

func AsLabelName(text string) string {
	return strings.Trim(notOfNames.ReplaceAllString(text, "_"), "_")
}

var quotedVariable = regexp.MustCompile(`^[$%][{(]?([A-Za-z_][A-Za-z0-9_]*)[})%]?$`)

// AsVariable returns the name of a variable that is written as a shell replaces it.
func AsVariable(text string) string {
	if name := quotedVariable.FindStringSubmatch(text); name != nil {
		return name[1]
	}
	return ""
}

var embedded = regexp.MustCompile(`^([A-Za-z]+) \$[{(]?([A-Za-z_][A-Za-z0-9_]*)[})]?$`)

// NotMore refuses a text with a variable in it where the name of one is needed.
func NotMore(text, _ string) (problem, hint string) {
	if part := embedded.FindStringSubmatch(text); part != nil {
		return " must be the name of an environment variable, is " + document.Quote(text),
			"write " + part[2] + ", and put the whole value into that variable: " + part[1] +
				", a space and the rest"
	}
	return "", ""
}

// NotSeveral refuses several resources where the name of one is needed.
func NotSeveral(text, _ string) (problem, hint string) {
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '|' })
	if len(names) < 2 {
		return "", ""
	}
	return " must be the name of one resource, is " + document.Quote(text),
		byList["resource"] + forEach(names)
}

// WhereHint says how to write where a value is.
const WhereHint = "write {fromEnv: NAME} or {fromFile: PATH}"

// within is a variable of a shell in a text, in a form that passwords do not have.
var within = regexp.MustCompile(`\$\{([A-Z][A-Z0-9_]*)\}`)

// Where returns how to write where a value is, for one that may have a variable of a shell in it.
// The value is not shown.
func Where(text string) string {
	if name := AsVariable(text); name != "" && Environment.MatchString(text) {
		return "write {fromEnv: " + name + "}"
	}
	if name := within.FindStringSubmatch(text); name != nil {
		return "write {fromEnv: " + name[1] + "}, and put the whole value into that variable"
	}
	return WhereHint
}

// NotATopic refuses what is no name of a topic of Kafka and looks like something else.
func NotATopic(text, _ string) (problem, hint string) {
	problem = " must be the name of a topic, is " + document.Quote(text)
	switch {
	case text == "." || text == "..":
		return problem, "write letters or digits as well"
	case NotReplaced(text) != "":
		return problem, NotReplaced(text)
	case strings.Contains(text, " + ") || strings.HasPrefix(text, `"`):
		return problem, "a topic is a text and no expression: write an output for each topic, and when in it for what is sent there"
	}
	return "", ""
}

var (
	source   = regexp.MustCompile(`^from(Env|File): ?([A-Za-z0-9_./-]+)$`)
	hostPort = regexp.MustCompile(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*:[0-9]{1,5}/?$`)
)

// AsValue returns what to write in place of a text that is not a URL, "" if that is not clear. A
// text with more than a host and a port is not shown: there may be a credential in it.
func AsValue(text string) string {
	if name := Environment.FindStringSubmatch(text); name != nil {
		return "variables are not replaced: write {fromEnv: " + name[1] + "}"
	}
	if from := source.FindStringSubmatch(text); from != nil {
		return "write {from" + from[1] + ": " + from[2] + "}, without quotes"
	}
	for _, scheme := range []string{"http://", "https://"} {
		if problem, _ := urls.HTTP(scheme + text); hostPort.MatchString(text) && problem == "" {
			return "write " + scheme + text
		}
	}
	return ""
}

var (
	pathOfResource = regexp.MustCompile(`^(?:apis?/)?(?:([a-z0-9.-]+)/)?(v[0-9][a-z0-9]*)/([a-z]+)$`)
	// apps/v1.Deployment
	versionFirst = regexp.MustCompile(`^([a-z0-9.-]+)/(v[0-9][a-z0-9]*)\.([a-z]+)$`)
	groupVersion = regexp.MustCompile(`^([a-z]+)\.([a-z0-9.-]+)/(v[0-9][a-z0-9]*)$`)
	subresource  = regexp.MustCompile(`^([a-z.]+)/(status|scale|log|exec|ephemeralcontainers)$`)
	beforeGroup  = regexp.MustCompile(`^([a-z]+)/(apps|batch|autoscaling|policy|[a-z0-9-]+\.[a-z0-9.-]+)$`)
	withGroup    = regexp.MustCompile(`^([a-z0-9-]+\.[a-z0-9.-]+|apps|batch|autoscaling|policy)/([a-z]+)$`)
)

// AsResource returns the name of the resource in a path of the API, and of a resource with its
// group before it.
func AsResource(text string) string {
	lower := strings.ToLower(strings.Trim(text, "/ “”„‘’\"'"))
	if lower != strings.ToLower(text) && aResource.MatchString(lower) {
		return lower
	}
	if part := versionFirst.FindStringSubmatch(lower); part != nil {
		return part[3] + "." + part[2] + "." + part[1]
	}
	if part := groupVersion.FindStringSubmatch(lower); part != nil {
		return part[1] + "." + part[3] + "." + part[2]
	}
	if part := pathOfResource.FindStringSubmatch(lower); part != nil {
		if part[1] == "" || part[1] == "core" {
			return part[3]
		}
		return part[3] + "." + part[2] + "." + part[1]
	}
	if part := beforeGroup.FindStringSubmatch(lower); part != nil {
		return part[1] + "." + part[2]
	}
	if part := withGroup.FindStringSubmatch(lower); part != nil {
		return part[2] + "." + part[1]
	}
	if part := subresource.FindStringSubmatch(lower); part != nil {
		return part[1]
	}
	return ""
}

var (
	// Environment is a text that is nothing but a variable of a shell.
	Environment = regexp.MustCompile(`^\$[{(]?([A-Za-z_][A-Za-z0-9_]*)[})]?$`)
	// Template is what Helm and others would replace.
	Template = regexp.MustCompile(`\{\{.*\}\}`)
)

// NotReplaced returns a hint for a text that another program would replace by another one, "" if it
// is not one.
func NotReplaced(text string) string {
	switch {
	case Environment.MatchString(text):
		return "variables are not replaced: write the name itself"
	case Template.MatchString(text):
		return "templates are not replaced: write the name itself, or render the file first, as with helm template"
	case strings.ContainsAny(text, "“”„‘’"):
		return "these are typographic quotes: write straight ones, or none"
	case strings.Contains(text, "${"):
		return "variables are not replaced: write the name itself"
	}
	return ""
}

// Synonyms are words of other tools, with the words for the same here.
var Synonyms = map[string][]string{
	"warning": {"medium", "warn"}, "warn": {"medium"}, "moderate": {"medium"},
	"normal": {"medium"}, "average": {"medium"},
	"error": {"high"}, "err": {"high", "error"}, "major": {"high"},
	"important": {"high"}, "fatal": {"critical", "error"},
	"emergency": {"critical"}, "crit": {"critical"}, "alert": {"critical"},
	"disaster": {"critical"}, "page": {"critical"}, "blocker": {"critical"},
	"minor": {"low"}, "trivial": {"low"}, "notice": {"info", "low"},
	"information": {"info"}, "informational": {"info"}, "debug": {"info"},
	"none": {"info"}, "trace": {"debug"}, "verbose": {"debug"},
	"true": {"on", "always"}, "yes": {"on"}, "gzip": {"on"},
	"false": {"off", "never"}, "no": {"off"},
	"p0": {"critical"}, "p1": {"critical"}, "p2": {"high"}, "p3": {"medium"}, "p4": {"low"},
	"sev0": {"critical"}, "sev1": {"critical"}, "sev2": {"high"}, "sev3": {"medium"},
	"wait": {"block"}, "discard": {"drop"}, "disk": {"spill"},
	"dropoldest": {"latest"}, "drop-oldest": {"latest"}, "drop_oldest": {"latest"},
	"dropnewest": {"drop"}, "drop-newest": {"drop"}, "drop_newest": {"drop"},
	"file": {"spill"}, "block": {"wait"},
	"batched":   {"batch"},
	"strategic": {"merge"}, "strategic-merge": {"merge"}, "mergepatch": {"merge"},
	"merge-patch": {"merge"}, "jsonpatch": {"json"}, "json-patch": {"json"}, "json6902": {"json"},
	"server-side-apply": {"apply"}, "serverside": {"apply"}, "ssa": {"apply"},
	"json": {"structured"}, "cloudevents": {"structured"}, "raw": {"binary"}, "single": {"structured"},
}
