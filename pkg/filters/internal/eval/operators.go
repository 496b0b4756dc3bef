package eval

import (
	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// typeOf returns the type of a rewritten node that cannot be nil.
func (r *rewriter) typeOf(n ast.Node) resultType {
	switch n := n.(type) {
	case *ast.BoolNode:
		return typeBool
	case *ast.IntegerNode, *ast.FloatNode:
		return typeNumber
	case *ast.StringNode:
		return typeText
	case *ast.IdentifierNode:
		return variableTypes[n.Value]
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return typeBool
		}
		return typeNumber
	case *ast.BinaryNode: // the operators that remain have operands of known types
		switch n.Operator {
		case "+":
			return typeText
		case "/", "**", "^":
			return typeNumber
		case "??":
			return typeUnknown
		default:
			return typeBool
		}
	case *ast.BuiltinNode:
		switch n.Name {
		case "any", "all", "none", "one":
			return typeBool
		case "count":
			return typeNumber
		}
	case *ast.CallNode:
		return r.program.result(n.Callee.(*ast.IdentifierNode).Value)
	}
	return typeUnknown
}

// variableTypes are the types of the variables that are never nil.
var variableTypes = map[string]resultType{"op": typeText, "initial": typeBool,
	"missed": typeNumber, "resumed": typeBool}

func (r *rewriter) unary(n *ast.UnaryNode) ast.Node {
	copied := *n
	if n.Operator == "!" || n.Operator == "not" {
		copied.Node = r.truth(n.Node)
		return &copied
	}
	copied.Node = r.node(n.Node)
	switch copied.Node.(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		return &copied
	}
	return call(n, "@"+n.Operator+"x", copied.Node)
}

// binary keeps operations on values whose types expr knows, and makes calls of the others.
func (r *rewriter) binary(n *ast.BinaryNode) ast.Node {
	copied := *n
	switch n.Operator {
	case "&&", "and", "||", "or":
		copied.Left, copied.Right = r.truth(n.Left), r.truth(n.Right)
		return &copied
	case "matches":
		if text, ok := n.Right.(*ast.StringNode); ok {
			return r.constantPattern(n, text)
		}
	}
	meant := withConstants(n)
	copied.Left, copied.Right = r.nodeOf(n.Left, meant.Left), r.nodeOf(n.Right, meant.Right)
	if r.keepsOperator(&copied) {
		return &copied
	}
	if n.Operator == "==" || n.Operator == "!=" {
		return equality(&copied)
	}
	return call(n, "@"+n.Operator, copied.Left, copied.Right)
}

// keepsOperator reports whether the types of both rewritten operands are known and the
// operator takes them.
func (r *rewriter) keepsOperator(n *ast.BinaryNode) bool {
	left, right := r.typeOf(n.Left), r.typeOf(n.Right)
	switch {
	case n.Operator == "??":
		return true
	case left != right || left == typeUnknown:
		return false
	}
	switch n.Operator {
	case "==", "!=":
		return true
	case "<", "<=", ">", ">=":
		return left == typeNumber || left == typeText
	case "+", "contains", "startsWith", "endsWith": // expr's sums of numbers wrap
		return left == typeText
	case "/", "**", "^":
		return left == typeNumber
	}
	return false
}

// equality returns the comparison of two rewritten operands.
func equality(n *ast.BinaryNode) ast.Node {
	var equal ast.Node
	if _, ok := n.Right.(*ast.NilNode); ok {
		equal = call(n, "@isnil", n.Left)
	} else if _, ok := n.Left.(*ast.NilNode); ok {
		equal = call(n, "@isnil", n.Right)
	} else {
		equal = call(n, "@==", n.Left, n.Right)
	}
	if n.Operator == "==" {
		return equal
	}
	return placed(n, &ast.UnaryNode{Operator: "not", Node: equal})
}

func (r *rewriter) constantPattern(n *ast.BinaryNode, text *ast.StringNode) ast.Node {
	p, err := values.CompilePattern(text.Value)
	if err != nil {
		panic(err) // it was checked
	}
	return call(n, r.program.add("@pattern."+text.Value, operation{typeBool, func(e *Evaluator) any {
		return e.matchesConstant(p)
	}}), r.node(n.Left))
}
