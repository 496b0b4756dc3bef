package eval

import (
	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// withConstants returns an operation in which the constants next to a quantity, a duration
// and so on are replaced by their values.
func withConstants(n *ast.BinaryNode) *ast.BinaryNode {
	read := map[ast.Node]ast.Node{}
	for _, o := range lang.ConstantOperands(n) {
		if text, ok := o.Node.(*ast.StringNode); ok {
			read[o.Node] = constant(o.Node, values.Readers[o.Reader].Parse(text.Value))
		}
	}
	if len(read) == 0 {
		return n
	}
	replaced := func(n ast.Node) ast.Node {
		if value, ok := read[n]; ok {
			return value
		}
		return n
	}
	known := *n
	known.Left, known.Right = replaced(n.Left), replaced(n.Right)
	if list, ok := n.Right.(*ast.ArrayNode); ok {
		items := *list
		items.Nodes = make([]ast.Node, len(list.Nodes))
		for i, item := range list.Nodes {
			items.Nodes[i] = replaced(item)
		}
		known.Right = &items
	}
	return &known
}
