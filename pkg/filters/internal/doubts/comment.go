package doubts

import (
	"regexp"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/syntax"
)

// comment warns about a default as jq writes it, which begins a comment here: x // "none".
// So it does about a comment that YAML has made longer.
func (f *finder) comment() {
	if at, swallows := f.Swallowed(); swallows {
		f.found = append(f.found, f.CompileError(at, "%s", syntax.SwallowedComment))
		return
	}
	for _, at := range slashes.FindAllStringIndex(f.Text, -1) {
		from := len([]rune(f.Text[:at[0]]))
		if !strings.Contains(f.Text[:at[0]], "//") && !inQuotes(f.Text[:at[0]]) {
			f.found = append(f.found, f.CompileError(from,
				"// begins a comment, and what follows is not read; a default is written with ??"))
		}
	}
}

var slashes = regexp.MustCompile(`//\s*(?:"[^"\n]*"|'[^'\n]*'|\d+|true|false|null|nil|\.\w+[\w.]*|object\.[\w.]+)`)

// BeginsComment reports whether a text has a default as jq writes it.
func BeginsComment(text string) bool {
	at := slashes.FindStringIndex(text)
	return at != nil && !inQuotes(text[:at[0]])
}

// inQuotes reports whether a quote is open at the end of a text.
func inQuotes(text string) bool {
	quote := rune(0)
	for _, r := range text {
		switch {
		case quote == 0 && strings.ContainsRune("\"'`", r):
			quote = r
		case r == quote:
			quote = 0
		}
	}
	return quote != 0
}
