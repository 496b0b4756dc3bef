package conditions_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

func drawCondition(t *rapid.T, vars ...string) string {
	from := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "part") }
	subject := from(append(vars, "op", "object.metadata.namespace", `object["metadata"]?.namespace`,
		"object.metadata.name", `label("tier")`, `label("tier")`,
		"object.metadata.labels.tier", `object.metadata.labels["a.b/c"]`, `label("a.b/c")`,
		`label("text")`, `annotation("tier")`, "old.metadata.name", "object.x", "object.x.x")...)
	values := []string{`"x"`, `"x"`, `"y"`, `""`, `"a\"b"`, "nil", "5", "object.x", `label("tier")`}
	if subject == "op" {
		values = []string{`"add"`, `"update"`, `"delete"`, `"resync"`, "nil", "object.x"}
	}
	list := func() string {
		return "[" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(values), 0, 3).Draw(t, "list"),
			", ") + "]"
	}
	switch rapid.IntRange(0, 14).Draw(t, "form") {
	case 13, 14:
		return from("", "!") + "(" + drawAmount(t, subject) + ")"
	case 0, 1:
		return subject + " == " + from(values...)
	case 2:
		return subject + " != " + from(values...)
	case 3:
		return from(values...) + from(" == ", " != ") + subject
	case 4:
		return subject + " in " + list()
	case 5:
		return subject + " not in " + list()
	case 6:
		return from(`"tier"`, `"a.b/c"`, `"text"`, `"none"`, "5") + from(" in ", " not in ") +
			from("object.metadata.labels", "object?.metadata?.labels", "object.metadata")
	case 7, 8:
		if subject == "op" {
			subject = "object.x"
		}
		return from("", "not ", "!") + "(" + subject + from(" < ", " <= ", " > ", " >= ",
			" startsWith ", " endsWith ", " contains ", " matches ") + from(`"x"`, `"x"`, `""`, "5",
			"1.5", "-1", `"^x"`, `"a.b"`) + ")"
	case 9, 10, 11:
		item := from(".x", "#", `#["x"]`, ".y") + from(` == "x"`, ` != "x"`, ` in ["x", 5, true]`,
			` == nil`, ` > 4`, ` startsWith "x"`, ` == object.x`, "",
			` == "x" && label("tier") == "x"`, ` == 5 || op == "add"`)
		return from("", "!") + from("any", "all", "none") + "(" + from("object.list", "object.list",
			"object.list", "object.x", "old.list", "object.metadata.labels") + ", " + from(
			"", "!") + "(" + item + "))"
	default:
		return from("true", "false", "initial", "!resumed", `changed("x")`, `changed("list", "x")`,
			`object.x != old.x`, `became(any(object.list, .x == "x"))`, `became(object.x > 4)`,
			`"x" in object.x`, `"x" not in object.list`,
			`condition("x").x == "x"`, `condition("x").x != "x"`, `owner("x") == nil`,
			`owner("x") != nil`, `owner("x").x > 4`, `glob("x*", object.x)`,
			`glob("*y", object.metadata.name)`, `hasPrefix(object.x, "x")`, "!object.x",
			`(object.x ? label("tier") == "x" : op == "add")`, `changed("x")`,
			`became(label("tier") == "x")`,
			`became(object.x == 5 || object.metadata.name in ["x"])`, "object.x", "object.x > 1",
			`any(object.list, label("tier") == "x")`)
	}
}

// drawAmount compares what is read as a quantity or a version.
func drawAmount(t *rapid.T, subject string) string {
	from := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "part") }
	if subject == "op" || rapid.Bool().Draw(t, "a field") {
		subject = "object.x"
	}
	function, constants := "quantity", []string{`"1Gi"`, `"1073741824"`, `"1.5"`, `"1500m"`,
		`"-2k"`, `"3e2"`, `"0"`, "5", "1.5", "0"}
	if rapid.Bool().Draw(t, "a version") {
		function, constants = "semver", []string{`"1.2"`, `"v1.10.0"`, `"1.2.0-rc1"`, `"2"`}
	}
	left, right := function+"("+subject+")", from(constants...)
	switch rapid.IntRange(0, 3).Draw(t, "where") {
	case 0:
		left, right = subject, function+"("+right+")"
	case 1:
		right = function + "(" + right + ")"
	}
	if rapid.Bool().Draw(t, "exchanged") {
		left, right = right, left
	}
	operation := left + from(" < ", " <= ", " > ", " >= ", " == ", " != ") + right
	if subject == "object.x" && rapid.Bool().Draw(t, "of items") {
		return from("any", "all", "none") + "(object.list, " + strings.ReplaceAll(operation,
			"object.x", ".x") + ")"
	}
	return operation
}

