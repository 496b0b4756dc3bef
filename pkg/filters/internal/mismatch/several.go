package mismatch

import (
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// maxEach is how many texts of a list a proposal names one by one.
const maxEach = 5

// withEach answers x startsWith ["a", "b"], nil for another operation.
func (s answers) withEach(n *ast.BinaryNode, offset int, what string) *lang.CompileError {
	list, ok := n.Right.(*ast.ArrayNode)
	if !ok || len(list.Nodes) == 0 || len(list.Nodes) > maxEach {
		return nil
	}
	switch n.Operator {
	case "startsWith", "endsWith", "contains", "matches":
	default:
		return nil
	}
	texts := nodes.NewExtents(s.Text)
	value := written(texts, n.Left)
	at, whole := texts.Span(n)
	if !whole || value == "" {
		return nil
	}
	parts := make([]string, len(list.Nodes))
	for i, item := range list.Nodes {
		if _, text := item.(*ast.StringNode); !text {
			return nil
		}
		parts[i] = value + " " + n.Operator + " " + written(texts, item)
	}
	at.Text = strings.Join(parts, " || ")
	if len(parts) > 1 {
		at.Text = "(" + at.Text + ")"
	}
	return s.Proposed(offset, &at, "%q cannot take %s; write %s", n.Operator, what, at.Text)
}

// labelIs answers label("app", "web") where the label is asked for its value, nil for another call.
func (s answers) labelIs(where *file.Error, tree *parser.Tree) *lang.CompileError {
	if tree == nil {
		return nil
	}
	call, ok := nodeAt(&tree.Node, where.From, func(n ast.Node) bool {
		call, ok := n.(*ast.CallNode)
		return ok && len(call.Arguments) == 2 &&
			(nodes.IsName(call.Callee, "label") || nodes.IsName(call.Callee, "annotation"))
	}).(*ast.CallNode)
	if !ok {
		return nil
	}
	texts := nodes.NewExtents(s.Text)
	at, whole := texts.Span(call)
	name := call.Callee.(*ast.IdentifierNode).Value
	for _, arg := range call.Arguments {
		if _, text := arg.(*ast.StringNode); !text || !whole {
			return nil
		}
	}
	at.Text = name + "(" + written(texts, call.Arguments[0]) + ") == " +
		written(texts, call.Arguments[1])
	return s.Proposed(where.From, &at, "%s takes a key alone; write %s", name, at.Text)
}
