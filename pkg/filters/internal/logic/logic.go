package logic

import (
	"slices"
	"strconv"
	"strings"

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
	if !strings.HasPrefix(text(not), not.Operator) {
		return "" // "a not in b" has its word where it belongs
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
	and := nodes.IsAnd(n)
	if and {
		var all []ast.Node
		parts(n, &all)
		texts(all, text, found)
		firstList(all, found)
	}
	first := map[string]compared{} // what a value is compared with, by its text
	bounds := map[string][]bound{}
	nils := map[string]bool{}
	var visit func(ast.Node)
	visit = func(part ast.Node) {
		b, ok := part.(*ast.BinaryNode)
		if ok && (and && nodes.IsAnd(b) || nodes.IsOr(n) && nodes.IsOr(b)) {
			c.seen[b] = true
			visit(b.Left)
			visit(b.Right)
			return
		}
		if value, ok := nilOf(part); ok && and && text(value) != "" {
			of := text(value)
			nils[of] = true
			if before := first[of]; len(bounds[of]) > 0 || before.at != nil {
				found(part, "this is never true: "+of+" is compared with a value as well")
			}
			return
		}
		if b, ok := boundOf(part); ok && and && text(b.of) != "" {
			of := text(b.of)
			if nils[of] {
				found(b.at, "this is never true: "+of+" is compared with nil as well")
				return
			}
			for _, before := range bounds[of] {
				if b.contradicts(before) {
					found(b.at, "this is never true: "+of+" is compared with "+text(before.at)+" as well")
					return
				}
			}
			bounds[of] = append(bounds[of], b)
		}
		is, ok := comparedOf(part, and)
		if !ok || text(is.value) == "" || nodes.IsOp(is.value) {
			return // what is said of op is reported elsewhere
		}
		of := text(is.value)
		if nils[of] {
			found(is.at, "this is never true: "+of+" is compared with nil as well")
			return
		}
		before, again := first[of]
		if !again {
			first[of] = is
			return
		}
		if !disjoint(before.constants, is.constants) {
			return
		}
		by := "compared with " + before.constants[0]
		if len(before.constants) > 1 {
			by = "compared with others"
		}
		if and {
			found(is.at, "this is never true: "+of+" is "+by+" as well; if one of them is enough, write "+
				of+" in ["+joined(before, is)+"]")
			return
		}
		found(is.at, "this is always true: "+of+" is "+by+" as well; if none of them is allowed, write "+
			of+" not in ["+joined(before, is)+"]")
	}
	visit(n)
}

// compared is a comparison of a value with constants, of which it is one, or is none.
type compared struct {
	value, at ast.Node
	constants []string
}

// comparedOf returns what a part of a chain compares: with is, x == "a" and x in ["a"], else their
// contraries.
func comparedOf(part ast.Node, is bool) (c compared, ok bool) {
	for {
		not, negated := part.(*ast.UnaryNode)
		if !negated || not.Operator != "!" && not.Operator != "not" {
			break
		}
		part, is = not.Node, !is
	}
	b, ok := part.(*ast.BinaryNode)
	if !ok {
		return c, false
	}
	switch list, isList := b.Right.(*ast.ArrayNode); {
	case b.Operator == "==" && is, b.Operator == "!=" && !is:
		c.value, c.at = b.Left, b.Right
		if _, ok := constant(c.value); ok {
			c.value, c.at = c.at, c.value
		}
		text, ok := constant(c.at)
		c.constants = []string{text}
		return c, ok
	case b.Operator == "in" && is && isList && len(list.Nodes) > 0:
		c.value, c.at = b.Left, list
		for _, item := range list.Nodes {
			text, ok := constant(item)
			if !ok {
				return c, false
			}
			c.constants = append(c.constants, text)
		}
		return c, true
	}
	return c, false
}

func disjoint(a, b []string) bool {
	return !slices.ContainsFunc(a, func(text string) bool { return slices.Contains(b, text) })
}

func joined(a, b compared) string {
	return strings.Join(slices.Concat(a.constants, b.constants), ", ")
}

// constant returns a text or a number as an expression writes it.
func constant(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return strconv.Quote(n.Value), true
	case *ast.IntegerNode:
		return strconv.Itoa(n.Value), true
	case *ast.FloatNode:
		return strconv.FormatFloat(n.Value, 'f', -1, 64), true
	}
	return "", false
}
