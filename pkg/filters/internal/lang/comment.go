package lang

import (
	"strings"
	"unicode"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser/lexer"
)

// Swallowed returns the place of a comment that has what looks like a part of the expression in
// it, false if there is none: YAML joins the lines of a folded block (>), and a comment ends with
// the line.
func (s Expression) Swallowed() (offset int, ok bool) {
	text := []rune(s.Text)
	if len(s.Positions) < len(text) {
		return 0, false
	}
	tokens, _ := lexer.Lex(file.NewSource(s.Text)) // it was read before
	from := 0
	for _, token := range tokens {
		for i := from; i+1 < token.From; i++ { // only blanks and comments are between two
			if text[i] != '/' || text[i+1] != '/' {
				continue
			}
			end := i
			for end < len(text) && text[end] != '\n' {
				end++
			}
			if s.goesOn(text, i, end) {
				return i, true
			}
			i = end
		}
		from = token.To
	}
	return 0, false
}

// goesOn reports whether a part of the text has what looks like an expression in another line of
// the file than its first.
func (s Expression) goesOn(text []rune, from, to int) bool {
	for i := from; i < to; i++ {
		if s.Positions[i].Line > s.Positions[from].Line && !unicode.IsSpace(text[i]) {
			return strings.ContainsAny(string(text[i:to]), "=<>&|(")
		}
	}
	return false
}
