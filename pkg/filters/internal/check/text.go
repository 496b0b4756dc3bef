package check

import (
	"errors"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// mends reports whether a change of the text mends the mistake at offset: other mistakes, if
// any, come after it.
func (s draft) mends(fix lang.Fix, offset int) bool {
	text := fix.Apply(s.Text)
	if len(text) > lang.MaxSource {
		return false
	}
	fixed := s
	fixed.Text = text
	_, err := parser.ParseWithConfig(text, fixed.checkConfig())
	if err == nil {
		return true
	}
	var where *file.Error
	return errors.As(err, &where) && where.From > max(offset, fix.From+len([]rune(fix.Text)))
}

// runesAround returns the longest run of characters around offset that ok accepts.
func runesAround(text []rune, offset int, ok func(rune) bool) (from, to int) {
	offset = min(max(offset, 0), len(text))
	from, to = offset, offset
	for from > 0 && ok(text[from-1]) {
		from--
	}
	for to < len(text) && ok(text[to]) {
		to++
	}
	return from, to
}

func isWordRune(r rune) bool {
	return r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' &&
		r <= '9'
}

func isOperatorRune(r rune) bool { return slices.Contains([]rune("=!<>~&|"), r) }

// notText refuses a type that is a list or an object.
func (s draft) notText(result reflect.Type) error {
	switch result.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		return errors.New(s.Kind.Must() + ", this returns " +
			typeWords.Replace(result.String()))
	}
	return nil
}
