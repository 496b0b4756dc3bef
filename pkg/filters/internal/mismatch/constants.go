package mismatch

import (
	"strconv"

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

// Meant returns the hint that proposes the same constant as the wanted type.
func Meant(want string, integer bool, n ast.Node) string {
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
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		if want == "string" {
			text = strconv.Quote(n.String())
		}
	}
	if text == "" {
		return ""
	}
	return "; did you mean " + text + "?"
}
