package reference

import (
	"fmt"
	"slices"
	"strings"
)

// description describes a variable, an operator or a function of the language. Its example is an
// expression that can be true.
type description struct {
	Group     string
	Name      string
	Signature string
	Doc       string // one line
	Example   string
}

// Table returns the descriptions of everything that an expression may name, group by group.
func Table() []description { return slices.Clone(table) }

// The groups of the table, in its order.
const (
	groupVariables = "Variables"
	groupMessages  = "Variables of outputs alone"
	groupOperators = "Operators"
	groupChange    = "Change"
	groupObject    = "Parts of the object"
	groupCaches    = "Other objects"
	groupValues    = "Values with a meaning"
	groupLists     = "Lists"
	groupTexts     = "Texts"
	groupNumbers   = "Numbers"
)

var table = []description{
	{groupVariables, "object", "object",
		"The object, after an update as it is now, after a delete as it was last.",
		`object.metadata.name == "web-1"`},
	{groupVariables, "op", "op",
		`What happened: "add", "update", "delete" or "resync"; "" for a report caused by time. Not in select and rules, nor are the next four.`, `op == "update"`},
	{groupVariables, "old", "old", "The object before an update; nil for other events.",
		`old.status.phase == "Pending"`},
	{groupVariables, "initial", "initial", "Whether the event is one of the first list.",
		`!initial`},
	{groupVariables, "missed", "missed",
		"How many earlier events of the object were left out because the buffer was full.",
		`missed < 5`},
	{groupVariables, "resumed", "resumed",
		"Whether the event is what happened while informerd was away or could not watch, so that states of the object may have been passed over.",
		`!resumed`},
	{groupVariables, "cluster", "cluster, cluster.name, cluster.labels",
		"The cluster's name in the configuration, and its labels.",
		`cluster startsWith "prod-" && cluster.labels.region == "eu"`},
	{groupVariables, "listener", "listener", "The listener's name.", `listener == "pods"`},

	{groupMessages, "resource", "resource",
		`The resource with its group, such as "pods" or "deployments.apps".`,
		`resource == "pods"`},
	{groupMessages, "namespace", "namespace", `The object's namespace, "" if it has none.`,
		`namespace in ["shop", "pay"]`},
	{groupMessages, "name", "name", "The object's name.", `name startsWith "web"`},
	{groupMessages, "uid", "uid", "The object's uid.", `uid != ""`},
	{groupMessages, "type", "type", "The message's type, of CloudEvents.",
		`type endsWith ".violated"`},
	{groupMessages, "id", "id", "The message's id, which is the same when it is sent again.",
		`len(id) == 32`},
	{groupMessages, "subject", "subject", "The message's subject, percent-encoded.",
		`subject == "pods/shop/web-1"`},
	{groupMessages, "rule", "rule",
		"The name of the rule that reports; this and the next four are nil if none does.",
		`rule == "restarts"`},
	{groupMessages, "severity", "severity", "The rule's severity.",
		`severity in ["high", "critical"]`},
	{groupMessages, "message", "message", "The report's text.", `message contains "9 times"`},
	{groupMessages, "violated", "violated",
		"Whether the rule is violated, false when it is resolved.",
		`violated`},
	{groupMessages, "since", "since", "The date from which on the rule's deny has been true.",
		`age(since) > "5m"`},
	{groupMessages, "data", "data", "What a handler made, nil if none did.",
		`data.team == "shop"`},

	{groupOperators, "==", "a == b, a != b",
		"Equal by value. nil equals nil only; values of different types are not equal.",
		`object.status.phase == "Running"`},
	{groupOperators, "<", "a < b, a <= b, a > b, a >= b",
		"Order of numbers, texts, dates, durations, quantities and versions; false if a side is nil.", `object.spec.priority >= 100`},
	{groupOperators, "&&", "a && b, a || b, !a", "Logic; also and, or, not. nil counts as false.",
		`!initial && op != "delete"`},
	{groupOperators, "in", "a in b, a not in b",
		"Whether a list has an item, an object a member, or a network an address.",
		`object.metadata.namespace in ["shop", "pay"]`},
	{groupOperators, "matches", "text matches pattern",
		"Whether a regular expression (RE2) matches in the text.",
		`object.metadata.name matches "^web-[0-9]+$"`},
	{groupOperators, "contains", "a contains b, a startsWith b, a endsWith b",
		"Whether a text is part of another, its beginning or its end.",
		`object.metadata.name startsWith "web"`},
	{groupOperators, "??", "a ?? b", "a, or b if a is nil.", `(object.spec.replicas ?? 1) == 1`},
	{groupOperators, "? :", "condition ? a : b", "One of two values.",
		`(op == "add" ? 1 : 2) == 2`},
	{groupOperators, "+", "a + b, a - b, a * b, a / b, a % b, a ** b",
		"Arithmetic; + joins texts, too. With nil on a side it is nil; beyond 64 bits it fails.",
		`"node/" + object.spec.nodeName == "node/node-17"`},
	{groupOperators, "let", "let name = value; …", "Names a value for the expression that follows.",
		`let phase = object.status.phase; phase == "Running" || phase == "Succeeded"`},
	{groupOperators, "..", "a..b", "The list of the whole numbers from a to b.", `missed in 0..4`},
	{groupOperators, "[ ]", "list[i], list[a:b], object[key]",
		"An item, counted from the end below 0; a part of a list, or of a text in characters; a member.", `object.metadata.labels["app"] == "web"`},

	{groupChange, "changed", "changed(path, …)",
		"Whether the event is an update in which one of the fields differs. Not in select and rules.", `changed("status.phase", "spec.nodeName")`},
	{groupChange, "became", "became(condition)",
		"Whether the event is an update after which the condition is true, and was not before. Not in select and rules.", `became(object.status.phase == "Running")`},

	{groupObject, "label", "label(key)", "The label's text, or nil.",
		`label("tier") == "frontend"`},
	{groupObject, "annotation", "annotation(key)", "The annotation's text, or nil.",
		`annotation("example.com/team") == "shop"`},
	{groupObject, "owner", "owner(kind)",
		"The owner reference of that kind, the controller's before others, or nil.",
		`owner("ReplicaSet").name startsWith "web-"`},
	{groupObject, "condition", "condition(type)",
		"The entry of status.conditions of that type, or nil.",
		`condition("Ready").status == "True"`},

	{groupCaches, "cached", "cached(informer, namespace, name)",
		`The object of that name in another informer's cache, or nil; namespace is "" for what has none.`,
		`cached("nodes", "", object.spec.nodeName).spec.unschedulable`},
	{groupCaches, "byIndex", "byIndex(informer, index, value), byIndex(informer, index, value, namespace)", "The objects that another informer's index has for the value, in all namespaces or in one.", `len(byIndex("services", "app", label("app"))) == 1`},
	{groupCaches, "clusters", "clusters(informer, namespace, name)",
		"What `cached` finds in each of several `clusters` in which the listener is, its own included, as mappings with `cluster` and `object`, sorted by cluster. A cluster without the object is left out, and so is one whose cache is not complete yet.",
		`any(clusters("services", object.metadata.namespace, label("app")), .cluster != cluster && .object.spec.ports[0].port != 80)`},

	{groupValues, "quantity", "quantity(x)",
		"An amount as Kubernetes writes it, of a text or a number; it compares, adds and subtracts, also with texts and numbers, and can be multiplied by a number.",
		`sum(object.spec.containers, quantity(.resources.limits.memory)) > quantity("256Mi") * 2`},
	{groupValues, "duration", "duration(x)", "A time span such as 90s, 1h30m or 7d.",
		`duration(annotation("example.com/timeout")) >= "1m"`},
	{groupValues, "age", "age(), age(time)",
		"The time since the object was created, or since an RFC 3339 time; negative for a time in the future. In a `filter` and a `when` it counts to the arrival of the event, however long that waits.", `age() > "10m" && age(object.status.startTime) < "1d"`},
	{groupValues, "date", "date(text)",
		"A point in time, nil if the text is not valid. The difference of two is a duration.",
		`date(object.status.startTime) - date(object.metadata.creationTimestamp) < duration("1m")`},
	{groupValues, "semver", "semver(text)",
		`A version with major, minor, patch and prerelease ("" if there is none); a leading v and missing numbers do not matter.`,
		`semver(image(object.spec.containers[0].image).tag) >= "1.2"`},
	{groupValues, "image", "image(reference)",
		`An image's registry, repository, name (both together), tag and digest, as container runtimes complete them; the tag is "latest" if there is neither tag nor digest.`,
		`any(object.spec.containers, image(.image).tag == "latest")`},
	{groupValues, "ip", "ip(text)", "An IP address. IPv4 in IPv6 is IPv4.",
		`ip(object.status.podIP) in cidr("10.0.0.0/8")`},
	{groupValues, "cidr", "cidr(text)", "An IP network, which has addresses and networks in it.",
		`cidr("10.1.0.0/16") in cidr("10.0.0.0/8")`},
	{groupValues, "glob", "glob(pattern, text)",
		"Whether the whole text matches the pattern: * stands for any characters, ? for one.",
		`glob("registry.example.com/*/web:*", object.spec.containers[0].image)`},

	{groupLists, "any", "any(list, condition)",
		"Whether the condition is true of an item. An item is #, its fields are .name.",
		`any(object.status.containerStatuses, .restartCount > 5)`},
	{groupLists, "all", "all(list, condition)",
		"Whether it is true of every item; true for no items.",
		`all(object.status.containerStatuses, .ready)`},
	{groupLists, "none", "none(list, condition)", "Whether it is true of no item.",
		`none(object.spec.containers, .securityContext.privileged)`},
	{groupLists, "one", "one(list, condition)", "Whether it is true of exactly one item.",
		`one(object.spec.containers, .name == "web")`},
	{groupLists, "count", "count(list, condition)", "Of how many items it is true.",
		`count(object.status.containerStatuses, .ready) == 2`},
	{groupLists, "sum", "sum(list, value)",
		"The sum of numbers, quantities or durations, without those that are nil; nil if a quantity is beyond 10^30.", `sum(object.status.containerStatuses, .restartCount) == 9`},
	{groupLists, "filter", "filter(list, condition)", "The items of which it is true.",
		`len(filter(object.spec.containers, .name == "web")) == 1`},
	{groupLists, "map", "map(list, value)", "A value for each item.",
		`map(object.spec.containers, .name) == ["web", "proxy"]`},
	{groupLists, "find", "find(list, condition)", "The first item of which it is true, or nil.",
		`find(object.spec.containers, .name == "web").image endsWith ":1.2.3"`},
	{groupLists, "findIndex", "findIndex(list, condition)", "The first such item's place, from 0.",
		`findIndex(object.spec.containers, .name == "proxy") == 1`},
	{groupLists, "findLast", "findLast(list, condition)",
		"The last item of which it is true, or nil.",
		`findLast(object.spec.containers, .name != "").name == "proxy"`},
	{groupLists, "findLastIndex", "findLastIndex(list, condition)", "The last such item's place.",
		`findLastIndex(object.spec.containers, .name != "") == 1`},
	{groupLists, "len", "len(x)", "The number of items, of members or of characters; 0 for nil.",
		`len(object.spec.containers) == 2`},
	{groupLists, "first", "first(list)", "The first item, or nil.",
		`first(object.spec.containers).name == "web"`},
	{groupLists, "last", "last(list)", "The last item, or nil.",
		`last(object.spec.containers).name == "proxy"`},
	{groupLists, "keys", "keys(object)", "The names of an object's members.",
		`"app" in keys(object.metadata.labels)`},
	{groupLists, "values", "values(object)", "The values of an object's members.",
		`"frontend" in values(object.metadata.labels)`},

	{groupTexts, "lower", "lower(text)", "In small letters.", `lower(object.kind) == "pod"`},
	{groupTexts, "upper", "upper(text)", "In capital letters.", `upper(object.kind) == "POD"`},
	{groupTexts, "trim", "trim(text), trim(text, characters)",
		"Without space, or the characters, at both ends.",
		`trim(object.metadata.name, "-1") == "web"`},
	{groupTexts, "trimPrefix", "trimPrefix(text, prefix)", "Without that beginning.",
		`trimPrefix(object.metadata.name, "web-") == "1"`},
	{groupTexts, "trimSuffix", "trimSuffix(text, suffix)", "Without that end.",
		`trimSuffix(object.metadata.name, "-1") == "web"`},
	{groupTexts, "hasPrefix", "hasPrefix(text, prefix)", "As startsWith, but nil if a side is nil.",
		`hasPrefix(object.metadata.name, "web")`},
	{groupTexts, "hasSuffix", "hasSuffix(text, suffix)", "As endsWith, but nil if a side is nil.",
		`hasSuffix(object.metadata.name, "-1")`},
	{groupTexts, "indexOf", "indexOf(text, part)",
		"The first place of a part, in characters from 0; -1 if nowhere.",
		`indexOf(object.metadata.name, "-") == 3`},
	{groupTexts, "lastIndexOf", "lastIndexOf(text, part)",
		"The last place of a part, in the same way.",
		`lastIndexOf(object.spec.containers[0].image, "/") == 25`},
	{groupTexts, "string", "string(x)",
		"A number, true or false, a date, a quantity and the like as a text.",
		`string(missed) + " missed" == "2 missed"`},

	{groupNumbers, "int", "int(x)",
		"A whole number, of a number or a text; nil if the text is none, or 64 bits cannot hold it.", `int(annotation("example.com/priority")) > 10`},
	{groupNumbers, "float", "float(x)", "A number, of a number or a text; nil if the text is none.",
		`float("0.5") * 2 == 1`},
	{groupNumbers, "abs", "abs(number)", "Without its sign.", `abs(-3) == 3`},
	{groupNumbers, "ceil", "ceil(number)", "The next whole number above.", `ceil(1.2) == 2`},
	{groupNumbers, "floor", "floor(number)", "The next whole number below.", `floor(1.8) == 1`},
	{groupNumbers, "round", "round(number)", "The nearest whole number.", `round(1.5) == 2`},
	{groupNumbers, "min", "min(numbers …)",
		"The least of numbers, quantities, durations, dates or versions, or of a list of them; nil if one is nil.", `min(object.spec.priority, 50) == 50`},
	{groupNumbers, "max", "max(numbers …)",
		"The greatest of them, or of a list of them; nil if one is nil.",
		`max(map(object.status.containerStatuses, .restartCount)) == 9`},
}

// Markdown returns the table for a page of documentation, one table for each group.
func Markdown() string {
	var b strings.Builder
	group := ""
	cell := func(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
	for _, e := range table {
		if e.Group != group {
			if group != "" {
				b.WriteByte('\n')
			}
			group = e.Group
			fmt.Fprintf(&b, "## %s\n\n| | | for example |\n|---|---|---|\n", group)
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` |\n", cell(e.Signature), cell(e.Doc), cell(e.Example))
	}
	return b.String()
}
