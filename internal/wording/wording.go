package wording

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Count returns a number with its noun: 1 listener, 2 listeners.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// In returns " in" with a namespace, nothing for all of them.
func In(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " in " + namespace
}

// Printable returns a text that cannot harm a terminal or break the line: characters that are not
// printable are escaped as in Go.
func Printable(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

// armed are the control characters that JSON may have as they are, characters that are not seen,
// and those that turn the direction of text around.
var armed = regexp.MustCompile("[\x7f\u0080-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")

// JSON returns JSON without characters that a terminal obeys. It is the same value.
func JSON(text string) string {
	return armed.ReplaceAllStringFunc(text, func(s string) string {
		return fmt.Sprintf("\\u%04x", []rune(s)[0])
	})
}

// Cut returns the beginning of a text as valid UTF-8, of at most size bytes with an ellipsis.
func Cut(text string, size int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= size {
		return text
	}
	end := size - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
