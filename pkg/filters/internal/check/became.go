package check

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// declare notes whether a variable stands for something of the object.
func (in *inspector) declare(n *ast.VariableDeclaratorNode) {
	if in.ofObject == nil {
		in.ofObject = map[string]bool{}
	}
	in.ofObject[n.Name] = in.readsObject(n.Value, 0)
}

// enough tells that nodes were looked at too often, and lets inspect refuse the expression: nested
// a ?: b doubles what there is to look at.
func (in *inspector) enough() bool {
	if in.looks++; in.looks > 10*lang.MaxVisits {
		in.visits = lang.MaxVisits
		return true
	}
	return false
}

// readsObject tells whether a value depends on the object, or on an item of a list that stands
// around it.
func (in *inspector) readsObject(n ast.Node, depth int) bool {
	if in.enough() {
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
	return slices.ContainsFunc(nodes.Children(n), func(child ast.Node) bool {
		return in.readsObject(child, depth)
	})
}

// became looks at the condition of became, which is read twice, with object and with old in its
// place. What is read outside of it would be the same both times.
func (in *inspector) became(condition ast.Node) error {
	outer := in.ofObject
	in.ofObject = maps.Clone(outer)
	defer func() { in.ofObject = outer }()
	return in.condition(condition, 0)
}

func (in *inspector) condition(n ast.Node, depth int) error {
	if in.enough() {
		return nil
	}
	switch n := n.(type) {
	case *ast.IdentifierNode:
		if slices.Contains(lang.OfEvents, n.Value) {
			return in.errorf(n,
				"became looks at old by itself: its condition is about object alone and has no %s",
				n.Value)
		}
		if in.ofObject[n.Value] {
			return in.errorf(n,
				"the variable %s has the same value for old: write in the condition of became which field of object it is", n.Value)
		}
	case *ast.PointerNode:
		if depth == 0 {
			return in.errorf(n,
				"an item of a list has no state before: write became around the whole any(…) or its like")
		}
	case *ast.VariableDeclaratorNode:
		if err := in.condition(n.Value, depth); err != nil {
			return err
		}
		delete(in.ofObject, n.Name) // this one is read twice
		return in.condition(n.Expr, depth)
	case *ast.PredicateNode:
		depth++
	}
	for _, child := range nodes.Children(n) {
		if err := in.condition(child, depth); err != nil {
			return err
		}
	}
	return nil
}
