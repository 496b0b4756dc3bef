package conditions

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/condition"
)

// A variable is replaced by its value: both read the same event. No variable can have the name of
// another name around it, such as object, op or label.

// declaration returns the conditions for an expression with a variable.
func (t *translator) declaration(n *ast.VariableDeclaratorNode, want bool) condition.Set {
	var c condition.Set
	t.with(n, func() { c = t.of(n.Expr, want) })
	if t.isPlain(n.Value) {
		return c
	}
	c.Complete = false // the value may fail
	return t.after(n.Value, c)
}

// with calls do while a variable is known.
func (t *translator) with(n *ast.VariableDeclaratorNode, do func()) {
	if t.variables == nil {
		t.variables = map[string]ast.Node{}
	}
	t.variables[n.Name] = n.Value
	do()
	delete(t.variables, n.Name)
}

// known returns the value of a variable, and any other node itself.
func (t *translator) known(n ast.Node) ast.Node {
	for {
		name, ok := n.(*ast.IdentifierNode)
		if !ok || t.variables[name.Value] == nil {
			return n
		}
		n = t.variables[name.Value]
	}
}

// steps returns the constant steps after a node, those in the values of variables included.
func (t *translator) steps(n ast.Node) (base ast.Node, keys []any) {
	base, keys = lang.ConstantSteps(n)
	for value := t.known(base); value != base; value = t.known(base) {
		var before []any
		base, before = lang.ConstantSteps(value)
		keys = slices.Concat(before, keys)
	}
	return base, keys
}
