package syntax

import (
	"errors"
	"slices"
	"strings"

	"github.com/expr-lang/expr/file"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Source is the text of an expression that cannot be read, or that is looked at as a text.
type Source struct {
	lang.Expression

	Read  func(text string) error       // parses a text; its error is a *file.Error
	Check func(x lang.Expression) error // finds all mistakes of an expression
}

// Mends reports whether a change of the text mends the mistake at offset: other mistakes, if
// any, come after it.
func (s Source) Mends(fix lang.Fix, offset int) bool {
	text := fix.Apply(s.Text)
	if len(text) > lang.MaxSource {
		return false
	}
	err := s.Read(text)
	if err == nil {
		return true
	}
	var where *file.Error
	return errors.As(err, &where) && where.From > max(offset, fix.From+len([]rune(fix.Text)))
}

// RunesAround returns the longest run of characters around offset that ok accepts.
func RunesAround(text []rune, offset int, ok func(rune) bool) (from, to int) {
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

func IsWordRune(r rune) bool {
	return r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' &&
		r <= '9'
}

func isOperatorRune(r rune) bool { return slices.Contains([]rune("=!<>~&|"), r) }

// Arguments returns the texts between the brackets that open at offset, and where the
// brackets end; 0 if they do not.
func (s Source) Arguments(offset int) (args []string, end int) {
	text := []rune(s.Text)
	for offset < len(text) && text[offset] == ' ' {
		offset++
	}
	if offset >= len(text) || text[offset] != '(' {
		return nil, 0
	}
	depth, from := 0, offset+1
	for i := offset; i < len(text); i++ {
		switch r := text[i]; r {
		case '"', '\'', '`':
			for i++; i < len(text) && text[i] != r; i++ {
				if text[i] == '\\' && r != '`' {
					i++
				}
			}
		case '(', '[', '{':
			depth++
		case ',':
			if depth == 1 {
				args = append(args, strings.TrimSpace(string(text[from:i])))
				from = i + 1
			}
		case ')', ']', '}':
			if depth--; depth == 0 {
				if last := strings.TrimSpace(string(text[from:i])); last != "" || len(args) > 0 {
					args = append(args, last)
				}
				return args, i + 1
			}
		}
	}
	return nil, 0
}

// Replacing returns a mistake that the change mends, nil if it does not.
func (s Source) Replacing(from, to int, by, format string, args ...any) *lang.CompileError {
	fix := &lang.Fix{From: from, To: to, Text: by}
	if !s.Mends(*fix, from) {
		return nil
	}
	return s.Proposed(from, fix, format, args...)
}
