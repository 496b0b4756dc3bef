package check

import (
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/mismatch"
)

// comparedInstead returns the hint that says what of an object or a list a constant may be compared
// with, "" if nothing is known.
func (c *schemaCheck) comparedInstead(operator string, field fact, constant ast.Node) string {
	write := written(c.extents(), constant)
	text, isText := constant.(*ast.StringNode)
	// a field of an item of a list has no text of its own
	if write == "" || strings.Contains(field.path, "[*]") && field.path[0] != '[' {
		return c.ofItem(field)
	}
	of := func(name string) string { return field.path + named(name) }
	switch {
	case field.kind() != "object" && field.kind() != "array", !isText && mismatch.LiteralKind(constant) != "boolean":
		return ""
	case strings.HasPrefix(field.path, "condition("):
		if value, ok := constant.(*ast.BoolNode); ok {
			status := map[bool]string{true: "True", false: "False"}[value.Value]
			write = strconv.Quote(status)
		}
		return "; write " + of("status") + " " + operator + " " + write
	case !isText:
		return ""
	case field.is("array"):
		item := itemOf(field, "")
		switch {
		case item.is("string") && operator == "==":
			return "; write " + write + " in " + field.path
		case item.is("string"):
			return "; write " + write + " not in " + field.path
		case fact{schema: fieldOf(item.schema, "name")}.is("string") && operator == "==":
			return "; write any(" + field.path + ", .name == " + write + ")"
		}
	case fact{schema: fieldOf(field.schema, "name")}.is("string"):
		return "; write " + of("name") + " " + operator + " " + write
	case fact{schema: fieldOf(field.schema, "reason")}.is("string") && fieldOf(field.schema, "status") == nil:
		return "; write " + of("reason") + " " + operator + " " + write
	case fact{schema: fieldOf(field.schema, "phase")}.is("string"):
		return "; write " + of("phase") + " " + operator + " " + write
	case fact{schema: fieldOf(field.schema, "type")}.is("string"):
		return "; write " + of("type") + " " + operator + " " + write
	case strings.HasSuffix(field.path, ".metadata.labels"), strings.HasSuffix(field.path, ".metadata.annotations"):
		key, value, ok := strings.Cut(text.Value, "=")
		if !ok || key == "" {
			return "; name one of them, as in " + field.path + `["app"] ` + operator + " " + write
		}
		return "; write " + field.path + named(key) + " " + operator + " " +
			strconv.Quote(strings.TrimPrefix(value, "="))
	}
	return ""
}

// ofItem returns the hint for an item, within any(…) and the like.
func (c *schemaCheck) ofItem(field fact) string {
	for _, name := range []string{"name", "reason"} {
		if field.is("object") && fieldOf(field.schema, name) != nil {
			return "; name a field of it, such as ." + name
		}
	}
	return ""
}
