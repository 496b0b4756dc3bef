package filters

import (
	"errors"
	"slices"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
)

// Fix is a change of an expression's text that the hint of a mistake proposes: the characters From
// to To become Text.
type Fix struct {
	From, To int
	Text     string
}

// apply returns the changed text.
func (f Fix) apply(text string) string {
	runes := []rune(text)
	from := min(max(f.From, 0), len(runes))
	to := min(max(f.To, from), len(runes))
	return string(runes[:from]) + f.Text + string(runes[to:])
}

// Fixed returns the expression as the hint proposes it, false if the hint proposes no text. Other
// mistakes in the expression are still there.
func (e *CompileError) Fixed() (string, bool) {
	if e.fix == nil {
		return "", false
	}
	return e.fix.apply(e.Expression.Text), true
}

// helps reports whether a change of the text mends the mistake at offset: what else there is to
// complain about, if anything, follows it.
func (s Expression) helps(fix Fix, offset int) bool {
	text := fix.apply(s.Text)
	if len(text) > MaxSource {
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

// runesAround returns the longest run of characters around offset that ok accepts, and where it
// begins.
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
