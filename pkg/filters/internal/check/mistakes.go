package check

import (
	"cmp"
	"errors"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// mistakes collects the mistakes in one expression.
type mistakes struct{ all []*lang.CompileError }

func (m *mistakes) add(err error) {
	if len(m.all) < lang.MaxMistakes {
		m.all = append(m.all, lang.Mistakes(err)...)
	}
}

// err returns the mistakes as an error, nil if there are none. Of several at one place the
// first one counts: the others follow from it.
func (m *mistakes) err() error {
	slices.SortStableFunc(m.all, func(a, b *lang.CompileError) int {
		return cmp.Compare(a.Offset, b.Offset)
	})
	m.all = slices.CompactFunc(m.all, func(a, b *lang.CompileError) bool {
		return a.Offset == b.Offset
	})
	var all []error
	for _, one := range m.all[:min(len(m.all), lang.MaxMistakes)] {
		all = append(all, one)
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// allMistakes returns every mistake of an expression that has some: those found, those that the
// schema shows, unknown names, and types that do not match.
func allMistakes(x lang.Expression, tree *parser.Tree, found *mistakes) error {
	schema := newSchemaCheck(x)
	schema.root(tree.Node)
	for _, mistake := range schema.mistakes.all {
		found.add(mistake)
	}
	if again, err := parser.ParseWithConfig(x.Text, configOf(x.Kind)); err == nil {
		for _, mistake := range found.all { // what follows from it is not reported
			if !silence(&again.Node, mistake.Offset, false) {
				silence(&again.Node, mistake.Offset, true)
			}
		}
		typeMistakes(x, again, found)
	}
	return cmp.Or(found.err(), schema.result)
}

// typeMistakes finds what expr's checker refuses. The checker stops at the first mistake, so
// the wrong node is replaced by one of any type and the checker runs again. The tree must
// not be used afterwards.
func typeMistakes(x lang.Expression, tree *parser.Tree, m *mistakes) {
	for range lang.MaxMistakes {
		result, err := checkTypes(tree, configOf(x.Kind))
		if err == nil {
			err = notText(x.Kind, result)
		}
		if err == nil {
			return
		}
		mistake, name := checkerError(x, err, tree.Node.Location().From)
		m.add(mistake)
		var where *file.Error
		if !errors.As(err, &where) || !silence(&tree.Node, where.From, name) {
			return
		}
	}
}

// silence replaces the wrong node by one of any type, and reports whether it has found it:
// the name at the offset, else the outermost other node there.
func silence(n *ast.Node, offset int, name bool) bool {
	f := &finder{offset: offset, names: name}
	ast.Walk(n, f)
	for _, place := range f.places {
		anything := &ast.IdentifierNode{Value: "object"}
		anything.SetLocation(f.found.Location())
		*place = anything
	}
	return f.found != nil
}

type finder struct {
	offset int
	names  bool // find a name, else any other node
	found  ast.Node
	places []*ast.Node // of what was found: the parser puts one node in two places of 1 < a < 9
}

// Visit is called for children before their parents, so the last one is the outermost.
func (f *finder) Visit(n *ast.Node) {
	_, predicate := (*n).(*ast.PredicateNode) // it cannot be replaced
	_, name := (*n).(*ast.IdentifierNode)
	switch {
	case *n == f.found:
		f.places = append(f.places, n)
	case !predicate && name == f.names && (*n).Location().From == f.offset:
		f.found, f.places = *n, []*ast.Node{n}
	}
}
