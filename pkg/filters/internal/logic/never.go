package logic

import (
	"slices"
	"strconv"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// Never reports whether an expression is true of no event, since it compares the same value with
// constants that exclude each other. False means unknown.
func Never(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BoolNode:
		return !n.Value
	case *ast.BinaryNode:
		switch {
		case nodes.IsAnd(n):
			var all []ast.Node
			parts(n, &all)
			return slices.ContainsFunc(all, Never) || exclude(all)
		case nodes.IsOr(n):
			return Never(n.Left) && Never(n.Right)
		}
	case *ast.ConditionalNode:
		return Never(n.Exp2) && (Never(n.Cond) || Never(n.Exp1))
	case *ast.VariableDeclaratorNode:
		return Never(n.Expr)
	case *ast.CallNode:
		return nodes.IsName(n.Callee, "became") && len(n.Arguments) == 1 && Never(n.Arguments[0])
	case *ast.BuiltinNode:
		return n.Name == "any" && len(n.Arguments) == 2 && Never(n.Arguments[1])
	case *ast.PredicateNode:
		return Never(n.Node)
	}
	return false
}

// parts adds what must all be true for a chain of ands to be.
func parts(n ast.Node, all *[]ast.Node) {
	if b, ok := n.(*ast.BinaryNode); ok && nodes.IsAnd(b) {
		parts(b.Left, all)
		parts(b.Right, all)
		return
	}
	*all = append(*all, n)
}

// asked is what the parts of a chain ask of one value.
type asked struct {
	bounds []bound
	oneOf  [][]string // constants
	texts  []partOf
	none   bool // it is nil
}

// exclude reports whether parts ask the same value for what excludes each other.
func exclude(parts []ast.Node) bool {
	all := map[string]*asked{}
	of := func(n ast.Node) *asked {
		text := n.String()
		if all[text] == nil {
			all[text] = &asked{}
		}
		return all[text]
	}
	for _, part := range parts {
		if b, ok := boundOf(part); ok && isSteady(b.of) {
			a := of(b.of)
			a.bounds = append(a.bounds, b)
			continue
		}
		if value, ok := nilOf(part); ok && isSteady(value) {
			of(value).none = true
		} else if c, ok := comparedOf(part, true); ok && isPlain(c.value) {
			a := of(c.value)
			a.oneOf = append(a.oneOf, c.constants)
		} else if p, ok := partOfText(part); ok && isPlain(p.value) {
			of(p.value).texts = append(of(p.value).texts, p)
		}
	}
	for _, a := range all {
		if a.exclude() {
			return true
		}
	}
	return false
}

func (a *asked) exclude() bool {
	if a.none && len(a.bounds)+len(a.oneOf) > 0 {
		return true // nil equals only nil, and has no order
	}
	for i, b := range a.bounds {
		if slices.ContainsFunc(a.bounds[:i], func(other bound) bool {
			// What is read as a quantity may be nearly equal.
			return b.contradicts(other) && (b.number != other.number || b.span || isPlain(b.of))
		}) || slices.ContainsFunc(a.oneOf, b.excludes) {
			return true
		}
	}
	for i, p := range a.texts {
		if slices.ContainsFunc(a.texts[:i], p.contradicts) ||
			slices.ContainsFunc(a.oneOf, p.excludes) {
			return true
		}
	}
	for i, one := range a.oneOf {
		if slices.ContainsFunc(a.oneOf[:i], func(other []string) bool {
			return disjoint(one, other)
		}) {
			return true
		}
	}
	return false
}

// excludes reports whether none of some constants is within the bound.
func (b bound) excludes(constants []string) bool {
	return !b.span && !slices.ContainsFunc(constants, func(text string) bool {
		number, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return false // a text in quotes, which has no order with a number
		}
		return number == b.number && b.including || b.upper == (number < b.number) &&
			number != b.number
	})
}

// nilOf returns what is compared with nil, and has to be nil.
func nilOf(part ast.Node) (ast.Node, bool) {
	b, ok := part.(*ast.BinaryNode)
	if !ok || b.Operator != "==" {
		return nil, false
	}
	if isNil(b.Left) {
		return b.Right, !isNil(b.Right)
	}
	return b.Left, isNil(b.Right)
}

// isPlain reports whether a value is read from the object as it is, so that constants which are
// written differently are different. Those that are read as quantities are not.
func isPlain(n ast.Node) bool {
	base, keys := nodes.ConstantSteps(n)
	switch base := base.(type) {
	case *ast.IdentifierNode:
		return len(keys) > 0 && (base.Value == "object" || base.Value == "old")
	case *ast.PointerNode:
		return base.Name == ""
	case *ast.CallNode:
		return len(base.Arguments) == 1 &&
			(nodes.IsName(base.Callee, "label") || nodes.IsName(base.Callee, "annotation"))
	}
	return false
}

// isSteady reports whether an expression has one value wherever it is evaluated for an event. What
// is in a cache may change meanwhile.
func isSteady(n ast.Node) bool {
	if call, ok := n.(*ast.CallNode); ok &&
		(nodes.IsName(call.Callee, "cached") || nodes.IsName(call.Callee, "byIndex")) {
		return false
	}
	return !slices.ContainsFunc(nodes.Children(n), func(n ast.Node) bool { return !isSteady(n) })
}
