package filters

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

var onlyUpdates = event.OpSet(0).With(event.Update)

// call is for calls of our own functions that are true or false; it is false for others.
func (t *conditioner) call(n *ast.CallNode, want bool) (c Conditions, ok bool) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return anything, true
	}
	switch callee.Value {
	case "changed":
		if want {
			return changes(n), true
		}
	case "became":
		if want && len(n.Arguments) == 1 {
			return t.became(n.Arguments[0]), true
		}
	case "glob":
		return t.glob(n, want), true
	default:
		return anything, false
	}
	return anything, true
}

// changes is for changed, which is true of updates in which one of the fields differs.
func changes(n *ast.CallNode) Conditions {
	c := Conditions{Ops: onlyUpdates}
	var either [][]condition.Condition
	for _, arg := range n.Arguments {
		text, ok := arg.(*ast.StringNode)
		if !ok {
			return c
		}
		path, err := object.CompilePath(text.Value)
		if err != nil {
			return c
		}
		either = append(either,
			[]condition.Condition{{Of: condition.OfField, Key: path.String(),
				Test: condition.Differs}})
	}
	switch len(either) {
	case 0:
	case 1:
		c.Object = either[0]
	default:
		c.Object = []condition.Condition{{Of: condition.OfAlternatives, Either: either}}
	}
	return c
}

// became is true of updates after which the condition is true of the object, and was not of the old
// one.
func (t *conditioner) became(n ast.Node) Conditions {
	is, wasNot := t.of(n, true), t.of(n, false)
	if t.inItem {
		wasNot = anything
	}
	return Conditions{Ops: is.Ops & wasNot.Ops & onlyUpdates,
		Object: slices.Concat(is.Object, asOld(wasNot.Object))}
}

// builtin is for expr's functions that are true or false.
func (t *conditioner) builtin(n *ast.BuiltinNode, want bool) Conditions {
	if test, ok := textTests[n.Name]; ok && len(n.Arguments) == 2 {
		if text, ok := n.Arguments[1].(*ast.StringNode); ok {
			return t.asks(n.Arguments[0],
				condition.Condition{Test: test, Values: []string{text.Value}}, want)
		}
		return anything
	}
	test, of := condition.Any, want // that of an item's predicate
	switch n.Name {
	case "any":
	case "all":
		test = condition.Every
	case "none":
		test, of = condition.Every, !want
	default:
		return anything
	}
	if !want { // not any is none, not all is any that is not, not none is any
		test = condition.Any + condition.Every - test
	}
	if len(n.Arguments) != 2 || t.inItem {
		return anything
	}
	list, ok := t.subject(n.Arguments[0])
	body, isPredicate := n.Arguments[1].(*ast.PredicateNode)
	if !ok || !isPredicate || list.find != nil || list.what.Of != condition.OfField {
		return anything
	}
	if test == condition.Every && t.strict && !t.certain(body.Node) {
		return anything // an item before the one that is asked about may fail
	}
	t.inItem = true
	item := t.of(body.Node, of)
	t.inItem = false
	question := condition.Condition{Test: test, Items: item.Object}
	if item.Ops != allOps {
		question.Items = append([]condition.Condition{{Of: condition.OfOp, Ops: item.Ops}},
			question.Items...)
	}
	if len(question.Items) == 0 {
		return anything
	}
	return list.ask(question, false)
}
