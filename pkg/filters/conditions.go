package filters

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Conditions are what an expression asks of an event that can be answered without evaluating it.
// They are necessary: an event that does not fulfil them does not match. Those that do are to be
// evaluated.
type Conditions struct {
	// Ops are the ops of which an event can match; none if the expression is never true.
	Ops event.OpSet
	// Object are conditions on the object and its old state, all of which must hold. They are the
	// filter's own: do not change them.
	Object []condition.Condition
	// Complete: the expression asks nothing else. An event that fulfils the conditions matches
	// then, unless its object has a label that is not a text, or labels that are not an object,
	// which no API server sends.
	Complete bool
	// Certain: the expression never fails, whatever the object looks like, if its labels are texts.
	Certain bool
}

// Conditions returns what can be asked of an event before it is evaluated.
func (f *Filter) Conditions() Conditions { return f.conditions }

var (
	allOps = event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete).With(
		event.Resync)
	anything = Conditions{Ops: allOps}
)

// maxConditions bounds what an informer asks of each event for one listener: what exceeds it is
// left to the filter.
const maxConditions = 64

// conditioner translates an expression into conditions.
type conditioner struct {
	// looks counts the nodes that were looked at: those of nested ?: are looked at several times.
	looks int
	// inItem: the node is within the predicate of any or its like.
	inItem bool
	// strict: the conditions must hold whenever the node fails, too.
	strict bool
	// variables are the values of those that are declared around the node.
	variables map[string]ast.Node
}

// conditionsOf returns conditions that hold whenever the node, as the user wrote it, is true. A
// select or a deny has to be evaluated when it fails as well, since what is known of the object
// then stays as it was.
func conditionsOf(n ast.Node, kind Kind) Conditions {
	t := conditioner{strict: kind == KindSelect || kind == KindDeny}
	c := t.of(n, true).atMost(maxConditions)
	c.Certain = t.certain(n)
	return c
}

// opsOf returns the ops of events for which the node, as the user wrote it, can be true, or what
// counts as false if want is false.
func opsOf(n ast.Node, want bool) event.OpSet { return (&conditioner{}).of(n, want).Ops }

// of returns conditions that hold whenever the node, as the user wrote it, is true, or what counts
// as false if want is false. A node that fails is neither.
func (t *conditioner) of(n ast.Node, want bool) Conditions {
	if t.looks++; t.looks > maxVisits {
		return anything
	}
	switch n := n.(type) {
	case *ast.BoolNode:
		if n.Value == want {
			return Conditions{Ops: allOps, Complete: true}
		}
		return Conditions{Complete: true}
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			return t.of(n.Node, !want)
		}
	case *ast.BinaryNode:
		return t.binary(n, want)
	case *ast.ConditionalNode:
		first := both(t.of(n.Cond, true), t.after(n.Cond, t.of(n.Exp1, want)))
		return either(first, both(t.of(n.Cond, false), t.after(n.Cond, t.of(n.Exp2, want))))
	case *ast.CallNode:
		if c, ok := t.call(n, want); ok {
			return c
		}
		return t.truth(n, want)
	case *ast.BuiltinNode:
		return t.builtin(n, want)
	case *ast.VariableDeclaratorNode:
		return t.declaration(n, want)
	case *ast.IdentifierNode:
		if value := t.known(n); value != n {
			return t.of(value, want)
		}
	case *ast.MemberNode, *ast.ChainNode:
		return t.truth(n, want)
	}
	return anything
}

func (t *conditioner) binary(n *ast.BinaryNode, want bool) Conditions {
	n = t.operands(n)
	switch n.Operator {
	case "&&", "and", "||", "or":
		a, b := t.of(n.Left, want), t.of(n.Right, want)
		if and := n.Operator == "&&" || n.Operator == "and"; and == want {
			return both(a, t.after(n.Left, b))
		}
		return either(a, b)
	case "==", "!=":
		equal := (n.Operator == "==") == want
		if c, ok := t.equality(n.Left, n.Right, equal); ok {
			return c
		}
		if c, ok := t.equality(n.Right, n.Left, equal); ok {
			return c
		}
		if !equal {
			return t.difference(n)
		}
	case "in":
		return t.membership(n, want)
	case "<", "<=", ">", ">=":
		return t.order(n, want)
	case "startsWith", "endsWith", "contains":
		if text, ok := n.Right.(*ast.StringNode); ok {
			return t.asks(n.Left,
				condition.Condition{Test: textTests[n.Operator], Values: []string{text.Value}},
				want)
		}
	case "matches":
		return t.pattern(n, want)
	}
	return anything
}

