// Package words has the small texts of commands: counts, hints, and texts from elsewhere in a form
// that a terminal may show.
package words

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/nearest"
)

// elsewhere maps commands of other tools to the command here that does the same.
var elsewhere = map[string]string{
	"check": "validate", "lint": "validate", "verify": "validate", "start": "run", "serve": "run",
	"apply": "run", "daemon": "run",
	"why": "explain", "describe": "explain", "diff": "plan", "dry-run": "plan", "show": "plan",
	"handler": "plugin", "init": "new", "create": "new",
	"list": "ls", "get": "ls", "delete": "drop", "remove": "drop", "rm": "drop", "purge": "drop",
	"retry": "replay", "resend": "replay", "redeliver": "replay",
}

// Meant returns the known word that another one is meant as, "" if there is none.
func Meant(word string, known []string) string {
	if near, ok := nearest.Name(word, known); ok {
		return near
	}
	for _, name := range known {
		if elsewhere[strings.ToLower(word)] == name || strings.HasPrefix(name, word) && word != "" {
			return name
		}
	}
	return ""
}

// Hint returns the hint for an unknown word.
func Hint(word, prefix string, known []string, all string) string {
	if meant := Meant(word, known); meant != "" {
		return fmt.Sprintf("did you mean %s%s?", prefix, meant)
	}
	return all + strings.Join(known, ", ")
}

// Count returns a number with its noun: 1 listener, 2 listeners.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// armed are the control characters beyond ASCII, and those that turn the direction of text around.
var armed = regexp.MustCompile("[\x7f\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

// Plain returns a text that cannot break a line or command a terminal.
func Plain(text string) string {
	odd := func(r rune) bool {
		return r < ' ' || r == utf8.RuneError || r == '\u2028' || r == '\u2029'
	}
	if strings.IndexFunc(text, odd) < 0 && !armed.MatchString(text) {
		return text
	}
	quoted := fmt.Sprintf("%q", text)
	return quoted[1 : len(quoted)-1]
}

// JSON returns JSON without characters that a terminal obeys; the others that it may have are
// escaped already.
func JSON(text string) string {
	return armed.ReplaceAllStringFunc(text, func(s string) string {
		r, _ := utf8.DecodeRuneInString(s)
		return fmt.Sprintf("\\u%04x", r)
	})
}
