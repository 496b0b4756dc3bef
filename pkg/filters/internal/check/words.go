package check

import (
	"errors"
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/mismatch"
	"github.com/informerd/informerd/pkg/filters/internal/syntax"
)

// syntax adds its place and better words to an error of expr's parser.
func (s draft) syntax(err error) *lang.CompileError {
	var where *file.Error
	if !errors.As(err, &where) || strings.Contains(where.Message, "exceeds maximum allowed nodes") {
		return s.mistake(err, nil)
	}
	return s.Refusal(where)
}

// mistake returns an error of expr with its place, and with better words where there are
// some.
func (s draft) mistake(err error, tree *parser.Tree) *lang.CompileError {
	var where *file.Error
	if errors.As(err, &where) {
		if name, ok := strings.CutPrefix(where.Message, unknownPrefix); ok {
			return s.unknownName(name, where.From)
		}
		if e := mismatch.Hint(s.Source, where, tree); e != nil {
			return e
		}
		return s.CompileError(where.From, "%s", s.Reword(where.Message))
	}
	offset := 0
	if tree != nil && tree.Node != nil {
		offset = tree.Node.Location().From
	}
	if got, ok := strings.CutPrefix(err.Error(), "expected bool, but got "); ok {
		if got == "unknown" {
			got = "nil"
		}
		return s.CompileError(offset, "%s, this returns %s", s.Kind.Must(), syntax.TypeWords.Replace(got))
	}
	return s.CompileError(offset, "%v", err)
}

// unknownPrefix is the beginning of expr's message for an unknown name.
const unknownPrefix = "unknown name "
