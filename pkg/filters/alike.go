package filters

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
)

func (r *rewriter) fail(at ast.Node, format string, args ...any) {
	if r.err == nil {
		r.err = r.filter.source.compileError(at.Location().From, format, args...)
	}
}

// known writes the variables that are the same for all events as constants.
func (r *rewriter) known(n *ast.IdentifierNode) ast.Node {
	text := &ast.StringNode{Value: r.filter.source.Cluster}
	if n.Value == "listener" {
		text.Value = r.filter.source.Listener
	}
	text.SetLocation(n.Location())
	return text
}

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

// alike reads constants beside quantities, durations and so on when the expression is compiled, and
// refuses those that are none.
func (r *rewriter) alike(n *ast.BinaryNode) {
	switch n.Operator {
	default:
		return
	case "==", "!=", "<", "<=", ">", ">=", "in":
	case "+", "-":
		r.addedAlike(n)
		return
	}
	left, isLeft := specialOf(n.Left)
	right, isRight := specialOf(n.Right)
	switch n.Operator {
	case "in":
		r.memberAlike(n, left, isLeft, right, isRight)
	default:
		if isLeft {
			n.Right = r.constantLike(left, n.Operator, n.Right)
		} else if isRight {
			n.Left = r.constantLike(right, n.Operator, n.Left)
		}
	}
}

// addedAlike is for what can be added: a text with a quantity or a duration.
func (r *rewriter) addedAlike(n *ast.BinaryNode) {
	if p, ok := specialOf(n.Left); ok && isAdded(p) {
		if text, ok := n.Right.(*ast.StringNode); ok {
			n.Right = r.constantLike(p, n.Operator, text)
		}
	} else if p, ok := specialOf(n.Right); ok && isAdded(p) {
		if text, ok := n.Left.(*ast.StringNode); ok {
			n.Left = r.constantLike(p, n.Operator, text)
		}
	}
}

func isAdded(p reader) bool { return p == parseQuantities || p == parseDurations }

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

func (r *rewriter) memberAlike(n *ast.BinaryNode, left reader, isLeft bool, right reader,
	isRight bool) {
	if list, ok := n.Right.(*ast.ArrayNode); ok && isLeft {
		for i := range list.Nodes {
			list.Nodes[i] = r.constantLike(left, n.Operator, list.Nodes[i])
		}
	}
	if text, ok := n.Right.(*ast.StringNode); ok &&
		(left == parseAddresses || left == parseNetworks) && isLeft {
		n.Right = r.constantLike(parseNetworks, n.Operator, text)
	}
	if text, ok := n.Left.(*ast.StringNode); ok && right == parseNetworks && isRight {
		like := parseAddresses
		if strings.Contains(text.Value, "/") {
			like = parseNetworks
		}
		n.Left = r.constantLike(like, n.Operator, text)
	}
}

func (r *rewriter) constantLike(p reader, operator string, n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.StringNode:
		x := readers[p].parse(n.Value)
		if x == nil {
			r.fail(n, "%s", readers[p].refusal(n.Value))
			return n
		}
		return constant(n, x)
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		if _, isBool := n.(*ast.BoolNode); isBool || p != parseQuantities {
			r.fail(n, "%s compares a %s with a text such as %s", operator, readers[p].name,
				readers[p].example)
		}
	}
	return n
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
