package advice

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

const expression = `an expression is a text: put it in quotes`

// byMapping are hints for fields that have a mapping in place of a text.
var byMapping = map[string]string{
	"labelSelector": `write it as a text, as in "app=web,tier in (a, b)"`,
	"fieldSelector": `write it as a text, as in "metadata.namespace!=kube-system"`,
	"data":          expression + ", as in data: '{\"text\": message}'",
	"patch":         expression + ", as in patch: '{metadata: {labels: {a: \"b\"}}}'",
	"text":          expression + ", as in text: 'message'",
	"message":       expression + ", as in message: '\"no tag: \" + object.metadata.name'",
	"when":          expression + ", as in when: 'severity == \"high\"'",
	"filter":        expression + ", as in filter: 'op == \"add\"'",
	"select":        expression + ", as in select: 'label(\"app\") == \"web\"'",
	"deny":          expression + ", as in deny: 'object.spec.replicas == 0'",
	"subject":       expression + ", as in subject: '\"k8s.\" + resource'",
	"checkpoint":    "write true, and name the folder at the top: state: {dir: ./state}",
	"resource":      "name it by its plural and its group, as in resource: deployments.apps",
}

// byList are hints for fields that have a list in place of one value.
var byList = map[string]string{
	"resource":  "an informer watches one resource: write an informer and a listener for each",
	"informer":  "a listener has one informer: write a listener for each",
	"files":     "write an item of policies for each, or a pattern, as in policies/*.yaml",
	"url":       "an output has one URL: write an output for each, and name them in outputs of the listener",
	"filter":    oneExpression + `'op == "add" and !initial'`,
	"select":    oneExpression + `'label("app") == "web" and object.metadata.name != "a"'`,
	"deny":      oneExpression + `'label("app") == "web" and object.metadata.name != "a"'`,
	"when":      oneExpression + `'severity == "high" and namespace == "shop"'`,
	"data":      expression + ", as in data: '[op, name]'",
	"patch":     expression + ", with type: json for a list, as in patch: '[{op: \"remove\", path: \"/a\"}]'",
	"namespace": "write one", "topic": "an output has one topic: write an output for each",
	"labelSelector": `write it as a text, as in "app=web,tier in (a, b)"`,
	"fieldSelector": `write it as a text, as in "metadata.namespace!=kube-system"`,
}

const oneExpression = "write one expression: join conditions with and, as in "

// Instead returns the hint for a value of the wrong type at a path, with the hint that it has
// otherwise.
func Instead(path, hint string, is document.Shape) string {
	name := path[strings.LastIndex(path, ".")+1:]
	list, item, _ := strings.Cut(name, "[")
	if hint := Unspaced(is); hint != "" {
		return hint
	}
	switch {
	case is.IsMapping && asSelector(name, is) != "":
		return "write " + asSelector(name, is)
	case is.IsList && path == "outputs" && len(is.Texts) > 0:
		return "names of outputs belong to a listener: indent it below one, and write here a name and an output, as in stdout: {stdout: {}}"
	case is.IsList && name == "resource" || is.IsList && name == "informer":
		return byList[name] + forEach(is.Texts)
	case is.IsList && !strings.HasPrefix(hint, "write ") && byList[name] != "":
		return byList[name]
	case is.IsMapping && list == "outputs" && path != "outputs":
		return outputsHint(is, item != "", hint)
	case number(is) && byMapping[name] != "" && conditions[name]:
		return "write an expression that is true or false" + strings.TrimPrefix(byMapping[name], expression)
	case number(is) && (name == "text" || name == "message" || name == "subject"):
		return "write " + name + `: '"` + is.Texts[0] + `"'`
	case is.IsMapping && byMapping[name] != "":
		return byMapping[name]
	case is.IsMapping && name == "rules" && !strings.HasPrefix(hint, "write ["):
		return "write a list, as in rules: [{name: NAME, deny: …}]"
	case !is.IsMapping && !is.IsList && list == "rules" && item != "" && len(is.Texts) == 1:
		return "write {name: NAME, deny: …}, with the expression for deny"
	case name == "on" && path != "on" && !is.IsMapping && !is.IsList:
		return opsHint(is)
	case name == "namespaces" && len(is.Texts) == 1 && !is.IsList &&
		(is.Texts[0] == "*" || is.Texts[0] == "all" || is.Texts[0] == ""):
		return "remove it to watch all namespaces"
	case name == "checkpoint" && len(is.Texts) == 1 && strings.ContainsAny(is.Texts[0], "/."):
		return byMapping[name]
	}
	return ""
}

// conditions are the fields with expressions that are true or false.
var conditions = map[string]bool{"filter": true, "select": true, "deny": true, "when": true}

// number reports whether a value is a lone number.
func number(is document.Shape) bool {
	if is.IsList || is.IsMapping || len(is.Texts) != 1 {
		return false
	}
	_, err := strconv.ParseFloat(is.Texts[0], 64)
	return err == nil
}

// opsHint is about one text where a list of operations is needed.
func opsHint(is document.Shape) string {
	if ops := Ops(is); ops != "" {
		return "write " + ops
	}
	return "write a list, as in [add, update, delete], or remove it for these"
}

// Ops returns the list of operations that words of other tools mean, "" if they mean others.
func Ops(is document.Shape) string {
	var ops []string
	for _, text := range is.Texts {
		for _, word := range strings.FieldsFunc(text, func(r rune) bool {
			return strings.ContainsRune(", |/", r)
		}) {
			if _, err := event.ParseOp(word); err != nil {
				if word = filters.OpMeant(word); word == "" {
					return ""
				}
			}
			if !slices.Contains(ops, word) {
				ops = append(ops, word)
			}
		}
	}
	if len(ops) == 0 {
		return ""
	}
	return "[" + strings.Join(ops, ", ") + "]"
}

// forEach shows an informer and a listener for each of two resources.
func forEach(resources []string) string {
	if len(resources) < 2 || !aResource.MatchString(resources[0]) ||
		!aResource.MatchString(resources[1]) {
		return ""
	}
	var shown []string
	for _, resource := range resources[:2] {
		name, _, _ := strings.Cut(resource, ".")
		shown = append(shown, name+": {informer: {resource: "+resource+"}, outputs: […]}")
	}
	return ", as in listeners: {" + strings.Join(shown, ", ") + "}"
}

var aResource = regexp.MustCompile(`^[a-z][a-z0-9-]*(\.[a-z0-9-]+)*$`)

// outputsHint is about a mapping where names of outputs are needed.
func outputsHint(is document.Shape, isItem bool, hint string) string {
	for _, name := range is.Names {
		if Kinds[name] != "" && !slices.Contains(is.Defined("outputs"), name) {
			return "outputs have names: write outputs: [NAME] here, and NAME: {" + name +
				": {…}} in outputs at the top"
		}
	}
	if isItem && !strings.HasPrefix(hint, "write ") {
		return "name an output that is defined in outputs at the top"
	}
	return ""
}

// Kinds are the kinds of outputs, with an example of each.
var Kinds = map[string]string{
	"stdout": "{}", "kubernetesEvent": "{}", "file": "{path: events.jsonl}",
	"webhook": "{url: https://hooks.example.com/x}", "slack": "{url: {fromEnv: NAME}}",
	"kafka":        "{brokers: [\"kafka:9092\"], topic: events}",
	"nats":         `{servers: ["nats://nats:4222"], subject: '"k8s." + resource'}`,
	"alertmanager": "{url: http://alertmanager:9093}",
	"patch":        `{patch: '{metadata: {labels: {seen: "true"}}}'}`,
}
