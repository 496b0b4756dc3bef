package check

import (
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/mismatch"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// doubt warns, with what to write in place of a node if that compiles.
func (c *schemaCheck) doubt(at, replaced ast.Node, write, format string, args ...any) {
	e := c.draft.CompileError(at.Location().From, format, args...)
	fix, whole := c.extents().Span(replaced)
	x := c.draft.Expression
	fix.Text = write
	x.Text = fix.Apply(x.Text)
	if c.doubts++; write != "" && whole && c.doubts < lang.MaxMistakes && c.draft.Check(x) == nil {
		e = c.draft.Proposed(e.Offset, &fix, "%s; write %s", e.Message, write)
	}
	c.warnings = append(c.warnings, e)
}

// defaulted returns what is known of a ?? b, and warns about a text with a number as its default,
// or the other way round, where something is calculated or ordered: one of them has no answer.
func (c *schemaCheck) defaulted(n *ast.BinaryNode, left, right fact) fact {
	number := mismatch.LiteralKind(n.Right) == "number"
	if c.ordered == 0 || left.path == "" || left.kind() == right.kind() {
		return common(left, right)
	}
	text := written(c.extents(), n.Left)
	switch {
	case left.is("string") && number:
		by := "int"
		if _, float := n.Right.(*ast.FloatNode); float {
			by = "float"
		}
		c.doubt(n.Left, n, by+"("+text+" ?? "+strconv.Quote(written(c.extents(), n.Right))+")",
			"%s is a text, and its default is a number: the text is not compared with numbers", text)
	case left.is("number") && mismatch.LiteralKind(n.Right) == "string":
		value := n.Right.(*ast.StringNode).Value
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			break
		}
		c.doubt(n.Right, n, "("+text+" ?? "+value+")",
			"%s is a number, and its default is a text", text)
	}
	return common(left, right)
}

// inNetwork refuses a text before in and a network: it is an address only as ip(…).
func (in *inspector) inNetwork(n *ast.BinaryNode, network *ast.StringNode) error {
	texts := nodes.NewExtents(in.draft.Text)
	at, whole := texts.Span(n)
	_, special := nodes.SpecialOf(n.Left)
	base, keys := nodes.ConstantSteps(n.Left)
	switch base.(type) {
	case *ast.CallNode, *ast.PointerNode:
		keys = append(keys, "") // a label, an item
	}
	if special || len(keys) == 0 || !whole {
		return nil // a variable may be an address
	}
	by := " in "
	if strings.Contains(written(texts, n), " not in ") {
		by = " not in "
	}
	at.Text = "ip(" + written(texts, n.Left) + ")" + by + "cidr(" + strconv.Quote(network.Value) + ")"
	return in.draft.Proposed(network.Location().From, &at,
		"%q is a text here, not a network; write %s", network.Value, at.Text)
}

// notAsWritten warns about an amount that is compared with a text which the API server never has:
// it writes 1024Mi as 1Gi.
func (c *schemaCheck) notAsWritten(operator string, n *ast.BinaryNode, field fact, at,
	constant ast.Node) {
	text, ok := constant.(*ast.StringNode)
	if !ok || operator != "==" && operator != "!=" || !c.isAmount(field) {
		return
	}
	q, ok := values.ParseQuantity(text.Value).(values.Quantity)
	if !ok || q.Text() == text.Value {
		return
	}
	c.doubt(text, n, "quantity("+written(c.extents(), at)+") "+operator+" "+strconv.Quote(text.Value),
		"the texts are compared, and the API server writes %q as %q", text.Value, q.Text())
}

// readsNumber warns about an amount that is read as a number, which "500m" and "1Gi" are not.
func (c *schemaCheck) readsNumber(n *ast.BuiltinNode, of fact) {
	if (n.Name == "int" || n.Name == "float") && amountField.MatchString(of.path) && of.kind() != "number" {
		text := c.text(n.Arguments[0], of)
		c.doubt(n, n, "quantity("+text+")", `%s is an amount such as "500m" or "1Gi", of which %s(…) is nil`, text, n.Name)
	}
}
