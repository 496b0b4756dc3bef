package mismatch

import (
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"
)

// LiteralKind returns the kind of a constant, "" for any other node and for nil.
func LiteralKind(n ast.Node) string {
	switch n := n.(type) {
	case *ast.StringNode:
		return "string"
	case *ast.IntegerNode, *ast.FloatNode:
		return "number"
	case *ast.BoolNode:
		return "boolean"
	case *ast.ArrayNode:
		return "array"
	case *ast.MapNode:
		return "object"
	case *ast.UnaryNode:
		if LiteralKind(n.Node) == "number" {
			return "number"
		}
	}
	return ""
}

// Meant returns the hint that proposes the same constant as the wanted type. A number keeps the
// text that it is written as: 1.10 is another version than 1.1.
func Meant(want string, integer bool, n ast.Node, written string) string {
	text := ""
	switch n := n.(type) {
	case *ast.StringNode:
		_, err := strconv.Atoi(n.Value)
		if err != nil && !integer {
			_, err = strconv.ParseFloat(n.Value, 64)
		}
		if want == "number" && err == nil || want == "boolean" &&
			(n.Value == "true" || n.Value == "false") {
			text = n.Value
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.UnaryNode:
		if want == "string" && LiteralKind(n) != "" {
			text = strconv.Quote(strings.ReplaceAll(written, " ", ""))
		}
	}
	if text == "" {
		return ""
	}
	return "; did you mean " + text + "?"
}
