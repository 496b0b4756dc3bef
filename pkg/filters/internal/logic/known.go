package logic

import (
	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// Known returns whether a node is true if variables have these values, each a text, a bool or nil.
// It is not decided if that depends on anything else.
func Known(n ast.Node, variables map[string]any) (value, decided bool) {
	switch n := n.(type) {
	case *ast.BoolNode:
		return n.Value, true
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			value, decided = Known(n.Node, variables)
			return !value && decided, decided
		}
	case *ast.IdentifierNode:
		if v, ok := variables[n.Value].(bool); ok {
			return v, true
		}
	case *ast.BinaryNode:
		return knownOperation(n, variables)
	}
	return false, false
}

func knownOperation(n *ast.BinaryNode, variables map[string]any) (value, decided bool) {
	if and := nodes.IsAnd(n); and || nodes.IsOr(n) {
		left, ok1 := Known(n.Left, variables)
		right, ok2 := Known(n.Right, variables)
		// One operand is enough that makes the whole false, or true, whatever the other is.
		if ok1 && left != and || ok2 && right != and {
			return !and, true
		}
		return and && ok1 && ok2, ok1 && ok2
	}
	left, ok1 := knownValue(n.Left, variables)
	switch n.Operator {
	case "==", "!=":
		right, ok2 := knownValue(n.Right, variables)
		return ok1 && ok2 && (left == right) == (n.Operator == "=="), ok1 && ok2
	case "in":
		list, isList := n.Right.(*ast.ArrayNode)
		if !ok1 || !isList {
			return false, false
		}
		for _, item := range list.Nodes {
			is, ok := knownValue(item, variables)
			if !ok {
				return false, false
			}
			value = value || left != nil && is == left // nil is in no list
		}
		return value, true
	}
	return false, false
}

func knownValue(n ast.Node, variables map[string]any) (value any, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.BoolNode:
		return n.Value, true
	case *ast.NilNode:
		return nil, true
	case *ast.IdentifierNode:
		value, ok = variables[n.Value]
	}
	return value, ok
}
