package filters

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Conditions are what an expression asks of an event's op and of its object's namespace, name, labels and fields: what can
// be told without evaluating it. They are necessary: an event that does not fulfil them does not match. Those that do are
// to be evaluated.
type Conditions struct {
	// Ops are the ops of which an event can match; none if the expression is never true.
	Ops event.OpSet
	// Object are conditions on the object, all of which must hold. They are the filter's own: do not change them.
	Object []Condition
	// Complete: the expression asks nothing else. An event that fulfils the conditions matches then, unless its object has
	// a label that is not a text, or labels that are not an object, which no API server sends.
	Complete bool
}

// Condition asks one thing of an object.
type Condition struct {
	Of     Subject
	Key    string // of the label, for OfLabel; the path of the field, for OfField
	Test   Test
	Values []string // what In and NotIn compare with
}

// Subject is what a condition asks about.
type Subject uint8

// The subjects of conditions.
const (
	OfNamespace Subject = iota // "" if there is none
	OfName
	OfLabel
	OfField // a text anywhere else. To ask for one costs what evaluating it does; it pays where an index knows the answer
)

// Test is how a condition asks. A label or a field that is not a text, and labels that are not an object, pass every test
// but In.
type Test uint8

// The tests of conditions. Exists and NotExists are for labels alone.
const (
	In        Test = iota // it is one of the values
	NotIn                 // it is none of them, or there is no such label
	Exists                // there is such a label, be it empty
	NotExists             // there is no such label
)

// Conditions gives what can be asked of an event before it is evaluated.
func (f *Filter) Conditions() Conditions { return f.conditions }

var (
	allOps   = event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete).With(event.Resync)
	anything = Conditions{Ops: allOps}
)

// conditionsOf gives conditions that hold whenever the node, as the user wrote it, gives true, or what counts as false
// if want is false. A node that fails gives neither.
func conditionsOf(n ast.Node, want bool) Conditions {
	switch n := n.(type) {
	case *ast.BoolNode:
		if n.Value == want {
			return Conditions{Ops: allOps, Complete: true}
		}
		return Conditions{Complete: true}
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			return conditionsOf(n.Node, !want)
		}
	case *ast.BinaryNode:
		return ofBinary(n, want)
	case *ast.CallNode:
		if want {
			return ofChange(n)
		}
	case *ast.VariableDeclaratorNode:
		c := conditionsOf(n.Expr, want) // no variable can be called object, op or label
		c.Complete = false              // the variable's value may fail
		return c
	}
	return anything
}

func ofBinary(n *ast.BinaryNode, want bool) Conditions {
	switch n.Operator {
	case "&&", "and", "||", "or":
		a, b := conditionsOf(n.Left, want), conditionsOf(n.Right, want)
		if and := n.Operator == "&&" || n.Operator == "and"; and == want {
			return both(a, b)
		}
		return either(a, b)
	case "==", "!=":
		equal := (n.Operator == "==") == want
		if c, ok := ofEquality(n.Left, n.Right, equal); ok {
			return c
		}
		if c, ok := ofEquality(n.Right, n.Left, equal); ok {
			return c
		}
	case "in":
		return ofMembership(n, want)
	}
	return anything
}

// ofChange is for changed and became, which are true of updates alone; became(condition) is true of objects of which the
// condition is.
func ofChange(n *ast.CallNode) Conditions {
	callee, _ := n.Callee.(*ast.IdentifierNode)
	switch {
	case callee != nil && callee.Value == "changed":
		return Conditions{Ops: event.OpSet(0).With(event.Update)}
	case callee != nil && callee.Value == "became" && len(n.Arguments) == 1:
		c := conditionsOf(n.Arguments[0], true)
		return Conditions{Ops: c.Ops & event.OpSet(0).With(event.Update), Object: c.Object}
	}
	return anything
}

func both(a, b Conditions) Conditions {
	return Conditions{
		Ops: a.Ops & b.Ops, Object: slices.Concat(a.Object, b.Object), Complete: a.Complete && b.Complete,
	}
}

// either keeps of two alternatives what they have in common: the same thing compared with values in both.
func either(a, b Conditions) Conditions {
	c := Conditions{Ops: a.Ops | b.Ops}
	for _, x := range a.Object {
		for _, y := range b.Object {
			if x.Test == In && y.Test == In && x.Of == y.Of && x.Key == y.Key {
				x.Values = slices.Concat(x.Values, y.Values)
				c.Object = append(c.Object, x)
				break
			}
		}
	}
	switch {
	case !a.Complete || !b.Complete:
	case len(a.Object) == 0 && len(b.Object) == 0: // ops alone
		c.Complete = true
	case len(a.Object) == 1 && len(b.Object) == 1 && a.Ops == b.Ops: // values of one thing alone
		c.Complete = len(c.Object) == 1
	}
	return c
}

