// Package yamltext writes YAML: single strings for texts that are put together by hand, and whole
// JSON values.
//
//   - What a YAML 1.1 or 1.2 parser reads back is exactly what was written, whatever the string
//     looks like: a number, a date, a comment.
//   - Members keep their order.
package yamltext

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode"
)

// plain matches strings that need no quotes: they look like nothing but a string.
var plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./@-]*$`)

// words are those that YAML 1.1 takes for something other than a string.
var words = map[string]bool{"true": true, "false": true, "yes": true, "no": true, "on": true,
	"off": true, "null": true, "y": true, "n": true}

// String returns a string as a YAML scalar, which is followed by a line break. The lines of a block
// are indented by a number of spaces; 0 is inside of braces, where there are no blocks.
func String(s string, indent int) string {
	switch {
	case plain.MatchString(s) && !words[strings.ToLower(s)]:
		return s
	case !printable(s):
		return quoted(s)
	case !strings.Contains(s, "\n"):
		if strings.ContainsAny(s, `"\`) {
			return "'" + strings.ReplaceAll(s, "'", "''") + "'"
		}
		return `"` + s + `"`
	case indent == 0 || s[0] == ' ' || s[0] == '\n' || strings.HasSuffix(s, "\n\n"):
		return quoted(s)
	}
	head, body := "|-", s
	if text, ended := strings.CutSuffix(s, "\n"); ended {
		head, body = "|", text
	}
	return head + "\n" + Indent(body, indent)
}

// Indent puts a number of spaces before each line that is not empty.
func Indent(text string, by int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = strings.Repeat(" ", by) + line
		}
	}
	return strings.Join(lines, "\n")
}

// printable reports whether YAML has the text as it is, and a terminal shows it as it is.
func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return r != '\n' && !unicode.IsPrint(r) || r == unicode.ReplacementChar
	}) < 0
}

// quoted returns a string in double quotes. What is not printable is escaped, as JSON does it,
// which YAML reads as well.
func quoted(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(escaped(r))
		}
	}
	return `"` + b.String() + `"`
}

const hex = "0123456789abcdef"

func escaped(r rune) string {
	digits := []byte(`\U00000000`)
	for i := len(digits) - 1; i > 1; i-- {
		digits[i] = hex[r&15]
		r >>= 4
	}
	return string(digits)
}

// FromJSON returns a JSON value as YAML.
func FromJSON(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	w := writer{d: d}
	if err := w.value(0, ""); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return w.out.Bytes(), nil
}

// writer writes what a decoder reads.
type writer struct {
	d   *json.Decoder
	out bytes.Buffer
}

// value writes the next value and a line break. Before is what comes before it in its line if it is
// not a mapping or list of several lines.
func (w *writer) value(indent int, before string) error {
	token, err := w.d.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		return w.several(token, indent, before)
	case string:
		w.out.WriteString(before + String(token, max(indent, 2)))
	case json.Number:
		w.out.WriteString(before + token.String())
	case bool:
		word := "false"
		if token {
			word = "true"
		}
		w.out.WriteString(before + word)
	case nil:
		w.out.WriteString(before + "null")
	}
	w.out.WriteByte('\n')
	return nil
}

// several writes the members of a mapping, or the items of a list.
func (w *writer) several(open json.Delim, indent int, before string) error {
	if !w.d.More() {
		_, err := w.d.Token()
		w.out.WriteString(before + map[json.Delim]string{'{': "{}\n", '[': "[]\n"}[open])
		return err
	}
	lead := strings.Repeat(" ", indent)
	first := lead
	switch before {
	case "":
	case " ": // the name of a member is before it
		w.out.WriteByte('\n')
	default: // so is the dash of an item, in whose line the first member is
		first = before
	}
	for ; w.d.More(); first = lead {
		if open == '[' {
			if err := w.value(indent+2, first+"- "); err != nil {
				return err
			}
			continue
		}
		name, err := w.d.Token()
		if err != nil {
			return err
		}
		w.out.WriteString(first + String(name.(string), 0) + ":")
		if err := w.value(indent+2, " "); err != nil {
			return err
		}
	}
	_, err := w.d.Token()
	return err
}
