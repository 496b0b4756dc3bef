package filters

import (
	"github.com/expr-lang/expr/ast"
)

// staticType is what is known of a rewritten node's value before it runs.
type staticType uint8

const (
	typeUnknown staticType = iota // may be nil
	typeBool
	typeNumber
	typeText
)

// boolCalls are the Evaluator's functions that give true or false; patterns and changes do, too.
var boolCalls = map[string]bool{
	"@truth": true, "@result": true, "@isnil": true, "@==": true, "@<": true, "@<=": true,
	"@>":  true,
	"@>=": true, "@in": true, "@contains": true, "@startsWith": true, "@endsWith": true,
	"@matches": true,
	"@hasOld":  true, "@glob": true,
}

// typeOf tells the type of a rewritten node where it cannot be nil.
func typeOf(n ast.Node) staticType {
	switch n := n.(type) {
	case *ast.BoolNode:
		return typeBool
	case *ast.IntegerNode, *ast.FloatNode:
		return typeNumber
	case *ast.StringNode:
		return typeText
	case *ast.IdentifierNode:
		switch n.Value {
		case "op":
			return typeText
		case "initial":
			return typeBool
		case "missed":
			return typeNumber
		}
	case *ast.UnaryNode:
		if n.Operator == "!" || n.Operator == "not" {
			return typeBool
		}
		return typeNumber
	case *ast.BinaryNode: // those that stay have operands of known types
		switch n.Operator {
		case "+":
			return typeOf(n.Left)
		case "-", "*", "/", "**", "^":
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
		if name := n.Callee.(*ast.IdentifierNode).Value; boolCalls[name] || isPatternName(name) ||
			isChangeName(name) || isBoolTraceName(name) {
			return typeBool
		}
	}
	return typeUnknown
}

func (r *rewriter) unary(n *ast.UnaryNode) ast.Node {
	if n.Operator == "!" || n.Operator == "not" {
		n.Node = r.truth(n.Node)
		return n
	}
	n.Node = r.node(n.Node)
	if typeOf(n.Node) == typeNumber {
		return n
	}
	return call(n, "@"+n.Operator+"x", n.Node)
}

// binary leaves operations on values whose types are known to expr and makes calls of the others.
func (r *rewriter) binary(n *ast.BinaryNode) ast.Node {
	switch n.Operator {
	case "&&", "and", "||", "or":
		n.Left, n.Right = r.truth(n.Left), r.truth(n.Right)
		return n
	case "matches":
		if text, ok := n.Right.(*ast.StringNode); ok {
			return r.constantPattern(n, text)
		}
	}
	r.alike(n)
	n.Left, n.Right = r.node(n.Left), r.node(n.Right)
	left, right := typeOf(n.Left), typeOf(n.Right)
	same := left == right
	switch n.Operator {
	case "??":
		return n
	case "==", "!=":
		if same && left != typeUnknown {
			return n
		}
		return r.equality(n)
	case "<", "<=", ">", ">=":
		if same && (left == typeNumber || left == typeText) {
			return n
		}
	case "contains", "startsWith", "endsWith":
		if same && left == typeText {
			return n
		}
	case "+", "-", "*", "/", "**", "^":
		if same && left == typeNumber || n.Operator == "+" && same && left == typeText {
			return n
		}
	}
	return call(n, "@"+n.Operator, n.Left, n.Right)
}

func (r *rewriter) equality(n *ast.BinaryNode) ast.Node {
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
	not := &ast.UnaryNode{Operator: "not", Node: equal}
	not.SetLocation(n.Location())
	return not
}

func (r *rewriter) constantPattern(n *ast.BinaryNode, text *ast.StringNode) ast.Node {
	p, err := compilePattern(text.Value)
	if err != nil {
		r.err = r.filter.source.compileError(text.Location().From, "%v", err)
		return n
	}
	r.filter.patterns = append(r.filter.patterns, p)
	return call(n, patternName(len(r.filter.patterns)-1), r.node(n.Left))
}
