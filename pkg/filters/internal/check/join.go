package check

import (
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/mismatch"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// dateType is what the function date returns.
const dateType = "date"

// specialCall returns the type of a function's values that JSON does not have, "" if they are
// others.
func specialCall(name string) string {
	if name == "age" {
		return values.Readers[values.Durations].Name
	}
	if _, ok := values.ReaderOf(name); ok {
		return name
	}
	return ""
}

// specialSum returns the type of a sum, a difference or a product of such values.
func specialSum(operator, left, right string) string {
	switch {
	case operator == "-" && left == dateType && right == dateType:
		return values.Readers[values.Durations].Name
	case left == dateType || right == dateType:
		return dateType
	case left != "":
		return left
	}
	return right
}

// join finds a text that is joined with a value such as an age. Next to a quantity or a duration a
// text is read as one, so that the whole is nil: it is a mistake if the text can be none, and
// suspicious if a text is wanted. Next to any other such value it fails.
func (c *schemaCheck) join(n *ast.BinaryNode, left, right fact) (wrong bool) {
	other, at, text, of := left, n.Left, right, n.Right
	if other.special == "" {
		other, at, text, of = right, n.Right, left, n.Left
	}
	if n.Operator != "+" || text.special != "" {
		return false
	}
	reader, reads := values.ReaderOf(other.special)
	added := reads && nodes.IsAdded(reader)
	if kind := text.kind(); kind != "string" && (kind != "" || added || !reads) {
		if reads && !added {
			c.errorf(n.Location().From, "%q cannot take %s", n.Operator, other.word())
		}
		return reads && !added
	}
	_, constant := of.(*ast.StringNode)
	switch {
	case added && constant && c.compared > 0: // its mistakes are those of an amount
	case !added, neverRead(reader, of):
		c.joined(n, at, other)
		return true
	case c.draft.Kind.Returns() != lang.ReturnsBool && c.compared == 0 && mismatch.LiteralKind(of) == "":
		e := c.joinedError(at, "%s is read as a %s next to %s, so this is nil unless it is one",
			c.text(of, text), other.special, c.text(at, other))
		c.warnings = append(c.warnings, e)
	}
	return false
}

// joined refuses a text and something that has to become one first.
func (c *schemaCheck) joined(n *ast.BinaryNode, at ast.Node, value fact) {
	c.found(c.joinedError(at, `%q cannot join a string and %s`, n.Operator, value.word()))
}

func (c *schemaCheck) joinedError(at ast.Node, format string, args ...any) *lang.CompileError {
	texts := c.extents()
	text := written(texts, at)
	if span, whole := texts.Span(at); whole && text != "" {
		span.Text = "string(" + text + ")"
		args = append(args, text)
		return c.draft.Proposed(at.Location().From, &span, format+"; put string(…) around %s", args...)
	}
	return c.draft.CompileError(at.Location().From, format+"; put string(…) around it", args...)
}

// written in texts that are read as quantities and durations.
var amountLetters = map[values.Reader]string{
	values.Quantities: "0123456789.+-eEkKMGTPinum",
	values.Durations:  "0123456789.+-nuµμsmhd",
}

// neverRead reports whether a text that is put together cannot be read as an amount, since a part
// of it has other letters. One that begins with a number is rather an amount with a mistake, which
// is reported as such.
func neverRead(reader values.Reader, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.StringNode:
		begin := strings.IndexAny(n.Value, "0123456789")
		return begin != 0 && n.Value != "" &&
			strings.Trim(n.Value, amountLetters[reader]) != "" ||
			strings.Trim(n.Value, " ") != n.Value
	case *ast.BinaryNode:
		return n.Operator == "+" && (neverRead(reader, n.Left) || neverRead(reader, n.Right))
	}
	return false
}

// word returns the type of a value with its article.
func (f fact) word() string {
	switch f.special {
	case "":
		return typeWord(f.schema.Type)
	case "ip":
		return "an IP address"
	case "image":
		return "an image"
	}
	return "a " + f.special
}

// orders refuses an order of a duration or a date and something that is none.
func (c *schemaCheck) orders(n *ast.BinaryNode, left, right fact) {
	special, other, at := left, right, n.Right
	if special.special == "" {
		special, other, at = right, left, n.Left
	}
	kind := other.kind()
	switch {
	case other.special != "" || kind == "":
	case special.special == "duration" && kind == "number" && mismatch.LiteralKind(at) == "":
		c.errorf(at.Location().From, "%q cannot compare a duration and a number; write a text with a unit, such as \"5m\", or duration(…)", n.Operator)
	case special.special == dateType && (kind == "number" || kind == "string"):
		hint := "write date(…) around it"
		if text, ok := at.(*ast.StringNode); ok {
			if _, ok := values.ParseDuration(text.Value); ok {
				hint = "write age(…) around the date"
			}
		}
		c.errorf(at.Location().From, "%q cannot compare a date and %s; %s", n.Operator,
			typeWord(other.schema.Type), hint)
	}
}