func drawConditions(t *rapid.T, depth int, vars ...string) string {
	operand := func() string { return "(" + drawConditions(t, depth-1, vars...) + ")" }
	choice := rapid.IntRange(0, 9).Draw(t, "logic")
	if depth == 0 || choice < 2 {
		return drawCondition(t, vars...)
	}
	switch choice {
	case 2:
		return rapid.SampledFrom([]string{"!", "not "}).Draw(t, "not") + operand()
	case 3:
		return operand() + " ? " + operand() + " : " + operand()
	case 4:
		name := "v" + fmt.Sprint(depth)
		value := rapid.OneOf(rapid.Custom(func(t *rapid.T) string {
			return drawCondition(t, vars...)
		}), rapid.SampledFrom(slices.Concat([]string{"object.x", "object.list", "object.metadata",
			`label("tier")`, `condition("x")`, `"x"`, "5", `["x", 5]`, "old.x",
			`(object.x ?? "y")`}, vars))).Draw(t, "value")
		more := append(slices.Clip(vars), name, name, name+".x", name+".labels.tier", "!"+name,
			"any("+name+`, .x == "x")`, name+" && object.x")
		return "let " + name + " = " + value + "; " + drawConditions(t, depth-1, more...)
	case 5, 6, 7:
		return operand() + rapid.SampledFrom([]string{" && ", " and "}).Draw(t, "and") + operand()
	default:
		return operand() + rapid.SampledFrom([]string{" || ", " or "}).Draw(t, "or") + operand()
	}
}

func drawMetadata(t *rapid.T) string {
	scalar := rapid.SampledFrom([]string{`"x"`, `"\u0078"`, `"y"`, `""`, `"a\"b"`, "5", "null",
		"true", `["x"]`, `{"x":"x"}`, `"1Gi"`, `"1024Mi"`, `"1500m"`, `"1.5"`, "1.5", "1073741824",
		`"300"`, `"-2k"`, `"1.2"`, `"v1.2.0"`, `"1.2.0-rc1"`, `"1.10"`, `"01.2"`, `"1.2.3.4"`,
		`"1e3"`, `"5n"`, `"-"`, `"Gi"`, "1e300", "0.0000000001"})
	text := rapid.SampledFrom([]string{`"x"`, `"x"`, `"\u0078"`, `"y"`, `""`, `"a\"b"`})
	member := rapid.OneOf(text, text, text, scalar)
	labels := ""
	tier := rapid.SampledFrom([]string{`"tier"`, `"tier"`, `"tie\u0072"`}).Draw(t, "tier")
	for _, key := range rapid.Permutation([]string{tier, `"a.b/c"`, `"text"`}).Draw(t,
		"keys")[:rapid.IntRange(0, 3).Draw(t, "count")] {
		if labels != "" {
			labels += ","
		}
		labels += key + ": " + member.Draw(t, "label")
	}
	labels = rapid.SampledFrom([]string{"", `,"labels":{` + labels + "}",
		`,"labels":{` + labels + "}", `,"labels":{` + labels + "}", `,"labels":null`,
		`,"labels":"x"`, `,"labels":["tier"]`}).Draw(t, "labels")
	namespace := rapid.SampledFrom([]string{"", `,"namespace":""`, `,"namespace":null`,
		`,"namespace":"x"`, `,"namespace":"\u0078"`, `,"namespace":"y"`}).Draw(t, "namespace")
	return `{"metadata":{"name":` + rapid.SampledFrom([]string{`"x"`, `"y"`, `"\u0078"`}).Draw(t,
		"name") + namespace + labels + `,"ownerReferences":` + rapid.SampledFrom(
		[]string{"null", `[{"kind":"x","x":7}]`,
			`[{"kind":"x"},{"kind":"x","controller":true,"x":"x"}]`}).Draw(t, "owners") +
		`},"x":` + scalar.Draw(t, "x") + `,"list":` + drawItems(t, scalar) +
		`,"status":{"conditions":` +
		rapid.SampledFrom([]string{"null", `{}`, `[{"type":"x","x":"y"},{"type":"x","x":"x"}]`,
			`[{"type":"x","x":"x"}]`}).Draw(t, "conditions") + `}}`
}

func drawItems(t *rapid.T, scalar *rapid.Generator[string]) string {
	if rapid.IntRange(0, 5).Draw(t, "no list") == 0 {
		return scalar.Draw(t, "list")
	}
	items := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "an object") {
			return `{"x":` + scalar.Draw(t, "item's x") + `}`
		}
		return scalar.Draw(t, "item")
	}), 0, 3).Draw(t, "items")
	return "[" + strings.Join(items, ",") + "]"
}
