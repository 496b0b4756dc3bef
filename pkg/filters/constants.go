package filters

import (
	"strings"

	"github.com/expr-lang/expr/ast"
)

// specialOf tells which function's values a node, as the user wrote it, gives.
func specialOf(n ast.Node) (reader, bool) {
	switch n := n.(type) {
	case *ast.CallNode:
		callee, ok := n.Callee.(*ast.IdentifierNode)
		if !ok {
			break
		}
		if callee.Value == "age" {
			return parseDurations, true
		}
		return readerOf(callee.Value)
	case *ast.BinaryNode:
		switch n.Operator {
		case "+", "-", "*", "??":
			if p, ok := specialOf(n.Left); ok {
				return p, true
			}
			return specialOf(n.Right)
		}
	case *ast.BuiltinNode:
		if n.Name == "sum" && len(n.Arguments) == 2 {
			return specialOf(n.Arguments[1])
		}
	case *ast.PredicateNode:
		return specialOf(n.Node)
	case *ast.ConditionalNode:
		if p, ok := specialOf(n.Exp1); ok {
			return p, true
		}
		return specialOf(n.Exp2)
	}
	return 0, false
}

// isAdded reports whether the values of a reader can be added.
func isAdded(p reader) bool { return p == parseQuantities || p == parseDurations }

// Operand is a constant beside a quantity, a duration and so on, with the reader that reads it.
type Operand struct {
	Node   ast.Node
	Reader reader
}

// constantOperands returns the constants that an operation takes as values of a reader.
func constantOperands(n *ast.BinaryNode) (operands []Operand) {
	add := func(operand ast.Node, r reader) {
		switch operand.(type) {
		case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
			operands = append(operands, Operand{operand, r})
		}
	}
	left, isLeft := specialOf(n.Left)
	right, isRight := specialOf(n.Right)
	switch n.Operator {
	case "==", "!=", "<", "<=", ">", ">=":
		if isLeft {
			add(n.Right, left)
		} else if isRight {
			add(n.Left, right)
		}
	case "+", "-": // a text with a quantity or a duration
		if isLeft && isAdded(left) && isText(n.Right) {
			add(n.Right, left)
		} else if (!isLeft || !isAdded(left)) && isRight && isAdded(right) && isText(n.Left) {
			add(n.Left, right)
		}
	case "in":
		if list, ok := n.Right.(*ast.ArrayNode); ok && isLeft {
			for _, item := range list.Nodes {
				add(item, left)
			}
		}
		if isLeft && (left == parseAddresses || left == parseNetworks) && isText(n.Right) {
			add(n.Right, parseNetworks)
		}
		if text, ok := n.Left.(*ast.StringNode); ok && isRight && right == parseNetworks {
			if strings.Contains(text.Value, "/") {
				add(text, parseNetworks)
			} else {
				add(text, parseAddresses)
			}
		}
	}
	return operands
}

func isText(n ast.Node) bool {
	_, ok := n.(*ast.StringNode)
	return ok
}
