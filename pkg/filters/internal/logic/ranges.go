package logic

import (
	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// bound is a number, or a span of time, that a value is compared with.
type bound struct {
	of, at    ast.Node
	number    float64
	upper     bool
	including bool
	span      bool
}

var orders = map[string]bound{"<": {upper: true}, "<=": {upper: true, including: true}, ">": {},
	">=": {including: true}}

var turned = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}

// boundOf returns the bound that a part of a chain sets.
func boundOf(part ast.Node) (bound, bool) {
	n, ok := part.(*ast.BinaryNode)
	if !ok || turned[n.Operator] == "" {
		return bound{}, false
	}
	b, of, to := orders[n.Operator], n.Left, n.Right
	if _, literal := constant(of); literal {
		b, of, to = orders[turned[n.Operator]], to, of
	}
	b.of, b.at = of, to
	switch to := to.(type) {
	case *ast.IntegerNode:
		const exact = 1 << 53 // of a float64
		b.number = float64(to.Value)
		return b, -exact < to.Value && to.Value < exact
	case *ast.FloatNode:
		b.number = to.Value
		return b, true
	case *ast.StringNode:
		call, ok := of.(*ast.CallNode)
		span, is := values.ParseDuration(to.Value)
		b.number, b.span = float64(span), true
		return b, ok && is && (nodes.IsName(call.Callee, "age") || nodes.IsName(call.Callee, "duration"))
	}
	return bound{}, false
}

// contradicts reports whether no value is within two bounds.
func (b bound) contradicts(other bound) bool {
	if b.upper == other.upper || b.span != other.span {
		return false
	}
	if b.upper {
		b, other = other, b
	}
	return b.number > other.number ||
		b.number == other.number && !(b.including && other.including)
}
