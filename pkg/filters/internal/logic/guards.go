package logic

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// Guards remembers which nodes are guards. The zero value is ready for use.
type Guards struct{ known map[ast.Node]bool }

// Is reports whether a node is surely not true of an event without an old object, whatever its op
// is: the other side of an && decides nothing then.
func (g *Guards) Is(n ast.Node) (guard bool) {
	if known, ok := g.known[n]; ok {
		return known
	}
	if g.known == nil {
		g.known = map[ast.Node]bool{}
	}
	defer func() { g.known[n] = guard }()
	switch n := n.(type) {
	case *ast.CallNode:
		return nodes.IsName(n.Callee, "changed") || nodes.IsName(n.Callee, "became")
	case *ast.MemberNode, *ast.ChainNode:
		return ofOld(n)
	case *ast.BuiltinNode:
		return n.Name == "any" && len(n.Arguments) > 0 && ofOld(n.Arguments[0])
	case *ast.BinaryNode:
		switch {
		case nodes.IsAnd(n):
			return g.Is(n.Left) || g.Is(n.Right)
		case nodes.IsOr(n):
			return g.Is(n.Left) && g.Is(n.Right)
		case n.Operator == "==":
			return ofOld(n.Left) && isValue(n.Right) || ofOld(n.Right) && isValue(n.Left)
		case n.Operator == "!=":
			return ofOld(n.Left) && isNil(n.Right) || ofOld(n.Right) && isNil(n.Left)
		case n.Operator == "in":
			list, ok := n.Right.(*ast.ArrayNode)
			return ok && ofOld(n.Left) && !slices.ContainsFunc(list.Nodes, func(n ast.Node) bool {
				return !isValue(n)
			})
		}
	}
	return false
}

// ofOld reports whether a node reads a field of old.
func ofOld(n ast.Node) bool {
	base, keys := nodes.ConstantSteps(n)
	return nodes.IsName(base, "old") && len(keys) > 0
}

// isValue reports whether a node is a constant other than nil.
func isValue(n ast.Node) bool {
	switch n.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return true
	}
	return false
}

func isNil(n ast.Node) bool {
	_, is := n.(*ast.NilNode)
	return is
}

// AsksForOld reports whether the expression compares old itself somewhere, so that its
// author knows that it can be nil.
func AsksForOld(n ast.Node) bool {
	if binary, ok := n.(*ast.BinaryNode); ok &&
		(nodes.IsName(binary.Left, "old") || nodes.IsName(binary.Right, "old")) {
		return true
	}
	for _, child := range nodes.Children(n) {
		if AsksForOld(child) {
			return true
		}
	}
	return false
}
