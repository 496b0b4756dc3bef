package check

import (
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// comparisons are the operators that compare two values.
var comparisons = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true,
	">=": true}

// compare warns about a comparison of a field with a constant that it can never equal, or be
// ordered with.
func (c *schemaCheck) compare(operator string, field fact, constant ast.Node) {
	want, got := field.kind(), of(literalType(constant)).kind()
	if field.path == "" || got == "" {
		return
	}
	equality := operator == "==" || operator == "!="
	text, isText := constant.(*ast.StringNode)
	switch {
	case got == "number" && isAmount(field.path) && want == "":
		c.warnf(constant, `%s is an amount such as "500m" or "1Gi"; write quantity(…)`, field.path)
	case isText && !equality && want != "number" && hasUnit(text.Value):
		c.warnf(constant,
			"%s is compared with %q letter by letter; write quantity(…), duration(…) or age(…)",
			field.path, text.Value)
	case isText && equality && want == "string":
		c.enum(field, text)
	case want != "" && want != got:
		relation, hint := "cannot be ordered with", otherLiteral(field, constant)
		switch {
		case operator == "==":
			relation = "never equals"
		case operator == "!=":
			relation = "always differs from"
		case want == "string" && got == "number": // two texts are ordered by their letters
			hint = "; write int(…)"
		}
		c.warnf(constant, "%s is %s, so it %s %s%s", field.path, field.word(), relation,
			typeWord(got), hint)
	}
}

// enum warns about a comparison of a field, or a variable, with a text that it never is.
func (c *schemaCheck) enum(field fact, text *ast.StringNode) {
	known := field.schema.Enum
	switch {
	case known == nil || text.Value == "" || slices.Contains(known, text.Value):
	case len(known) == 0:
		c.warnf(text, "%s is always nil here", field.path)
	default:
		c.warnf(text, "%s is never %q%s", field.path, text.Value,
			oneOf(text.Value, known))
	}
}

// otherLiteral returns the hint that proposes the constant with the type of a field.
func otherLiteral(field fact, constant ast.Node) string {
	write := ""
	switch n := constant.(type) {
	case *ast.StringNode:
		_, err := strconv.ParseFloat(n.Value, 64)
		isBool := n.Value == "true" || n.Value == "false"
		if field.is("number") && err == nil || field.is("boolean") && isBool {
			write = n.Value
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		if write = strconv.Quote(n.String()); !field.is("string") {
			return ""
		}
	}
	if write == "" {
		return ""
	}
	return "; did you mean " + write + "?"
}

// literalType returns the type of a constant, "" if the node is none.
func literalType(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return "string"
	case *ast.IntegerNode:
		return "integer"
	case *ast.FloatNode:
		return "number"
	case *ast.BoolNode:
		return "boolean"
	case *ast.ArrayNode:
		return "array"
	case *ast.MapNode:
		return "object"
	case *ast.UnaryNode:
		if n.Operator == "-" || n.Operator == "+" {
			return literalType(n.Node)
		}
	}
	return ""
}

// isAmount reports whether a field has quantities, of which schemas say nothing: they may be texts
// or numbers. The API has them in maps of these names.
func isAmount(path string) bool {
	of, _, quoted := strings.Cut(path, `["`)
	if !quoted {
		of = path[:max(0, strings.LastIndexByte(path, '.'))]
	}
	name := of[strings.LastIndexByte(of, '.')+1:]
	return slices.Contains([]string{"limits", "requests", "capacity", "allocatable", "hard"}, name)
}

// hasUnit reports whether a text is an amount with a unit, such as "4Gi" or "1h30m".
func hasUnit(text string) bool {
	if text == "" || text[0] < '0' || text[0] > '9' || strings.Trim(text, "0123456789.") == "" {
		return false
	}
	return values.ParseQuantity(text) != nil ||
		values.Readers[values.Durations].Parse(text) != nil
}
