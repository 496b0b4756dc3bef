package logic

import (
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// Several returns what to write in place of a comparison with several texts, x == "a" || "b", and
// the largest part of the tree that it replaces; nil if n, an operation of || or && with a text,
// belongs to none.
func Several(tree ast.Node, n *ast.BinaryNode, text Text) (whole ast.Node, write string) {
	if !nodes.IsOr(n) && !nodes.IsAnd(n) {
		return nil, ""
	}
	finder := &chainFinder{within: n}
	ast.Walk(&tree, finder)
	var s several
	if finder.found == nil || !s.read(finder.found) || s.compared == nil || len(s.values) < 2 {
		return nil, ""
	}
	list := make([]string, len(s.values))
	for i, value := range s.values {
		list[i] = text(value)
	}
	by := " in ["
	if s.compared.Operator == "!=" {
		by = " not in ["
	}
	return finder.found, text(s.compared.Left) + by + strings.Join(list, ", ") + "]"
}

// several is one comparison with several texts.
type several struct {
	compared *ast.BinaryNode
	values   []ast.Node
}

func (s *several) read(part ast.Node) bool {
	b, ok := part.(*ast.BinaryNode)
	switch {
	case isText(part):
		s.values = append(s.values, part)
		return true
	case !ok:
		return false
	case nodes.IsOr(b) || nodes.IsAnd(b):
		return s.read(b.Left) && s.read(b.Right)
	case s.compared == nil && (b.Operator == "==" || b.Operator == "!="):
		s.compared = b
		return s.read(b.Right)
	}
	return false
}

func isText(n ast.Node) bool {
	_, ok := n.(*ast.StringNode)
	return ok
}

// chainFinder finds the largest chain of comparisons and texts that has a node in it.
type chainFinder struct {
	within ast.Node
	found  ast.Node
}

// Visit is called for children before their parents.
func (f *chainFinder) Visit(n *ast.Node) {
	b, ok := (*n).(*ast.BinaryNode)
	switch {
	case *n == f.within:
		f.found = *n
	case ok && f.found != nil && (b.Left == f.found || b.Right == f.found):
		chain := nodes.IsOr(b) || nodes.IsAnd(b)
		if chain && isText(b.Right) || !chain && (b.Operator == "==" || b.Operator == "!=") {
			f.found = *n
		}
	}
}
