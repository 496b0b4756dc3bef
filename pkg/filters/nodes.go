package filters

import (
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/informer/object"
)

// children gives the nodes directly below n.
func children(n ast.Node) []ast.Node {
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

// constantSteps gives the constant keys at the end of a row of members, first key first, and what
// stands before them.
func constantSteps(n ast.Node) (base ast.Node, keys []any) {
	switch m := n.(type) {
	case *ast.ChainNode:
		return constantSteps(m.Node)
	case *ast.MemberNode:
		switch property := m.Property.(type) {
		case *ast.StringNode:
			base, keys = constantSteps(m.Node)
			return base, append(keys, property.Value)
		case *ast.IntegerNode:
			if property.Value >= 0 && property.Value < math.MaxInt32 {
				base, keys = constantSteps(m.Node)
				return base, append(keys, property.Value)
			}
		}
	}
	return n, nil
}

// pathOf makes a path of names and indexes.
func pathOf(keys []any) (path object.Path) {
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

// firstText returns the first argument of a call if it is a constant text.
func firstText(n *ast.CallNode) (*ast.StringNode, bool) {
	if len(n.Arguments) == 0 {
		return nil, false
	}
	text, ok := n.Arguments[0].(*ast.StringNode)
	return text, ok
}

func isOp(n ast.Node) bool {
	id, ok := n.(*ast.IdentifierNode)
	return ok && id.Value == "op"
}

func isName(n ast.Node, name string) bool {
	id, ok := n.(*ast.IdentifierNode)
	return ok && id.Value == name
}

func isAnd(n *ast.BinaryNode) bool { return n.Operator == "&&" || n.Operator == "and" }

func isOr(n *ast.BinaryNode) bool { return n.Operator == "||" || n.Operator == "or" }
