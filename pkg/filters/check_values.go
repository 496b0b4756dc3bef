package filters

import (
	"slices"
	"time"

	"github.com/expr-lang/expr/ast"
)

// arithmetic refuses what no value of quantity, duration and so on can do.
func (in *inspector) arithmetic(n *ast.BinaryNode) error {
	left, isLeft := specialOf(n.Left)
	right, isRight := specialOf(n.Right)
	if !isLeft && !isRight {
		return nil
	}
	p := left
	if !isLeft {
		p = right
	}
	name := readers[p].name
	switch {
	case !isAdded(p):
		return in.errorf(n, "%q cannot take %s(…)", n.Operator, name)
	case n.Operator == "/" && isLeft:
		return in.errorf(n, `a %s cannot be divided; multiply it with a fraction, as in * 0.5`,
			name)
	case n.Operator != "+" && n.Operator != "-" && n.Operator != "*":
		return in.errorf(n, "%q cannot take a %s; it can be added, subtracted and multiplied with a number", n.Operator, name)
	case isLeft && isRight && left != right:
		return in.errorf(n, "%q cannot take a %s and a %s", n.Operator, readers[left].name,
			readers[right].name)
	case isLeft && isRight && n.Operator == "*":
		return in.errorf(n, "a %s is multiplied with a number, not with a %s", name, name)
	}
	return nil
}

// member refuses a field that the value of semver, image and so on does not have.
func (in *inspector) member(n *ast.MemberNode) error {
	p, ok := specialOf(n.Node)
	name, isText := n.Property.(*ast.StringNode)
	if !ok || !isText || slices.Contains(readers[p].fields, name.Value) {
		return nil
	}
	if len(readers[p].fields) == 0 {
		return in.errorf(name, "%s has no fields", readers[p].name)
	}
	return in.errorf(name, "%s has no field %q%s", readers[p].name, name.Value,
		choice(name.Value, readers[p].fields, ""))
}

// constants refuses what cannot be read of the constants beside quantities, durations and so on. It
// is the last check of an expression: what follows from another mistake is none of its own.
func (s draft) constants(n ast.Node, seen map[ast.Node]bool) error {
	if seen[n] { // the parser puts one node in two places for 1 < a < 9 and a ?: b
		return nil
	}
	seen[n] = true
	switch n := n.(type) {
	case *ast.BinaryNode:
		for _, o := range constantOperands(n) {
			if err := s.operand(n.Operator, o); err != nil {
				return err
			}
		}
	case *ast.CallNode:
		if err := s.startOfAge(n); err != nil {
			return err
		}
	}
	for _, child := range children(n) {
		if err := s.constants(child, seen); err != nil {
			return err
		}
	}
	return nil
}

func (s draft) operand(operator string, o Operand) error {
	at := o.Node.Location().From
	switch n := o.Node.(type) {
	case *ast.StringNode:
		if readers[o.Reader].parse(n.Value) == nil {
			return s.compileError(at, "%s", readers[o.Reader].refusal(n.Value))
		}
		return nil
	case *ast.BoolNode:
	default:
		if o.Reader == parseQuantities {
			return nil // a number is one
		}
	}
	return s.compileError(at, "%s compares a %s with a text such as %s", operator,
		readers[o.Reader].name, readers[o.Reader].example)
}

// startOfAge refuses a constant that age cannot count from.
func (s draft) startOfAge(n *ast.CallNode) error {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	text, isText := firstText(n)
	if !ok || !isText || callee.Value != "age" {
		return nil
	}
	if _, err := time.Parse(time.RFC3339, text.Value); err != nil {
		return s.compileError(text.Location().From,
			"%q is no time that age can count from; write it as RFC 3339 does, such as \"2026-01-02T15:04:05Z\"", text.Value)
	}
	return nil
}
