package filters

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/checker"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// maxMistakes is how many mistakes of one expression are reported.
const maxMistakes = 20

// CompileErrors are the mistakes in one expression, two or more, in the order of their places.
type CompileErrors []*CompileError

// Error returns one mistake after the other, each with its line and a caret.
func (e CompileErrors) Error() string {
	texts := make([]string, len(e))
	for i, mistake := range e {
		texts[i] = mistake.Error()
	}
	return strings.Join(texts, "\n")
}

// Unwrap lets errors.As find a single CompileError.
func (e CompileErrors) Unwrap() []error {
	all := make([]error, len(e))
	for i, mistake := range e {
		all[i] = mistake
	}
	return all
}

// Mistakes lists the mistakes that an error of Compile consists of, none if it is no such error.
func Mistakes(err error) []*CompileError {
	var several CompileErrors
	var one *CompileError
	switch {
	case errors.As(err, &several):
		return several
	case errors.As(err, &one):
		return []*CompileError{one}
	}
	return nil
}

// mistakes collects what is wrong with one expression.
type mistakes struct{ all []*CompileError }

func (m *mistakes) add(err error) {
	m.all = append(m.all, Mistakes(err)...)
}

// err returns nil if there are none. Of several at one place the first one counts: the others
// follow from it.
func (m *mistakes) err() error {
	slices.SortStableFunc(m.all, func(a, b *CompileError) int {
		return cmp.Or(cmp.Compare(a.place.line, b.place.line),
			cmp.Compare(a.place.column, b.place.column))
	})
	m.all = slices.CompactFunc(m.all, func(a, b *CompileError) bool { return a.place == b.place })
	switch n := len(m.all); {
	case n == 0:
		return nil
	case n == 1:
		return m.all[0]
	default:
		return CompileErrors(m.all[:min(n, maxMistakes)])
	}
}

// maxMended is how many mistakes that end the parser's work are mended one after the other.
const maxMended = 5

// beyond returns a mistake that ended the parser's work together with those that it hides: the text
// is read again as its hint proposes it, or with another change that lets it be read.
func (s Expression) beyond(first *CompileError) error {
	change := first.fix
	if change == nil {
		change = first.mend
	}
	if change == nil || s.mended == maxMended {
		return first
	}
	mended := s
	mended.Text = change.apply(s.Text)
	mended.mended++
	var found mistakes
	found.add(first)
	tree, err := parse(mended)
	if err == nil {
		err = mended.all(tree, &mistakes{}) // the fields
	}
	for _, mistake := range Mistakes(err) {
		offset, ok := change.origin(mistake.offset)
		if !ok {
			continue
		}
		moved := s.compileError(offset, "%s", mistake.Message)
		if fix := mistake.fix; fix != nil {
			from, ok1 := change.origin(fix.From)
			to, ok2 := change.origin(fix.To)
			if ok1 && ok2 && (to < change.From || from > change.To) {
				moved.fix = &Fix{from, to, fix.Text}
			}
		}
		found.add(moved)
	}
	return found.err()
}

// origin returns where a character of the changed text was before, false if it is new.
func (f Fix) origin(offset int) (int, bool) {
	end := f.From + len([]rune(f.Text))
	switch {
	case offset < f.From:
		return offset, true
	case offset >= end:
		return offset - end + f.To, true
	}
	return 0, false
}

// typeMistakes finds what expr's checker refuses. It stops at the first mistake; so that is
// replaced by something of which nothing is known, and the checker is asked again. The tree is not
// to be used afterwards.
func (s Expression) typeMistakes(tree *parser.Tree, m *mistakes) {
	for range maxMistakes {
		result, err := checker.Check(tree, s.checkConfig())
		if err == nil && s.Kind == KindMessage {
			err = notText(result)
		}
		if err == nil {
			return
		}
		mistake := s.place(err, tree)
		// the inspector has said so
		if !strings.HasPrefix(mistake.Message, "error parsing regexp") {
			m.add(mistake)
		}
		var where *file.Error
		if !errors.As(err, &where) || mistake.fix != nil && mistake.fix.From < where.From ||
			!silence(&tree.Node, where) {
			return
		}
	}
}

// silence replaces what is wrong by something of any type, and reports whether it has found it: an
// unknown name, else the outermost node at the place.
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
	names  bool // find a name, else what is none
	found  ast.Node
}

// Visit is called for children before their parents, so the last one is the outermost.
func (f *nodeFinder) Visit(n *ast.Node) {
	_, predicate := (*n).(*ast.PredicateNode) // nothing else may be there
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
