package logic

import (
	"strconv"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// Text returns what a node was written as, "" if that is not known.
type Text func(ast.Node) string

// Negated returns what is wrong with a comparison whose left side alone is negated, and what to
// write instead; "" if it is none, or may be meant.
func Negated(n *ast.BinaryNode, text Text) string {
	not, ok := n.Left.(*ast.UnaryNode)
	if !ok || not.Operator != "!" && not.Operator != "not" {
		return ""
	}
	instead := map[string]string{"==": "!=", "!=": "=="}[n.Operator]
	switch n.Operator {
	case "==", "!=":
		if _, ok := constant(n.Right); !ok {
			return ""
		}
	case "contains", "startsWith", "endsWith", "matches", "<", "<=", ">", ">=":
	case "in":
		instead = "not in"
	default:
		return ""
	}
	a, b := text(not.Node), text(n.Right)
	write := a + " " + instead + " " + b
	if instead == "" {
		write = "not (" + a + " " + n.Operator + " " + b + ")"
	}
	if a == "" || b == "" {
		write = "brackets around what is negated"
	}
	return strconv.Quote(not.Operator) +
		" negates what follows it alone, not the whole comparison; write " + write
}

// Chains finds contradictions. The zero Chains is ready.
type Chains struct {
	seen map[ast.Node]bool // parts of what was looked at
}

// Look calls found for each constant of a chain of && or of || that contradicts an earlier one of
// the same chain. Parts of a chain that was looked at are not looked at again.
func (c *Chains) Look(n *ast.BinaryNode, text Text, found func(at ast.Node, message string)) {
	if c.seen[n] {
		return
	}
	if c.seen == nil {
		c.seen = map[ast.Node]bool{}
	}
	operator, is := "==", "never"
	if !nodes.IsAnd(n) {
		operator, is = "!=", "always"
	}
	first := map[string]string{} // what a value is compared with, by its text
	var visit func(ast.Node)
	visit = func(part ast.Node) {
		b, ok := part.(*ast.BinaryNode)
		switch {
		case !ok:
		case nodes.IsAnd(n) && nodes.IsAnd(b) || nodes.IsOr(n) && nodes.IsOr(b):
			c.seen[b] = true
			visit(b.Left)
			visit(b.Right)
		case b.Operator == operator:
			value, at := b.Left, b.Right
			if _, ok := constant(value); ok {
				value, at = at, value
			}
			is1, ok := constant(at)
			of := text(value)
			if !ok || of == "" || nodes.IsOp(value) {
				return // what is said of op is reported elsewhere
			}
			if before, again := first[of]; again && before != is1 {
				found(at, "this is "+is+" true: "+of+" is compared with "+before+" as well")
				return
			}
			first[of] = is1
		}
	}
	visit(n)
}

// constant returns a text or a number as an expression writes it.
func constant(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return strconv.Quote(n.Value), true
	case *ast.IntegerNode:
		return strconv.Itoa(n.Value), true
	case *ast.FloatNode:
		return strconv.FormatFloat(n.Value, 'g', -1, 64), true
	}
	return "", false
}
