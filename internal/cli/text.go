package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/term"

	"github.com/informerd/informerd/internal/nearest"
)

// wordHint returns the hint for an unknown word.
func wordHint(word string, known []string, all string) string {
	if near, ok := nearest.Name(word, known); ok {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return all + strings.Join(known, ", ")
}

// count returns a number with its noun: 1 listener, 2 listeners.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// plain returns a text that cannot break a line or command a terminal.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}

// dash is plain for a column of a table, which is not empty.
func dash(text string) string {
	if text == "" {
		return "-"
	}
	return plain(text)
}

// armed are the control characters that JSON may have as they are, and those that turn the
// direction of text around.
var armed = regexp.MustCompile("[\x7f\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

// plainJSON returns JSON without characters that a terminal obeys.
func plainJSON(text string) string {
	return armed.ReplaceAllStringFunc(text, func(s string) string {
		return fmt.Sprintf("\\u%04x", []rune(s)[0])
	})
}

// writeJSON writes a value in one line, or in several lines with an indent.
func writeJSON(w io.Writer, value any, indent string) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	return encoder.Encode(value)
}

func writeLine(w io.Writer, value any) error { return writeJSON(w, value, "") }

// colored reports whether what is written is for a terminal that may be coloured:
// https://no-color.org
func colored(w io.Writer) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(w)
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
