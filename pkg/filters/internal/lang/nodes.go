package lang

import (
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Children returns the nodes directly below n.
func Children(n ast.Node) []ast.Node {
	var c []ast.Node
	switch n := n.(type) {
	case *ast.UnaryNode:
		c = []ast.Node{n.Node}
	case *ast.BinaryNode:
		c = []ast.Node{n.Left, n.Right}
	case *ast.ChainNode:
		c = []ast.Node{n.Node}
	case *ast.MemberNode:
		c = []ast.Node{n.Node, n.Property}
	case *ast.SliceNode:
		c = []ast.Node{n.Node, n.From, n.To}
	case *ast.CallNode:
		c = append([]ast.Node{n.Callee}, n.Arguments...)
	case *ast.BuiltinNode:
		c = n.Arguments
	case *ast.PredicateNode:
		c = []ast.Node{n.Node}
	case *ast.VariableDeclaratorNode:
		c = []ast.Node{n.Value, n.Expr}
	case *ast.SequenceNode:
		c = n.Nodes
	case *ast.ConditionalNode:
		c = []ast.Node{n.Cond, n.Exp1, n.Exp2}
	case *ast.ArrayNode:
		c = n.Nodes
	case *ast.MapNode:
		c = n.Pairs
	case *ast.PairNode:
		c = []ast.Node{n.Key, n.Value}
	}
	return slices.DeleteFunc(slices.Clone(c), func(n ast.Node) bool { return n == nil })
}

// ConstantSteps returns the constant keys at the end of a row of members, first key first,
// and the node before them.
func ConstantSteps(n ast.Node) (base ast.Node, keys []any) {
	switch m := n.(type) {
	case *ast.ChainNode:
		return ConstantSteps(m.Node)
	case *ast.MemberNode:
		switch property := m.Property.(type) {
		case *ast.StringNode:
			base, keys = ConstantSteps(m.Node)
			return base, append(keys, property.Value)
		case *ast.IntegerNode:
			if property.Value >= 0 && property.Value < math.MaxInt32 {
				base, keys = ConstantSteps(m.Node)
				return base, append(keys, property.Value)
			}
		}
	}
	return n, nil
}

// PathOf returns the path of a row of names and indexes.
func PathOf(keys []any) (path object.Path) {
	for _, key := range keys {
		switch key := key.(type) {
		case string:
			path = path.Key(key)
		case int:
			path = path.Index(key)
		}
	}
	return path
}

// FirstText returns the first argument of a call if it is a constant text.
func FirstText(n *ast.CallNode) (*ast.StringNode, bool) {
	if len(n.Arguments) == 0 {
		return nil, false
	}
	text, ok := n.Arguments[0].(*ast.StringNode)
	return text, ok
}

// IsOp reports whether a node is the variable op.
func IsOp(n ast.Node) bool {
	id, ok := n.(*ast.IdentifierNode)
	return ok && id.Value == "op"
}

// IsName reports whether a node is the variable of that name.
func IsName(n ast.Node, name string) bool {
	id, ok := n.(*ast.IdentifierNode)
	return ok && id.Value == name
}

// IsAnd reports whether an operation is && or and.
func IsAnd(n *ast.BinaryNode) bool { return n.Operator == "&&" || n.Operator == "and" }

// IsOr reports whether an operation is || or or.
func IsOr(n *ast.BinaryNode) bool { return n.Operator == "||" || n.Operator == "or" }
