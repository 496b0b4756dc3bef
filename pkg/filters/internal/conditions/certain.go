package conditions

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/condition"
)

// certain reports whether evaluating a node never fails, for any object whose labels are
// texts. False means unknown.
func (t *translator) certain(n ast.Node) bool {
	if t.looks++; t.looks > lang.MaxVisits {
		return false
	}
	switch n := n.(type) {
	case *ast.BoolNode:
		return true
	case *ast.UnaryNode:
		return (n.Operator == "not" || n.Operator == "!") && t.certain(n.Node)
	case *ast.BinaryNode:
		return t.certainBinary(n)
	case *ast.IdentifierNode:
		value := t.known(n)
		return value != n && t.certain(value)
	case *ast.VariableDeclaratorNode:
		certain := t.isPlain(n.Value) || t.certain(n.Value)
		t.with(n, func() { certain = certain && t.certain(n.Expr) })
		return certain
	case *ast.CallNode:
		callee, ok := n.Callee.(*ast.IdentifierNode)
		return ok && callee.Value == "changed"
	}
	return false
}

func (t *translator) certainBinary(n *ast.BinaryNode) bool {
	n = lang.Copy(n, t.known)
	switch n.Operator {
	case "&&", "and", "||", "or":
		return t.certain(n.Left) && t.certain(n.Right)
	case "==", "!=":
		return t.isPlain(n.Left) && t.isPlain(n.Right)
	case "in":
		if list, ok := n.Right.(*ast.ArrayNode); ok {
			return t.isPlain(n.Left) && !slices.ContainsFunc(list.Nodes, func(item ast.Node) bool {
				return !t.isPlain(item)
			})
		}
		s, ok := t.subject(n.Right)
		return ok && s.what.Key == "metadata.labels" && t.isPlain(n.Left)
	case "startsWith", "endsWith", "contains", "<", "<=", ">", ">=":
		return t.isText(n.Left) && t.isText(n.Right)
	case "matches":
		_, ok := n.Right.(*ast.StringNode)
		return ok && t.isText(n.Left)
	}
	return false
}

// isPlain reports whether a node is a constant or read from the object, so that it can be
// compared without failing.
func (t *translator) isPlain(n ast.Node) bool {
	if _, ok := constantsOf(n); ok || lang.IsOp(n) {
		return true
	}
	if _, ok := n.(*ast.NilNode); ok {
		return true
	}
	_, ok := t.subject(n)
	return ok
}

// isText reports whether a node is a text, or nil.
func (t *translator) isText(n ast.Node) bool {
	if _, ok := n.(*ast.StringNode); ok || lang.IsOp(n) {
		return true
	}
	s, ok := t.subject(n)
	return ok && s.key == "" && s.what.Of <= condition.OfLabel
}
