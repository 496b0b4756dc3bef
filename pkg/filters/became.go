package filters

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/ast"
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
	if in.looks++; in.looks > 10*maxVisits {
		in.visits = maxVisits
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
	return slices.ContainsFunc(children(n), func(child ast.Node) bool {
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
		if slices.Contains(ofEvents, n.Value) {
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
	for _, child := range children(n) {
		if err := in.condition(child, depth); err != nil {
			return err
		}
	}
	return nil
}

// became makes two conditions of one: true of object and not of old.
func (r *rewriter) became(n *ast.CallNode) ast.Node {
	r.filter.asksBecame = true
	condition := n.Arguments[0]
	before := cloned(condition)
	now := r.truth(condition)
	r.root = rootOld
	before = r.truth(before)
	r.root = rootObject
	not := &ast.UnaryNode{Operator: "not", Node: before}
	and := &ast.BinaryNode{Operator: "&&", Left: call(n, "@hasOld"), Right: now}
	both := &ast.BinaryNode{Operator: "&&", Left: and, Right: not}
	for _, node := range []ast.Node{not, and, both} {
		node.SetLocation(n.Location())
	}
	return both
}

// cloned copies a tree, so that the copy can be rewritten in another way.
func cloned(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.UnaryNode:
		c := *n
		c.Node = cloned(n.Node)
		return &c
	case *ast.BinaryNode:
		c := *n
		c.Left, c.Right = cloned(n.Left), cloned(n.Right)
		return &c
	case *ast.ChainNode:
		c := *n
		c.Node = cloned(n.Node)
		return &c
	case *ast.MemberNode:
		c := *n
		c.Node, c.Property = cloned(n.Node), cloned(n.Property)
		return &c
	case *ast.SliceNode:
		c := *n
		c.Node, c.From, c.To = cloned(n.Node), cloned(n.From), cloned(n.To)
		return &c
	case *ast.CallNode:
		c := *n
		c.Callee, c.Arguments = cloned(n.Callee), clonedAll(n.Arguments)
		return &c
	case *ast.BuiltinNode:
		c := *n
		c.Arguments = clonedAll(n.Arguments)
		return &c
	case *ast.PredicateNode:
		c := *n
		c.Node = cloned(n.Node)
		return &c
	case *ast.VariableDeclaratorNode:
		c := *n
		c.Value, c.Expr = cloned(n.Value), cloned(n.Expr)
		return &c
	case *ast.SequenceNode:
		c := *n
		c.Nodes = clonedAll(n.Nodes)
		return &c
	case *ast.ConditionalNode:
		c := *n
		c.Cond, c.Exp1, c.Exp2 = cloned(n.Cond), cloned(n.Exp1), cloned(n.Exp2)
		return &c
	case *ast.ArrayNode:
		c := *n
		c.Nodes = clonedAll(n.Nodes)
		return &c
	case *ast.MapNode:
		c := *n
		c.Pairs = clonedAll(n.Pairs)
		return &c
	case *ast.PairNode:
		c := *n
		c.Key, c.Value = cloned(n.Key), cloned(n.Value)
		return &c
	case *ast.PointerNode: // of which every one is a place of its own
		c := *n
		return &c
	case *ast.IdentifierNode:
		c := *n
		return &c
	}
	return n // a constant, or nil
}

func clonedAll(nodes []ast.Node) []ast.Node {
	all := make([]ast.Node, len(nodes))
	for i, n := range nodes {
		all[i] = cloned(n)
	}
	return all
}
