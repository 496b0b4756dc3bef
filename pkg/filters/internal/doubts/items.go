package doubts

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// withoutItem warns about a condition on items that says nothing about them, but names a variable
// that has the name of a field: any(list, name == "web") in an output.
func (f *finder) withoutItem(n *ast.BuiltinNode) {
	if len(n.Arguments) != 2 || !f.Kind.SeesMessages() {
		return
	}
	condition, ok := n.Arguments[1].(*ast.PredicateNode)
	if !ok {
		return
	}
	var named *ast.IdentifierNode
	looks := false
	var visit func(ast.Node)
	visit = func(n ast.Node) {
		switch n := n.(type) {
		case *ast.PointerNode, *ast.CallNode, *ast.BuiltinNode:
			looks = true
		case *ast.IdentifierNode:
			if slices.Contains(lang.MessageTexts, n.Value) && named == nil {
				named = n
			}
		}
		for _, child := range nodes.Children(n) {
			visit(child)
		}
	}
	visit(condition.Node)
	if named != nil && !looks {
		f.doubt(named, named, "."+named.Value,
			"this is the variable %s, and the condition says nothing about the items", named.Value)
	}
}
