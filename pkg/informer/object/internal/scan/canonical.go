package scan

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// canonical returns a name's text between its quotes in a spelling that all spellings of that name
// have in common.
func canonical(s string) string {
	if at := strings.IndexByte(s, '\\'); at >= 0 && hasRedundantEscape(s[at:]) {
		return minimalEscapes(s)
	}
	return s
}

// hasRedundantEscape reports whether a string may have an escape for a character that can be
// written without it or with another one.
func hasRedundantEscape(s string) bool {
	return strings.Contains(s, `\u`) || strings.Contains(s, `\/`)
}

// minimalEscapes returns a string's text between its quotes with no more escapes than JSON needs
// and none by number. Control characters that have no other escape are written as they are.
func minimalEscapes(s string) string {
	s = jsontext.Unescape(s)
	out := make([]byte, 0, len(s)+8)
	for i := range len(s) {
		if at := strings.IndexByte("\"\\\b\f\n\r\t", s[i]); at >= 0 {
			out = append(out, '\\', `"\bfnrt`[at])
		} else {
			out = append(out, s[i])
		}
	}
	return string(out)
}
