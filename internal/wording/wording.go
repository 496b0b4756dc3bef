package wording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
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

// PrintableLines is Printable for each line of a text.
func PrintableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = Printable(line)
	}
	return strings.Join(lines, "\n")
}

// JSON returns valid JSON without characters that a terminal obeys or that cannot be seen: those of
// Unicode's Cc, Cf, Zl and Zp that JSON may have as they are. It is the same value, and the same
// slice if there are none.
func JSON(text []byte) []byte {
	ascii := 0 // nearly all that is written has nothing else
	for ascii < len(text) && text[ascii] < 0x7f {
		ascii++
	}
	at := bytes.IndexFunc(text[ascii:], unseen)
	if at < 0 {
		return text
	}
	at += ascii
	out := slices.Clone(text[:at])
	for _, r := range string(text[at:]) {
		switch {
		case !unseen(r):
			out = utf8.AppendRune(out, r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

func unseen(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// WriteJSON writes a value as JSON has it, in one line, or in several lines with an indent.
func WriteJSON(w io.Writer, value any, indent string) error {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(JSON(b.Bytes()))
	return err
}

// MustJSON returns a value that always has a JSON form, in one line, with <, > and & as they are.
func MustJSON(value any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// Some returns the first ones of some texts, and how many more there are.
func Some(texts []string, most int) string {
	text := strings.Join(texts[:min(most, len(texts))], ", ")
	if more := len(texts) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Shorten returns the beginning of a text, of at most so many runes, with an ellipsis.
func Shorten(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
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
