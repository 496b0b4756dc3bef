package doubts

import (
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// reported are the variables that only the report of a rule has, besides those with known texts.
var reported = []string{"message", "violated", "since"}

// output warns about what an output sends or refuses.
func (f *finder) output(n ast.Node) {
	if rules, known := f.Texts["rule"]; known && len(rules) == 0 && f.Kind.SeesMessages() {
		f.neverReported(n)
		return
	}
	if refused := refusesEnds(n); refused != nil && f.Kind == lang.KindWhen && f.Ends {
		f.doubt(refused, n, "", "this refuses the end of each violation, which Alertmanager needs: its alerts would go on for 30 days; leave it out")
	}
}

// refusesEnds returns the part of a condition that is false of every end of a violation, nil if
// there is none.
func refusesEnds(n ast.Node) ast.Node {
	if nodes.IsName(n, "violated") {
		return n
	}
	b, ok := n.(*ast.BinaryNode)
	if !ok {
		return nil
	}
	left := refusesEnds(b.Left)
	switch {
	case nodes.IsAnd(b):
		if left != nil {
			return left
		}
		return refusesEnds(b.Right)
	case nodes.IsOr(b):
		if left != nil && refusesEnds(b.Right) != nil {
			return n
		}
	case b.Operator == "==" && left != nil && isTrue(b.Right),
		b.Operator == "==" && nodes.IsName(b.Left, "type") && isText(b.Right, violatedType),
		b.Operator == "!=" && nodes.IsName(b.Left, "type") && isText(b.Right, resolvedType):
		return n
	}
	return nil
}

// The types of the messages of rules.
const (
	violatedType = "dev.informerd.rule.violated"
	resolvedType = "dev.informerd.rule.resolved"
)

func isTrue(n ast.Node) bool {
	value, ok := n.(*ast.BoolNode)
	return ok && value.Value
}

func isText(n ast.Node, text string) bool {
	value, ok := n.(*ast.StringNode)
	return ok && value.Value == text
}

// neverReported warns about a variable of rules in an output that gets nothing from rules, where
// the expression has no answer without it.
func (f *finder) neverReported(n ast.Node) {
	if id, ok := n.(*ast.IdentifierNode); ok && slices.Contains(reported, id.Value) &&
		!f.asked[id.Value] {
		f.doubt(n, n, "", "%s is always nil: no listener of this output has rules", id.Value)
		return
	}
	switch n := n.(type) {
	case *ast.BinaryNode:
		if !nodes.IsOr(n) && n.Operator != "??" {
			f.neverReported(n.Left)
			f.neverReported(n.Right)
		}
	case *ast.MapNode:
		for _, pair := range n.Pairs {
			if pair, ok := pair.(*ast.PairNode); ok {
				f.neverReported(pair.Value)
			}
		}
	}
}
