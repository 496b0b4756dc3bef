package scan

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// canonical returns a name's inner text in a spelling that names have in common which are equal.
func canonical(s string) string {
	if at := strings.IndexByte(s, '\\'); at >= 0 && hasRedundantEscape(s[at:]) {
		return minimalEscapes(s)
	}
	return s
}

// oddEscape reports whether a string may have an escape with which it could be written in another
// way, too.
func hasRedundantEscape(s string) bool {
	return strings.Contains(s, `\u`) || strings.Contains(s, `\/`)
}

// withoutOddEscapes writes a string's inner text in the one way that has no more escapes than JSON
// needs, and none by number: control characters for which there is no other escape are written as
// they are.
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
