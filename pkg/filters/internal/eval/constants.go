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
	value := func(n ast.Node) ast.Node {
		if value, ok := read[n]; ok {
			return value
		}
		return n
	}
	return lang.Copy(n, func(operand ast.Node) ast.Node {
		if list, ok := operand.(*ast.ArrayNode); ok {
			return lang.Copy(list, value)
		}
		return value(operand)
	})
}