// ofEquality takes a comparison of subject with a constant; it is false for other nodes.
func ofEquality(subject, constant ast.Node, equal bool) (Conditions, bool) {
	switch constant := constant.(type) {
	case *ast.StringNode:
		return oneOf(subject, []string{constant.Value}, equal)
	case *ast.NilNode:
		c, ok := subjectOf(subject)
		if !ok || c.Of != OfLabel {
			break
		}
		if c.Test = Exists; equal {
			c.Test = NotExists
		}
		return Conditions{Ops: allOps, Object: []Condition{c}, Complete: true}, true
	}
	return Conditions{}, false
}

func ofMembership(n *ast.BinaryNode, want bool) Conditions {
	switch right := n.Right.(type) {
	case *ast.ArrayNode:
		values := make([]string, 0, len(right.Nodes))
		for _, item := range right.Nodes {
			text, ok := item.(*ast.StringNode)
			if !ok {
				return anything
			}
			values = append(values, text.Value)
		}
		if c, ok := oneOf(n.Left, values, want); ok {
			return c
		}
	default: // "key" in object.metadata.labels
		key, isText := n.Left.(*ast.StringNode)
		base, keys := constantSteps(right)
		if !isText || key.Value == "" || !isObject(base) || !slices.Equal(keys, []any{"metadata", "labels"}) {
			break
		}
		c := Condition{Of: OfLabel, Key: key.Value, Test: Exists}
		if !want {
			c.Test = NotExists
		}
		return Conditions{Ops: allOps, Object: []Condition{c}, Complete: true}
	}
	return anything
}

// oneOf is for op, a namespace, a name or a label that is one of some values, or none of them; it is false for other
// nodes.
func oneOf(n ast.Node, values []string, want bool) (Conditions, bool) {
	if isOp(n) {
		ops := event.OpSet(0)
		for _, v := range values {
			if op, err := event.ParseOp(v); err == nil {
				ops = ops.With(op)
			}
		}
		if !want {
			ops = allOps &^ ops
		}
		return Conditions{Ops: ops, Complete: true}, true
	}
	c, ok := subjectOf(n)
	if !ok {
		return Conditions{}, false
	}
	c.Test, c.Values = In, values
	complete := true
	if !want {
		c.Test = NotIn
	}
	if c.Of == OfNamespace && slices.Contains(values, "") {
		// An object without a namespace has "" here and nil in the expression, which is not equal to "".
		complete = false
		if c.Test == NotIn {
			c.Values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
		}
	}
	return Conditions{Ops: allOps, Object: []Condition{c}, Complete: complete}, true
}

// subjectOf tells what a node reads, if it is something that conditions can ask about.
func subjectOf(n ast.Node) (Condition, bool) {
	if call, ok := n.(*ast.CallNode); ok {
		callee, ok := call.Callee.(*ast.IdentifierNode)
		if !ok || callee.Value != "label" || len(call.Arguments) != 1 {
			return Condition{}, false
		}
		key, ok := call.Arguments[0].(*ast.StringNode)
		if !ok || key.Value == "" {
			return Condition{}, false
		}
		return Condition{Of: OfLabel, Key: key.Value}, true
	}
	base, keys := constantSteps(n)
	if !isObject(base) || len(keys) == 0 {
		return Condition{}, false
	}
	switch {
	case keys[0] != "metadata" || len(keys) == 1:
		return fieldCondition(keys)
	case len(keys) == 2 && keys[1] == "namespace":
		return Condition{Of: OfNamespace}, true
	case len(keys) == 2 && keys[1] == "name":
		return Condition{Of: OfName}, true
	case len(keys) == 3 && keys[1] == "labels":
		key, ok := keys[2].(string)
		return Condition{Of: OfLabel, Key: key}, ok && key != ""
	}
	return fieldCondition(keys)
}

// fieldCondition is for a row of names.
func fieldCondition(keys []any) (Condition, bool) {
	var path event.Path
	for _, key := range keys {
		name, ok := key.(string)
		if !ok {
			return Condition{}, false
		}
		path = path.Key(name)
	}
	return Condition{Of: OfField, Key: path.String()}, true
}

func isObject(n ast.Node) bool {
	id, ok := n.(*ast.IdentifierNode)
	return ok && id.Value == "object"
}