// after returns conditions on what is evaluated after another node, which may fail.
func (t *conditioner) after(n ast.Node, c Conditions) Conditions {
	if t.strict && !t.certain(n) {
		return anything
	}
	return c
}

// both returns conditions of which all must hold.
func both(a, b Conditions) Conditions {
	c := Conditions{
		Ops: a.Ops & b.Ops, Object: slices.Concat(a.Object, b.Object), Complete: a.Complete &&
			b.Complete,
	}
	if len(c.Object) > maxConditions {
		return c.atMost(maxConditions)
	}
	return c
}

// either returns conditions for two alternatives: what they have in common, the same thing compared
// with values in both, and that one of them must hold.
func either(a, b Conditions) Conditions {
	c := Conditions{Ops: a.Ops | b.Ops, Complete: a.Complete && b.Complete}
	switch {
	case a.Ops == 0: // never, but it may fail
		c.Object = b.Object
		return c
	case b.Ops == 0:
		c.Object = a.Object
		return c
	}
	for _, x := range a.Object {
		for _, y := range b.Object {
			if compareSame(x, y) {
				c.Object = append(c.Object, inEither(x, y))
				break
			}
		}
	}
	if onlyOps := len(a.Object)+len(b.Object) == 0; onlyOps || len(a.Object) == 1 &&
		len(b.Object) == 1 && len(c.Object) == 1 && a.Ops == b.Ops {
		return c // that is all they say
	}
	alternatives := slices.Concat(a.alternatives(c.Ops), b.alternatives(c.Ops))
	if slices.ContainsFunc(alternatives, func(list []condition.Condition) bool {
		return len(list) == 0
	}) {
		return c
	}
	if len(alternatives) > maxConditions {
		c.Complete = false
		return c
	}
	c.Object = append(c.Object,
		condition.Condition{Of: condition.OfAlternatives, Either: alternatives})
	return c
}

// compareSame reports whether both conditions ask whether the same thing is one of some values.
func compareSame(x, y condition.Condition) bool {
	return x.Test == condition.In && y.Test == condition.In && x.Of == y.Of && x.Key == y.Key &&
		x.Old == y.Old && x.As == y.As && x.Of != condition.OfOp && x.Of != condition.OfAlternatives
}

// inEither compares with the values of two conditions.
func inEither(a, b condition.Condition) condition.Condition {
	a.Values, a.Numbers, a.Bools = slices.Concat(a.Values, b.Values), slices.Concat(a.Numbers,
		b.Numbers), slices.Concat(a.Bools, b.Bools)
	return a
}

// alternatives are the conditions as lists of which one must hold, if the ops are among others.
func (c Conditions) alternatives(ops event.OpSet) [][]condition.Condition {
	if c.Ops == 0 {
		return nil
	}
	if c.Ops == ops && len(c.Object) == 1 && c.Object[0].Of == condition.OfAlternatives {
		return c.Object[0].Either
	}
	list := c.Object
	if c.Ops != ops {
		list = slices.Concat([]condition.Condition{{Of: condition.OfOp, Ops: c.Ops}}, list)
	}
	return [][]condition.Condition{list}
}

// atMost leaves out what exceeds n conditions, those within others included.
func (c Conditions) atMost(n int) Conditions {
	var kept []condition.Condition
	for _, one := range c.Object {
		if size := sizeOf(one); size <= n {
			n -= size
			kept = append(kept, one)
		} else {
			c.Complete = false
		}
	}
	c.Object = kept
	return c
}

func sizeOf(c condition.Condition) int { return 1 + sizeOfAll(c.Items) + sizeOfEither(c.Either) }

func sizeOfEither(either [][]condition.Condition) (n int) {
	for _, list := range either {
		n += sizeOfAll(list)
	}
	return n
}

func sizeOfAll(list []condition.Condition) (n int) {
	for _, c := range list {
		n += sizeOf(c)
	}
	return n
}
