package conditions

import (
	"math"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

var textTests = map[string]condition.Test{
	"startsWith": condition.StartsWith, "endsWith": condition.EndsWith,
	"contains":  condition.Contains,
	"hasPrefix": condition.StartsWith, "hasSuffix": condition.EndsWith,
}

// testFor returns the test, or its opposite if it is to be false.
func testFor(t condition.Test, want bool) condition.Test {
	if want {
		return t
	}
	return t.Opposite()
}

// asks returns the conditions for a question about what a node reads. The question is for
// when the comparison is true.
func (t *translator) asks(n ast.Node, question condition.Condition, want bool) condition.Set {
	question.Test = testFor(question.Test, want)
	of, ok := t.subject(n)
	if !ok {
		return condition.Anything
	}
	return of.ask(question, false)
}

// truth returns the conditions for a value where true or false is needed.
func (t *translator) truth(n ast.Node, want bool) condition.Set {
	return t.asks(n, condition.Condition{Test: condition.True}, want)
}

// equality returns the conditions for a comparison of a subject with a constant, false for
// other nodes.
func (t *translator) equality(subject, constant ast.Node, equal bool) (condition.Set, bool) {
	values, ok := constantsOf(constant)
	switch {
	case ok && lang.IsOp(subject):
		return ofOps(values.Values, equal), true
	case ok:
		return t.oneOf(subject, values, equal)
	}
	if _, isNil := constant.(*ast.NilNode); !isNil {
		return condition.Set{}, false
	}
	of, ok := t.subject(subject)
	if !ok {
		return condition.Set{}, false
	}
	return of.ask(condition.Condition{Test: testFor(condition.NotExists, equal)}, true), true
}

// constantsOf returns a constant, or the items of a constant list, as the values of a condition.
func constantsOf(nodes ...ast.Node) (c condition.Condition, ok bool) {
	for _, n := range nodes {
		switch n := n.(type) {
		case *ast.StringNode:
			c.Values = append(c.Values, n.Value)
		case *ast.BoolNode:
			c.Bools = append(c.Bools, n.Value)
		default:
			number, ok := constantNumber(n)
			if !ok {
				return c, false
			}
			c.Numbers = append(c.Numbers, number)
		}
	}
	return c, true
}

// constantNumber returns a constant number that float64 holds exactly.
func constantNumber(n ast.Node) (float64, bool) {
	const exact = 1 << 53
	switch n := n.(type) {
	case *ast.IntegerNode:
		return float64(n.Value), n.Value > -exact && n.Value < exact
	case *ast.FloatNode:
		return n.Value, !math.IsNaN(n.Value) && !math.IsInf(n.Value, 0)
	case *ast.UnaryNode:
		number, ok := constantNumber(n.Node)
		return -number, ok && n.Operator == "-"
	}
	return 0, false
}

func ofOps(words []string, want bool) condition.Set {
	ops := event.OpSet(0)
	for _, v := range words {
		if op, err := event.ParseOp(v); err == nil {
			ops = ops.With(op)
		}
	}
	if !want {
		ops = condition.EveryOp &^ ops
	}
	return condition.Set{Ops: ops, Complete: true}
}

// oneOf returns the conditions for a subject that is one of some values, or none of them;
// false for other nodes.
func (t *translator) oneOf(n ast.Node, values condition.Condition, want bool) (condition.Set,
	bool) {
	of, ok := t.subject(n)
	if !ok {
		return condition.Set{}, false
	}
	values.Test = testFor(condition.In, want)
	// some numbers are not decided
	complete := len(values.Numbers) == 0
	if of.what.Of == condition.OfNamespace && slices.Contains(values.Values, "") {
		// An object without a namespace has "" here and nil in the expression, which is not equal
		// to "".
		complete = false
		if values.Test == condition.NotIn {
			values.Values = slices.DeleteFunc(slices.Clone(values.Values), func(v string) bool {
				return v == ""
			})
		}
	}
	return of.ask(values, complete), true
}

func (t *translator) membership(n *ast.BinaryNode, want bool) condition.Set {
	switch right := n.Right.(type) {
	case *ast.ArrayNode:
		items := slices.DeleteFunc(slices.Clone(right.Nodes), func(n ast.Node) bool {
			_, isNil := n.(*ast.NilNode)
			return isNil // nil is in no list
		})
		values, ok := constantsOf(items...)
		switch {
		case !ok:
		case lang.IsOp(n.Left):
			return ofOps(values.Values, want)
		default:
			if c, ok := t.oneOf(n.Left, values, want); ok {
				return c
			}
		}
	default: // "key" in object.metadata.labels
		key, isText := n.Left.(*ast.StringNode)
		if !isText {
			break
		}
		of, ok := t.subject(right)
		if !ok || of.what.Of != condition.OfField {
			break
		}
		if of.what.Key == "metadata.labels" && key.Value != "" {
			c := condition.Condition{Of: condition.OfLabel, Old: of.what.Old, Key: key.Value,
				Test: testFor(condition.Exists, want)}
			return condition.Set{Ops: condition.EveryOp, List: []condition.Condition{c},
				Complete: true}
		}
		return of.ask(condition.Condition{Test: testFor(condition.Has, want),
			Values: []string{key.Value}}, false)
	}
	return condition.Anything
}

// orders are the tests of a comparison, and those with its sides exchanged.
var orders = map[string][2]condition.Test{
	"<": {condition.Less, condition.More}, "<=": {condition.AtMost, condition.AtLeast},
	">": {condition.More, condition.Less}, ">=": {condition.AtLeast, condition.AtMost},
}

func (t *translator) order(n *ast.BinaryNode, want bool) condition.Set {
	subject, test := n.Left, orders[n.Operator][0]
	values, ok := constantsOf(n.Right)
	if !ok {
		subject, test = n.Right, orders[n.Operator][1]
		values, ok = constantsOf(n.Left)
	}
	if !ok || len(values.Bools) > 0 {
		return condition.Anything
	}
	values.Test = test
	return t.asks(subject, values, want)
}

// difference returns the conditions for object.x != old.x: values with the same text are
// equal.
func (t *translator) difference(n *ast.BinaryNode) condition.Set {
	a, ok1 := t.subject(n.Left)
	b, ok2 := t.subject(n.Right)
	if !ok1 || !ok2 || a.key+b.key != "" || a.what.Old == b.what.Old {
		return condition.Anything
	}
	path, ok := a.path()
	other, _ := b.path()
	if !ok || path != other {
		return condition.Anything
	}
	return condition.Set{Ops: condition.EveryOp,
		List: []condition.Condition{{Of: condition.OfField, Key: path, Test: condition.Differs}}}
}

// pattern returns the conditions for a regular expression: the text that every match begins
// with, or contains.
func (t *translator) pattern(n *ast.BinaryNode, want bool) condition.Set {
	text, ok := n.Right.(*ast.StringNode)
	if !ok || !want {
		return condition.Anything
	}
	parsed, err := syntax.Parse(text.Value, syntax.Perl)
	if err != nil {
		return condition.Anything
	}
	test, parts := condition.Contains, []*syntax.Regexp{parsed}
	if parsed.Op == syntax.OpConcat {
		parts = parsed.Sub
	}
	if parts[0].Op == syntax.OpBeginText {
		test, parts = condition.StartsWith, parts[1:]
	}
	if len(parts) == 0 || parts[0].Op != syntax.OpLiteral || parts[0].Flags&syntax.FoldCase != 0 {
		return condition.Anything
	}
	return t.asks(n.Left, condition.Condition{Test: test, Values: []string{string(parts[0].Rune)}},
		true)
}

// glob returns the conditions for a glob: the text before its first star or question mark,
// or after the last one.
func (t *translator) glob(n *ast.CallNode, want bool) condition.Set {
	pattern, ok := lang.FirstText(n)
	if !ok || len(n.Arguments) != 2 || !want {
		return condition.Anything
	}
	first, last := strings.IndexAny(pattern.Value, "*?"), strings.LastIndexAny(pattern.Value, "*?")
	question := condition.Condition{Test: condition.StartsWith, Values: []string{pattern.Value}}
	switch {
	case first > 0:
		question.Values = []string{pattern.Value[:first]}
	case first == 0:
		question.Test, question.Values = condition.EndsWith, []string{pattern.Value[last+1:]}
	}
	return t.asks(n.Arguments[1], question, true)
}
