package check

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// declare notes whether a variable has a value of the object.
func (in *inspector) declare(n *ast.VariableDeclaratorNode) {
	if in.ofObject == nil {
		in.ofObject = map[string]bool{}
	}
	in.ofObject[n.Name] = in.readsObject(n.Value, 0)
}

// exhausted reports whether nodes were visited too often, and makes inspect refuse the
// expression: nested a ?: b doubles the visits.
func (in *inspector) exhausted() bool {
	if in.looks++; in.looks > 10*lang.MaxVisits {
		in.visits = lang.MaxVisits
		return true
	}
	return false
}

// readsObject reports whether a value depends on the object, or on an item of a list around
// it.
func (in *inspector) readsObject(n ast.Node, depth int) bool {
	if in.exhausted() {
		return true
	}
	switch n := n.(type) {
	case *ast.IdentifierNode:
		switch n.Value {
		case "object", "old", "label", "annotation", "owner", "condition", "age":
			return true
		}
		return in.ofObject[n.Value]
	case *ast.PointerNode:
		return depth == 0
	case *ast.PredicateNode:
		depth++
	}
	return slices.ContainsFunc(lang.Children(n), func(child ast.Node) bool {
		return in.readsObject(child, depth)
	})
}

// became checks the condition of became, which is evaluated twice, with object and with old.
// What is read outside of it would be the same both times.
func (in *inspector) became(condition ast.Node) error {
	outer := in.ofObject
	in.ofObject = maps.Clone(outer)
	defer func() { in.ofObject = outer }()
	return in.condition(condition, 0)
}

func (in *inspector) condition(n ast.Node, depth int) error {
	if in.exhausted() {
		return nil
	}
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if slices.Contains(lang.OfEvents, n.Value) {
			return in.errorf(n,
				"became compares with old itself: its condition looks at object alone and has no %s",
				n.Value)
		}
		if in.ofObject[n.Value] {
			return in.errorf(n,
				"the variable %s would be the same for old: name the field of object in the condition of became", n.Value)
		}
	case *ast.PointerNode:
		if depth == 0 {
			return in.errorf(n,
				"an item of a list has no earlier state: put became around the whole any(…)")
		}
	case *ast.VariableDeclaratorNode:
		if err := in.condition(n.Value, depth); err != nil {
			return err
		}
		delete(in.ofObject, n.Name) // this one is evaluated twice
		return in.condition(n.Expr, depth)
	case *ast.PredicateNode:
		depth++
	}
	for _, child := range lang.Children(n) {
		if err := in.condition(child, depth); err != nil {
			return err
		}
	}
	return nil
}
