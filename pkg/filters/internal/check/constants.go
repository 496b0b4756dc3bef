package check

import (
	"slices"
	"time"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// arithmetic refuses operations that quantities, durations and so on do not have.
func (in *inspector) arithmetic(n *ast.BinaryNode) error {
	left, isLeft := nodes.SpecialOf(n.Left)
	right, isRight := nodes.SpecialOf(n.Right)
	if !isLeft && !isRight {
		return nil
	}
	if n.Operator == "+" && isLeft != isRight {
		return nil // a text that is joined is reported with what to write
	}
	p := left
	if !isLeft {
		p = right
	}
	name := values.Readers[p].Name
	switch {
	case !nodes.IsAdded(p):
		return in.errorf(n, "%q cannot take %s(…)", n.Operator, name)
	case n.Operator == "/" && isLeft:
		return in.errorf(n, `a %s cannot be divided; multiply it by a fraction, as in * 0.5`,
			name)
	case n.Operator != "+" && n.Operator != "-" && n.Operator != "*":
		return in.errorf(n, "%q cannot take a %s; it can be added, subtracted and multiplied by a number", n.Operator, name)
	case isLeft && isRight && left != right:
		return in.errorf(n, "%q cannot take a %s and a %s", n.Operator, values.Readers[left].Name,
			values.Readers[right].Name)
	case isLeft && isRight && n.Operator == "*":
		return in.errorf(n, "a %s is multiplied by a number, not by a %s", name, name)
	}
	return nil
}

// member refuses a field that the values of semver, image and so on do not have.
func (in *inspector) member(n *ast.MemberNode) error {
	p, ok := nodes.SpecialOf(n.Node)
	name, isText := n.Property.(*ast.StringNode)
	if !ok || !isText || slices.Contains(values.Readers[p].Fields, name.Value) {
		return nil
	}
	if len(values.Readers[p].Fields) == 0 {
		return in.errorf(name, "%s has no fields", values.Readers[p].Name)
	}
	return in.errorf(name, "%s has no field %q%s", values.Readers[p].Name, name.Value,
		suggestion(name.Value, values.Readers[p].Fields, ""))
}

// constants refuses invalid constants next to quantities, durations and so on. It is the
// last check of an expression: what follows from another mistake is not reported.
func (s draft) constants(n ast.Node, seen map[ast.Node]bool) error {
	if seen[n] { // the parser puts one node in two places of 1 < a < 9 and of a ?: b
		return nil
	}
	seen[n] = true
	switch n := n.(type) {
	case *ast.BinaryNode:
		for _, o := range nodes.ConstantOperands(n) {
			if err := s.operand(n.Operator, o); err != nil {
				return err
			}
		}
	case *ast.CallNode:
		if err := s.startOfAge(n); err != nil {
			return err
		}
	}
	for _, child := range nodes.Children(n) {
		if err := s.constants(child, seen); err != nil {
			return err
		}
	}
	return nil
}

func (s draft) operand(operator string, o nodes.Operand) error {
	at := o.Node.Location().From
	switch n := o.Node.(type) {
	case *ast.StringNode:
		if values.Readers[o.Reader].Parse(n.Value) == nil {
			if operator == "+" && s.Kind.Returns() != lang.ReturnsBool && neverRead(o.Reader, n) {
				return s.CompileError(at, "%q is joined with a %s; put string(…) around that", n.Value,
					values.Readers[o.Reader].Name)
			}
			return s.CompileError(at, "%s", values.Readers[o.Reader].Refusal(n.Value))
		}
		return nil
	case *ast.BoolNode:
	default:
		if o.Reader == values.Quantities {
			return nil // a number is a quantity
		}
	}
	return s.CompileError(at, "%s compares %s with a text such as %s", operator,
		fact{special: values.Readers[o.Reader].Name}.word(), values.Readers[o.Reader].Example)
}

// startOfAge refuses a constant that is not a time.
func (s draft) startOfAge(n *ast.CallNode) error {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	text, isText := nodes.FirstText(n)
	if !ok || !isText || callee.Value != "age" {
		return nil
	}
	if _, err := time.Parse(time.RFC3339, text.Value); err != nil {
		return s.CompileError(text.Location().From,
			"%q is not a time; age takes one in the format of RFC 3339, such as \"2026-01-02T15:04:05Z\"", text.Value)
	}
	return nil
}
