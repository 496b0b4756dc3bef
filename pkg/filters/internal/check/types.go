package check

import (
	"slices"
	"time"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// needs refuses a value of another type where an operator, in quotes, or a function needs one of
// a kind. It would fail for every object that has it.
func (c *schemaCheck) needs(n ast.Node, value fact, kind, by string) {
	words := map[string]string{"boolean": "true or false", "string": "a text", "array": "a list"}
	if value.kind() == kind || value.kind() == "" && (value.special == "" || kind != "string") {
		return
	}
	c.errorf(n.Location().From, "%s is %s, and %s needs %s%s", value.called(), value.word(), by,
		words[kind], value.asCondition(kind))
}

// calculation refuses arithmetic on types that never fit. Joining a text and a number, for
// example, always fails.
func (c *schemaCheck) calculation(n *ast.BinaryNode, left, right fact) fact {
	a, b := left.kind(), right.kind()
	switch {
	case left.special != "" || right.special != "":
		return c.specialCalculation(n, left, right)
	case a == "" || b == "" || n.Operator == "..":
		return fact{}
	case a == "string" && b == "string" && n.Operator == "+", a == "number" && b == "number":
		return fact{schema: &lang.Schema{Type: a}}
	}
	hint := ""
	if n.Operator == "+" && (a == "string" && isScalar(b) || b == "string" && isScalar(a)) {
		hint = "; put string(…) around what is no text"
	}
	c.errorf(n.Location().From, "%q cannot take %s and %s%s", n.Operator, left.word(), right.word(),
		hint)
	return fact{}
}

// specialCalculation returns what is known of a sum, a difference or a product of quantities,
// durations and dates. Next to a quantity or a duration a text is read as one, so where a text is
// made the whole is nil.
func (c *schemaCheck) specialCalculation(n *ast.BinaryNode, left, right fact) fact {
	special, text := left.special, right
	textNode := n.Right
	if special == "" {
		special, text, textNode = right.special, left, n.Left
	}
	literal, isLiteral := textNode.(*ast.StringNode)
	reader, reads := values.ReaderOf(special)
	added := reads && lang.IsAdded(reader)
	switch {
	case n.Operator != "+" || text.special != "" || text.kind() == "":
	case !added && (text.is("string") || special != dateType):
		c.errorf(n.Location().From, `"+" cannot take %s and %s`, left.word(), right.word())
		return fact{}
	case added && text.is("string") && c.compared == 0 &&
		c.expression.Kind.Returns() != lang.ReturnsBool &&
		!(isLiteral && values.Readers[reader].Parse(literal.Value) != nil):
		c.errorf(textNode.Location().From,
			"a text next to %s is read as one; put string(…) around that", typeWord(special))
		return fact{}
	}
	switch {
	case n.Operator == "-" && left.special == dateType && right.special == dateType:
		special = values.Readers[values.Durations].Name
	case left.special == dateType || right.special == dateType:
		special = dateType
	}
	return fact{special: special}
}

// orders refuses an order of a date and something that is none.
func (c *schemaCheck) orders(n *ast.BinaryNode, left, right fact) {
	if right.special == dateType {
		left, right = right, left
	}
	if left.special != dateType || right.special != "" || right.kind() == "" {
		return
	}
	c.errorf(n.Location().From, "%q cannot take a date and %s; write date(…) or age(…)",
		n.Operator, right.word())
}

// arithmetic refuses operations that quantities, durations and so on do not have.
func (in *inspector) arithmetic(n *ast.BinaryNode) error {
	left, isLeft := lang.SpecialOf(n.Left)
	right, isRight := lang.SpecialOf(n.Right)
	if !isLeft && !isRight || n.Operator == "+" && isLeft != isRight {
		return nil // a text that is joined is looked at with its type
	}
	p := left
	if !isLeft {
		p = right
	}
	name := values.Readers[p].Name
	switch {
	case !lang.IsAdded(p):
		return in.errorf(n, "%q cannot take %s(…)", n.Operator, name)
	case n.Operator == "/" && isLeft:
		return in.errorf(n, "a %s cannot be divided; multiply it by a fraction, as in * 0.5", name)
	case n.Operator != "+" && n.Operator != "-" && n.Operator != "*":
		return in.errorf(n, "%q cannot take a %s", n.Operator, name)
	case isLeft && isRight && left != right:
		return in.errorf(n, "%q cannot take a %s and a %s", n.Operator, values.Readers[left].Name,
			values.Readers[right].Name)
	case isLeft && isRight && n.Operator == "*":
		return in.errorf(n, "a %s is multiplied by a number, not by a %s", name, name)
	}
	return nil
}

// member refuses a field that cluster, or the values of semver, image and so on, do not have.
func (in *inspector) member(n *ast.MemberNode) error {
	if member, ok := lang.OfCluster(n); ok && member != "name" && member != "labels" {
		return in.errorf(n.Property,
			"cluster has no such field; there are cluster.name and cluster.labels")
	}
	p, ok := lang.SpecialOf(n.Node)
	name, isText := n.Property.(*ast.StringNode)
	if !ok || !isText || slices.Contains(values.Readers[p].Fields, name.Value) {
		return nil
	}
	return in.errorf(name, "%s has no field %s%s", values.Readers[p].Name, name.Value,
		suggestion(name.Value, values.Readers[p].Fields))
}

// constants refuses invalid constants next to quantities, durations and so on. It is the
// last check of an expression: what follows from another mistake is not reported.
func constants(x lang.Expression, n ast.Node, seen map[ast.Node]bool) error {
	if seen[n] { // the parser puts one node in two places of 1 < a < 9 and of a ?: b
		return nil
	}
	seen[n] = true
	switch n := n.(type) {
	case *ast.BinaryNode:
		for _, o := range lang.ConstantOperands(n) {
			if err := operand(x, n.Operator, o); err != nil {
				return err
			}
		}
	case *ast.CallNode:
		text, isText := lang.FirstText(n)
		if !isText || !lang.IsName(n.Callee, "age") {
			break
		}
		if _, err := time.Parse(time.RFC3339, text.Value); err != nil {
			return x.CompileError(text.Location().From,
				"%q is not a time, such as \"2026-01-02T15:04:05Z\"", text.Value)
		}
	}
	for _, child := range lang.Children(n) {
		if err := constants(x, child, seen); err != nil {
			return err
		}
	}
	return nil
}

// operand refuses a constant that cannot be read.
func operand(x lang.Expression, operator string, o lang.Operand) error {
	reader, at := values.Readers[o.Reader], o.Node.Location().From
	switch n := o.Node.(type) {
	case *ast.StringNode:
		if reader.Parse(n.Value) == nil {
			return x.CompileError(at, "%s", reader.Refusal(n.Value))
		}
		return nil
	case *ast.BoolNode:
	default:
		if o.Reader == values.Quantities {
			return nil // a number is a quantity
		}
	}
	return x.CompileError(at, "%q compares %s with a text such as %s", operator,
		typeWord(reader.Name), reader.Example)
}
