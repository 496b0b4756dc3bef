package check

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/mismatch"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// textOperands refuses a side of contains and the like that is not a text: it would fail for
// every object that has it.
func (c *schemaCheck) textOperands(n *ast.BinaryNode, left, right fact) {
	if left.special != "" {
		hint, text, other := "", c.text(n.Left, left), c.text(n.Right, right)
		switch {
		case left.special == "cidr" && n.Operator == "contains":
			hint = "; write ip(" + other + ") in " + text
		case left.special == "image":
			hint = "; write " + text + ".name " + n.Operator + " " + other
		}
		c.errorf(n.Left.Location().From, "%s is %s, and %q needs a text%s", c.text(n.Left, left),
			left.word(), n.Operator, hint)
		return
	}
	kind, at := left.kind(), n.Left
	if other := right.kind(); (kind == "" || kind == "string") && n.Operator != "matches" {
		kind, at, left = other, n.Right, right
	}
	if kind == "" || kind == "string" || mismatch.LiteralKind(at) != "" {
		return // constants are reported elsewhere
	}
	c.errorf(at.Location().From, "%s is %s, and %q needs a text; %s", c.text(at, left),
		typeWord(left.schema.Type), n.Operator, c.insteadOfText(n, at, left))
}

// insteadOfText returns the hint of what to write in place of an operator on texts, one of
// whose sides is of another type.
func (c *schemaCheck) insteadOfText(n *ast.BinaryNode, at ast.Node, value fact) string {
	kind := value.kind()
	texts := c.extents()
	text, other := written(texts, at), written(texts, n.Right)
	switch {
	case kind == "object" && nodes.IsName(at, "object"), nodes.IsName(at, "old"):
		return "name a field of it"
	case isScalarKind(kind):
		return "write string(" + text + ")"
	case at == n.Right:
		return "name a part of it"
	case kind == "object" && fact{schema: fieldOf(value.schema, "name")}.is("string"):
		return "write " + text + ".name " + n.Operator + " " + other
	case kind == "array" && fact{schema: fieldOf(itemOf(value, "").schema, "name")}.is("string"):
		by := n.Operator
		if by == "contains" {
			by = "=="
		}
		return "write any(" + text + ", .name " + by + " " + other + ")"
	case kind == "array" && itemOf(value, "").is("object"):
		return "ask for a field of its items with any(" + text + ", …)"
	case n.Operator == "contains":
		return "write " + other + " in " + text
	case kind == "array":
		return "write any(" + text + ", # " + n.Operator + " " + other + ")"
	}
	return "write any(keys(" + text + "), # " + n.Operator + " " + other + ")"
}

// text returns what a node is called in a message: the text that it was written as.
func (c *schemaCheck) text(n ast.Node, value fact) string {
	if text := written(c.extents(), n); text != "" {
		return text
	}
	return value.called("this")
}

// plain refuses an argument that a function of plain values never takes.
func (c *schemaCheck) plain(n *ast.BuiltinNode, value fact) {
	if len(n.Arguments) != 1 {
		return
	}
	kind, arg := value.kind(), n.Arguments[0]
	of := itemOf(value, "[*]").kind()
	text := c.text(arg, value)
	hint := ""
	switch {
	case n.Name == "string" && (kind == "array" || kind == "object") && mismatch.LiteralKind(arg) == "":
		c.errorf(arg.Location().From, "%s is %s, and string needs a text, a number or a boolean; name a part of it", text, typeWord(value.schema.Type))
		return
	case n.Name == "count" && kind == "array" && of != "" && of != "boolean":
		hint = "to count all items, write len(" + text + ")"
	case n.Name == "sum" && kind == "array" && of != "" && of != "number":
		hint = "name what to add up, as in sum(" + text + ", .field)"
		if isScalarKind(of) {
			hint = "write sum(" + text + ", int(#))"
		}
	default:
		return
	}
	want := "true or false"
	if n.Name == "sum" {
		want = "numbers"
	}
	c.errorf(n.Location().From, "%s with a list alone needs items that are %s, and those of %s are not; %s",
		n.Name, want, text, hint)
}

// shortTernary is a ?: b behind its first operand.
var shortTernary = regexp.MustCompile(`^[\s)]*\?\s*:`)

// shortCondition refuses a ?: b unless a is true or false: ?? is meant, which other languages write
// like this. It reports whether the node is such a condition.
func (c *schemaCheck) shortCondition(n *ast.ConditionalNode, value fact) bool {
	kind := value.kind()
	if n.Cond != n.Exp1 || kind == "" || kind == "boolean" {
		return n.Cond == n.Exp1
	}
	text := c.text(n.Cond, value)
	e := c.draft.CompileError(n.Cond.Location().From,
		`%s is %s, and "?:" needs true or false before it; write ??`, text,
		typeWord(value.schema.Type))
	if span, ok := c.extents().Span(n.Cond); ok {
		rest := string([]rune(c.draft.Text)[span.To:])
		if found := shortTernary.FindString(rest); found != "" {
			to := span.To + len([]rune(found))
			from := to - len([]rune(strings.TrimLeft(found, " \t\r\n)")))
			e.Fix = &lang.Fix{From: from, To: to, Text: "??"}
		}
	}
	c.found(e)
	return true
}

// found notes a mistake.
func (c *schemaCheck) found(e *lang.CompileError) {
	if len(c.mistakes) < lang.MaxMistakes {
		c.mistakes = append(c.mistakes, e)
	}
}

// keyed returns what is known of label("…") and annotation("…").
func keyed(n *ast.CallNode, name string) fact {
	text, ok := nodes.FirstText(n)
	if !ok || len(n.Arguments) != 1 {
		return of("string")
	}
	return fact{schema: &lang.Schema{Type: "string"},
		path: name + "(" + strconv.Quote(text.Value) + ")"}
}
