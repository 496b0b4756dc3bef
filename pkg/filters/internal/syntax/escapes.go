package syntax

import (
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// escapes are what may follow a backslash in quotes.
const escapes = `abfnrtv\'"xuU01234567`

// escape answers a backslash in quotes that begins no escape, as in "^web-\d+$": it is written
// twice there.
func (s Source) escape(offset int, text []rune) *lang.CompileError {
	for i := 0; i < len(text); i++ {
		quote := text[i]
		if quote != '"' && quote != '\'' && quote != '`' {
			continue
		}
		from, first := i, ""
		var literal strings.Builder
		literal.WriteRune(quote)
		for i++; i < len(text) && text[i] != quote; i++ {
			if text[i] == '\\' && quote != '`' && i+1 < len(text) {
				if !strings.ContainsRune(escapes, text[i+1]) {
					literal.WriteRune('\\')
					if first == "" {
						first = string(text[i : i+2])
					}
				}
				literal.WriteRune(text[i])
				i++
			}
			literal.WriteRune(text[i])
		}
		if first == "" || i >= len(text) || offset > i {
			continue
		}
		literal.WriteRune(quote)
		return s.Replacing(from, i+1, literal.String(),
			"%s begins no escape; in quotes a backslash is written twice: write %s", first,
			literal.String())
	}
	return nil
}
