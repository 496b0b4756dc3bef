package check

import (
	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// negated refuses !a == "b" and the like: the operator negates a alone.
func (s draft) negated(n *ast.BinaryNode) error {
	not, ok := n.Left.(*ast.UnaryNode)
	if !ok || not.Operator != "!" && not.Operator != "not" {
		return nil
	}
	instead := map[string]string{"==": "!=", "!=": "=="}[n.Operator]
	switch n.Operator {
	case "==", "!=":
		if kind := literalKind(n.Right); kind != "string" && kind != "number" {
			return nil // it may be meant
		}
	case "contains", "startsWith", "endsWith", "matches", "<", "<=", ">", ">=":
	default:
		return nil
	}
	texts := nodes.NewExtents(s.Text)
	a, b := written(texts, not.Node), written(texts, n.Right)
	write := a + " " + instead + " " + b
	if instead == "" {
		write = "not (" + a + " " + n.Operator + " " + b + ")"
	}
	if a == "" || b == "" {
		write = "brackets around what is negated"
	}
	return s.CompileError(n.Location().From, "%q negates what follows it alone, not the whole comparison; write %s",
		not.Operator, write)
}
