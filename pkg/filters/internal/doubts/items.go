package doubts

import (
	"slices"
	"strings"

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

// allOfOneType warns about a condition on all conditions that says of which type one is: there are
// others, of which it is not true.
func (f *finder) allOfOneType(n *ast.BuiltinNode) {
	if n.Name != "all" || len(n.Arguments) != 2 || !isConditions(n.Arguments[0]) {
		return
	}
	predicate, ok := n.Arguments[1].(*ast.PredicateNode)
	if !ok {
		return
	}
	of := typeNamed(predicate.Node)
	if of == nil {
		return
	}
	write := strings.Replace(f.text(n), "all", "any", 1)
	if !strings.HasPrefix(write, "any") { // it is written list | all(…)
		write = ""
	}
	f.doubt(n, n, write, "this asks whether all conditions are of the type %s, and there are others",
		f.text(of))
}

// typeNamed returns the constant that .type is compared with for all of a condition to be true, nil
// if there is none.
func typeNamed(n ast.Node) ast.Node {
	b, ok := n.(*ast.BinaryNode)
	switch {
	case !ok:
		return nil
	case nodes.IsAnd(b):
		if of := typeNamed(b.Left); of != nil {
			return of
		}
		return typeNamed(b.Right)
	case b.Operator != "==":
		return nil
	}
	for _, sides := range [][2]ast.Node{{b.Left, b.Right}, {b.Right, b.Left}} {
		base, keys := nodes.ConstantSteps(sides[0])
		_, item := base.(*ast.PointerNode)
		if _, text := sides[1].(*ast.StringNode); item && text && len(keys) == 1 && keys[0] == "type" {
			return sides[1]
		}
	}
	return nil
}
