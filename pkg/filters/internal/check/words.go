package check

import (
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// mistake returns an error of expr with its place, and with better words where there are
// some.
func (s draft) mistake(err error, tree *parser.Tree) *lang.CompileError {
	var where *file.Error
	if errors.As(err, &where) {
		if name, ok := strings.CutPrefix(where.Message, unknownPrefix); ok {
			return s.unknownName(name, where.From)
		}
		if e := s.typeHint(where, tree); e != nil {
			return e
		}
		return s.CompileError(where.From, "%s", s.reword(where.Message))
	}
	offset := 0
	if tree != nil && tree.Node != nil {
		offset = tree.Node.Location().From
	}
	if got, ok := strings.CutPrefix(err.Error(), "expected bool, but got "); ok {
		if got == "unknown" {
			got = "nil"
		}
		return s.CompileError(offset, "%s, this returns %s", s.Kind.Must(), typeWords.Replace(got))
	}
	return s.CompileError(offset, "%v", err)
}

// typeWords replaces Go's names of types by those that values.TypeName returns.
var typeWords = strings.NewReplacer(
	"[]interface {}", "list", "[]int", "list", "[]string", "list", "map[string]interface {}",
	"object", "float64", "float",
	"time.Time", "date", "time.Duration", "duration", "interface {}", "any",
)

// unknownPrefix is the beginning of expr's message for an unknown name.
const unknownPrefix = "unknown name "

func (s draft) reword(message string) string {
	if strings.Contains(message, "exceeds maximum allowed nodes") {
		return fmt.Sprintf("the expression has more than %d nodes", lang.MaxNodes)
	}
	if strings.HasPrefix(message, "cannot use bool as type") &&
		strings.HasPrefix(strings.TrimSpace(s.Text), "!") {
		return "! applies to the first value alone; write a not in b, or !(a in b)"
	}
	return strings.TrimSpace(typeWords.Replace(message))
}
