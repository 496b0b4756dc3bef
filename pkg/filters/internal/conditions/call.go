package conditions

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

var onlyUpdates = event.OpSet(0).With(event.Update)

// call returns the conditions for a call of one of informerd's own functions.
func (t *translator) call(n *ast.CallNode, want bool) condition.Set {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return condition.Anything
	}
	switch callee.Value {
	case "changed":
		if want {
			return changes(n)
		}
	case "became":
		if want && len(n.Arguments) == 1 {
			return t.became(n.Arguments[0])
		}
	case "glob":
		return t.glob(n, want)
	default:
		return t.truth(n, want)
	}
	return condition.Anything
}

// changes returns the conditions for changed, which is true of updates in which one of the
// fields differs.
func changes(n *ast.CallNode) (c condition.Set) {
	for _, arg := range n.Arguments {
		text, ok := arg.(*ast.StringNode)
		if !ok {
			return condition.Set{Ops: onlyUpdates}
		}
		path, err := object.CompilePath(text.Value)
		if err != nil {
			return condition.Set{Ops: onlyUpdates}
		}
		c = condition.Or(c, condition.Set{Ops: onlyUpdates, List: []condition.Condition{
			{Of: condition.OfField, Key: path.String(), Test: condition.Differs}}})
	}
	return c
}

// became returns the conditions for became: the condition is true of the object, and was not
// of the old one.
func (t *translator) became(n ast.Node) condition.Set {
	is, wasNot := t.of(n, true), t.of(n, false)
	if t.inItem {
		wasNot = condition.Anything
	}
	return condition.Set{Ops: is.Ops & wasNot.Ops & onlyUpdates,
		List: slices.Concat(is.List, condition.AsOld(wasNot.List))}
}

// builtin returns the conditions for functions of expr that return true or false.
func (t *translator) builtin(n *ast.BuiltinNode, want bool) condition.Set {
	if test, ok := textTests[n.Name]; ok && len(n.Arguments) == 2 {
		if text, ok := n.Arguments[1].(*ast.StringNode); ok {
			return t.asks(n.Arguments[0],
				condition.Condition{Test: test, Values: []string{text.Value}}, want)
		}
		return condition.Anything
	}
	test, of := condition.Any, want // the answer that the predicate must have
	switch n.Name {
	case "any":
	case "all":
		test = condition.Every
	case "none":
		test, of = condition.Every, !want
	default:
		return condition.Anything
	}
	if !want { // not any is none, not all is any that is false, not none is any
		test = condition.Any + condition.Every - test
	}
	if len(n.Arguments) != 2 || t.inItem {
		return condition.Anything
	}
	list, ok := t.subject(n.Arguments[0])
	body, isPredicate := n.Arguments[1].(*ast.PredicateNode)
	if !ok || !isPredicate || list.key != "" || list.what.Of != condition.OfField {
		return condition.Anything
	}
	if test == condition.Every && t.strict && !t.certain(body.Node) {
		return condition.Anything // an earlier item may fail
	}
	t.inItem = true
	item := t.of(body.Node, of)
	t.inItem = false
	question := condition.Condition{Test: test, Items: item.List}
	if item.Ops != condition.EveryOp {
		question.Items = append([]condition.Condition{{Of: condition.OfOp, Ops: item.Ops}},
			question.Items...)
	}
	if len(question.Items) == 0 {
		return condition.Anything
	}
	return list.ask(question, false)
}
