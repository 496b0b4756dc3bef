package conditions

import (
	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// translator translates an expression into conditions.
type translator struct {
	// looks counts the visits to nodes: those of nested ?: are visited several times.
	looks int
	// inItem: the node is within the predicate of any or the like.
	inItem bool
	// strict: the conditions must also hold whenever the node fails.
	strict bool
	// variables are the values of the variables around the node.
	variables map[string]ast.Node
}

// Of returns conditions that hold whenever the expression is true. A select or a deny is
// evaluated whenever it may fail, too, since its last answer then stays. There are none for an
// expression that looks at a message.
func Of(n ast.Node, kind lang.Kind) condition.Set {
	if kind.SeesMessages() {
		return condition.Anything
	}
	t := translator{strict: kind == lang.KindSelect || kind == lang.KindDeny}
	c := t.of(n, true).AtMost(condition.MaxConditions)
	c.Certain = t.certain(n)
	return c
}

// OpsOf returns the ops of events for which the node can be true, or count as false if want
// is false.
func OpsOf(n ast.Node, want bool) event.OpSet { return (&translator{}).of(n, want).Ops }

// of returns conditions that hold whenever the node is true, or counts as false if want is
// false. A node that fails is neither.
func (t *translator) of(n ast.Node, want bool) condition.Set {
	if t.looks++; t.looks > lang.MaxVisits {
		return condition.Anything
	}
	switch n := n.(type) {
	case *ast.BoolNode:
		if n.Value == want {
			return condition.Set{Ops: condition.EveryOp, Complete: true}
		}
		return condition.Set{Complete: true}
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			return t.of(n.Node, !want)
		}
	case *ast.BinaryNode:
		return t.binary(n, want)
	case *ast.ConditionalNode:
		first := condition.And(t.of(n.Cond, true), t.after(n.Cond, t.of(n.Exp1, want)))
		return condition.Or(first,
			condition.And(t.of(n.Cond, false), t.after(n.Cond, t.of(n.Exp2, want))))
	case *ast.CallNode:
		return t.call(n, want)
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
	return condition.Anything
}

func (t *translator) binary(n *ast.BinaryNode, want bool) condition.Set {
	n = lang.Copy(n, t.known)
	switch n.Operator {
	case "&&", "and", "||", "or":
		a, b := t.of(n.Left, want), t.of(n.Right, want)
		if and := n.Operator == "&&" || n.Operator == "and"; and == want {
			return condition.And(a, t.after(n.Left, b))
		}
		return condition.Or(a, b)
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
	return condition.Anything
}

// after returns conditions on what is evaluated after another node, which may fail.
func (t *translator) after(n ast.Node, c condition.Set) condition.Set {
	if t.strict && !t.certain(n) {
		return condition.Anything
	}
	return c
}
