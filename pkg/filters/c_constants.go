package filters

import "github.com/expr-lang/expr/ast"

// withConstants returns an operation with the values of those constants that a reader reads, beside
// a quantity, a duration and so on.
func withConstants(n *ast.BinaryNode) *ast.BinaryNode {
	read := map[ast.Node]ast.Node{}
	for _, o := range constantOperands(n) {
		if text, ok := o.Node.(*ast.StringNode); ok {
			read[o.Node] = constant(o.Node, readers[o.Reader].parse(text.Value))
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
