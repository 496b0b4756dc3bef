package lang

import (
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// SpecialOf returns the reader whose values a node has, as far as the node alone says so.
func SpecialOf(n ast.Node) (values.Reader, bool) {
	switch n := n.(type) {
	case *ast.CallNode:
		callee, ok := n.Callee.(*ast.IdentifierNode)
		if !ok {
			break
		}
		if callee.Value == "age" {
			return values.Durations, true
		}
		return values.ReaderOf(callee.Value)
	case *ast.BinaryNode:
		switch n.Operator {
		case "+", "-", "*", "??":
			if p, ok := SpecialOf(n.Left); ok {
				return p, true
			}
			return SpecialOf(n.Right)
		}
	case *ast.BuiltinNode:
		if n.Name == "sum" && len(n.Arguments) == 2 {
			return SpecialOf(n.Arguments[1])
		}
	case *ast.PredicateNode:
		return SpecialOf(n.Node)
	case *ast.ConditionalNode:
		if p, ok := SpecialOf(n.Exp1); ok {
			return p, true
		}
		return SpecialOf(n.Exp2)
	}
	return 0, false
}

// IsAdded reports whether the values of a reader can be added.
func IsAdded(p values.Reader) bool { return p == values.Quantities || p == values.Durations }

// Operand is a constant operand next to a quantity, a duration and so on, with the reader
// that reads it.
type Operand struct {
	Node   ast.Node
	Reader values.Reader
}

// ConstantOperands returns the constants that an operation takes as values of a reader.
func ConstantOperands(n *ast.BinaryNode) (operands []Operand) {
	add := func(operand ast.Node, r values.Reader) {
		if _, ok := Constant(operand); ok {
			operands = append(operands, Operand{operand, r})
		}
	}
	left, isLeft := SpecialOf(n.Left)
	right, isRight := SpecialOf(n.Right)
	switch n.Operator {
	case "==", "!=", "<", "<=", ">", ">=":
		if isLeft {
			add(n.Right, left)
		} else if isRight {
			add(n.Left, right)
		}
	case "+", "-": // a text with a quantity or a duration
		if isLeft && IsAdded(left) && isText(n.Right) {
			add(n.Right, left)
		} else if (!isLeft || !IsAdded(left)) && isRight && IsAdded(right) && isText(n.Left) {
			add(n.Left, right)
		}
	case "in":
		if list, ok := n.Right.(*ast.ArrayNode); ok && isLeft {
			for _, item := range list.Nodes {
				add(item, left)
			}
		}
		if isLeft && (left == values.Addresses || left == values.Networks) && isText(n.Right) {
			add(n.Right, values.Networks)
		}
		if text, ok := n.Left.(*ast.StringNode); ok && isRight && right == values.Networks {
			if strings.Contains(text.Value, "/") {
				add(text, values.Networks)
			} else {
				add(text, values.Addresses)
			}
		}
	}
	return operands
}

func isText(n ast.Node) bool {
	_, ok := n.(*ast.StringNode)
	return ok
}
