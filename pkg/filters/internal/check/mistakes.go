package check

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// mistakes collects the mistakes in one expression.
type mistakes struct{ all []*lang.CompileError }

func (m *mistakes) add(err error) {
	m.all = append(m.all, lang.Mistakes(err)...)
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
	switch n := len(m.all); {
	case n == 0:
		return nil
	case n == 1:
		return m.all[0]
	default:
		return lang.CompileErrors(m.all[:min(n, lang.MaxMistakes)])
	}
}

// typeMistakes finds what expr's checker refuses. The checker stops at the first mistake, so
// the wrong node is replaced by one of any type and the checker runs again. The tree must
// not be used afterwards.
func (s draft) typeMistakes(tree *parser.Tree, m *mistakes) {
	for range lang.MaxMistakes {
		result, err := checker.Check(tree, s.checkConfig())
		if err == nil && s.Kind.Returns() == lang.ReturnsText {
			err = s.notText(result)
		}
		if err == nil {
			return
		}
		mistake := s.mistake(err, tree)
		// these were reported before, by the inspector or with what to write
		if !joinsText.MatchString(mistake.Message) &&
			!strings.HasPrefix(mistake.Message, "error parsing regexp") &&
			!strings.Contains(mistake.Message, "func(") {
			m.add(mistake)
		}
		var where *file.Error
		wider := mistake.Fix != nil && mistake.Fix.From < mistake.Offset
		if !errors.As(err, &where) || wider || !silence(&tree.Node, where) {
			return
		}
	}
}

// joinsText is expr's message for a text that is joined with something else.
var joinsText = regexp.MustCompile(
	`^invalid operation: \+ \(mismatched types (string and (int|float|bool|date)|(int|float|bool|date) and string)\)$`)

// silence replaces the wrong node by one of any type, and reports whether it has found it:
// an unknown name, else the outermost node at the place.
func silence(n *ast.Node, wrong *file.Error) bool {
	finder := &nodeFinder{offset: wrong.From,
		names: strings.HasPrefix(wrong.Message, unknownPrefix)}
	ast.Walk(n, finder)
	if finder.found == nil {
		return false
	}
	ast.Walk(n, &nodeReplacer{finder.found})
	return true
}

type nodeFinder struct {
	offset int
	names  bool // find a name, else any other node
	found  ast.Node
}

// Visit is called for children before their parents, so the last one is the outermost.
func (f *nodeFinder) Visit(n *ast.Node) {
	_, predicate := (*n).(*ast.PredicateNode) // it cannot be replaced
	_, name := (*n).(*ast.IdentifierNode)
	if !predicate && name == f.names && (*n).Location().From == f.offset {
		f.found = *n
	}
}

type nodeReplacer struct{ old ast.Node }

// Visit replaces the node.
func (r *nodeReplacer) Visit(n *ast.Node) {
	if *n == r.old {
		anything := &ast.IdentifierNode{Value: "object"}
		anything.SetLocation(r.old.Location())
		*n = anything
	}
}
