package conditions

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/informer/condition"
)

// A variable is what its value is: both read the same event. No variable can be called object, op
// or label, nor as another one around it.

// declaration is for an expression with a variable.
func (t *conditioner) declaration(n *ast.VariableDeclaratorNode, want bool) condition.Set {
	var c condition.Set
	t.with(n, func() { c = t.of(n.Expr, want) })
	if t.isPlain(n.Value) {
		return c
	}
	c.Complete = false // the value may fail
	return t.after(n.Value, c)
}

// with does something where a variable is known.
func (t *conditioner) with(n *ast.VariableDeclaratorNode, do func()) {
	if t.variables == nil {
		t.variables = map[string]ast.Node{}
	}
	t.variables[n.Name] = n.Value
	do()
	delete(t.variables, n.Name)
}

// known returns the value of a variable, and any other node as it is.
func (t *conditioner) known(n ast.Node) ast.Node {
	for {
		name, ok := n.(*ast.IdentifierNode)
		if !ok || t.variables[name.Value] == nil {
			return n
		}
		n = t.variables[name.Value]
	}
}

// operands returns an operation with the values of variables as its operands.
func (t *conditioner) operands(n *ast.BinaryNode) *ast.BinaryNode {
	left, right := t.known(n.Left), t.known(n.Right)
	if left == n.Left && right == n.Right {
		return n
	}
	known := *n
	known.Left, known.Right = left, right
	return &known
}

// steps returns the constant steps behind a node, those of variables included.
func (t *conditioner) steps(n ast.Node) (base ast.Node, keys []any) {
	base, keys = nodes.ConstantSteps(n)
	for value := t.known(base); value != base; value = t.known(base) {
		var before []any
		base, before = nodes.ConstantSteps(value)
		keys = slices.Concat(before, keys)
	}
	return base, keys
}
