package check

import (
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/mismatch"
)

// compare warns about a comparison of a field with a constant that it can never equal, or be
// ordered with.
func (c *schemaCheck) compare(operator string, field fact, constant ast.Node) {
	want, got := field.kind(), mismatch.LiteralKind(constant)
	if operator != "==" && operator != "!=" && field.path != "" && want != "number" &&
		got == "string" {
		c.amount(field, constant.(*ast.StringNode))
	}
	if got == "number" && amountField.MatchString(field.path) {
		hint := "write quantity(" + field.path + ")"
		if strings.Contains(field.path, "[*]") {
			hint = "put quantity(…) around it"
		}
		c.warnf(constant, `%s is an amount such as "500m" or "1Gi"; %s`, field.path, hint)
		return
	}
	c.enum(operator, field, constant)
	c.wellKnown(operator, field, constant)
	if field.path == "" || want == "" || got == "" || want == got {
		return
	}
	is := field.path + " is " + typeWord(field.schema.Type)
	than := typeWord(got)
	hint := mismatch.Meant(want, field.schema.Type == "integer", constant,
		written(c.extents(), constant))
	switch {
	case got == "array" && isScalarKind(want) && operator == "==":
		hint = "; write in"
	case got == "array" && isScalarKind(want) && operator == "!=":
		hint = "; write not in"
	}
	if hint == "" && (operator == "==" || operator == "!=") {
		hint = c.comparedInstead(operator, field, constant)
	}
	if got == "boolean" && conditionStatus.MatchString(field.path) {
		hint = "; write " + map[bool]string{true: `"True"`, false: `"False"`}[constant.(*ast.BoolNode).Value]
	}
	if ordered := operator != "==" && operator != "!="; ordered && want == "string" &&
		got == "number" {
		hint = "; write int(" + field.path + ")"
		if isTime(field.path) {
			hint = "; how long ago that was is asked with age(" + field.path + `) > "1h"`
		} else if strings.Contains(field.path, "[*]") || strings.Contains(field.path, "(…)") {
			hint = "; write int(…) around it"
		}
	}
	var message string
	switch operator {
	case "==":
		message = is + ", so it never equals " + than
	case "!=":
		message = is + ", so it always differs from " + than
	default:
		message = is + ", so it cannot be ordered with " + than
	}
	c.warnings = append(c.warnings, c.draft.CompileError(constant.Location().From, "%s%s", message,
		hint))
}

// conditionStatus matches the paths of the status of a condition.
var conditionStatus = regexp.MustCompile(`^condition\(.*\)\.status$|\.status\.conditions\[.*\]\.status$`)

// conditionOrStatus matches the paths of a condition that a call finds, and of its status.
var conditionOrStatus = regexp.MustCompile(`^condition\(.*\)(\.status)?$`)

// amountField matches the paths of quantities.
var amountField = regexp.MustCompile(
	`\.(resources\.(limits|requests)|capacity|allocatable|status\.used|hard)(\.[a-z]\w*|\["[^"]*"\])$`)

// amounts are texts that are probably meant as what a function reads from them.
var amounts = []struct {
	pattern  *regexp.Regexp
	function string
}{
	{regexp.MustCompile(`^[0-9.]+([KMGTPE]i|[kMGTPE])$`), "quantity"},
	{regexp.MustCompile(`^[0-9.]+m$`), "quantity or duration"},
	{regexp.MustCompile(`^([0-9.]+(ns|us|ms|s|m|h|d))+$`), "duration"},
}

// amount warns about an order of a field's text and an amount, in which "9Gi" comes after
// "10Gi".
func (c *schemaCheck) amount(field fact, constant *ast.StringNode) {
	for _, a := range amounts {
		if a.pattern.MatchString(constant.Value) {
			function := a.function
			if function != "quantity" && isTime(field.path) {
				function = "age"
			}
			c.warnings = append(c.warnings, c.draft.CompileError(constant.Location().From,
				"%s is compared with %q as text, letter by letter; put %s around the field if an amount is meant", field.path, constant.Value, function))
			return
		}
	}
}

// isTime reports whether a field has a time by its name, as Kubernetes names them.
func isTime(path string) bool {
	return strings.HasSuffix(path, "Time") || strings.HasSuffix(path, "Timestamp")
}
