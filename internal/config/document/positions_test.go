package document

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every character of an expression is found at its place in the file, however YAML folds and
// escapes it.
func TestPositions(t *testing.T) {
	for _, text := range []string{
		"a: >\n  one two\n  three\n\n  four\n", "a: >-\n\n  one\n  two",
		"a: >-\n  one &&\n  two\n   three: x\n  four\n", "a: >\n    one\n      two\n    three\n",
		"a: one two\n  three\n  four\n", "a: 'one ''two'' three'\n",
		"a: 'one\n  two'\n", "a: \"one \\\"two\\\" \\u00e9 three\"\n",
		"a: \"one\n  two \\\n  three\"\n", "- a: >\n    é two\r\n    three\r\n",
		"{a: 'x''y', b: \"z\\tz\"}\n", "a: |\n  one\n  two\n",
		"a: >-\n  one \n  two\n", "a: >-\n  one  \n\n  two\t\n  three \n",
		"a: >-\n  one\n     \n  two\n", "a: 'one \n  two'\n", "a: \"one \n  two\"\n",
		"a: one \n  two\n", "a: >-\n  one \r\n  two\r\n",
	} {
		checkPositions(t, text)
	}
}

// Each character of the text is where the file has it.
func TestPositionsOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(
			rapid.SampledFrom([]string{"one", "é", "x", "''", "two", "a.b", "(", "\\\"", "\\n"}), 1,
			8).Draw(t, "words")
		breaks := rapid.SampledFrom([]string{" ", "\n  ", "\n\n  ", "  ", " \n  ", "  \n\n  ",
			" \r\n  ", "\n    \n  ", "\n   \n\n   "})
		var b strings.Builder
		for _, w := range words {
			b.WriteString(w + breaks.Draw(t, "break"))
		}
		body := strings.TrimRight(b.String(), " \n")
		form := rapid.SampledFrom([]string{"a: >\n  %\n", "a: '%'\n", "a: \"%\"\n", "a: %\n",
			"b: 1\na:   >-\n  %"}).Draw(t, "form")
		checkPositions(t, strings.Replace(form, "%", body, 1))
	})
}

// checkPositions looks each letter of the value up in the file.
func checkPositions(t interface {
	Errorf(format string, args ...any)
}, text string) {
	var into struct{ A Expression }
	lines := strings.Split(text, "\n")
	root, err := parse(&Kind{Noun: "file"}, "x.yaml", []byte(text))
	if err != nil {
		return
	}
	d := newDecoder(&Kind{Noun: "file"}, "x.yaml", []byte(text))
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "a" {
			d.expression(root.Content[i+1], &into.A, "a")
		}
	}
	for i, r := range []rune(into.A.Text) {
		if r == ' ' || r == '\n' || r == '\t' || r == '"' || r == '\'' {
			continue
		}
		line, column := into.A.Line, into.A.Column+i
		if len(into.A.Positions()) > 0 {
			line, column = into.A.Positions()[i].Line, into.A.Positions()[i].Column
		} else if before := into.A.Text[:strings.IndexRune(into.A.Text, r)]; strings.Contains(
			into.A.Text, "\n") || before == "" {
			continue
		}
		var got rune
		if line <= len(lines) {
			if runes := []rune(lines[line-1]); column <= len(runes) {
				got = runes[column-1]
			}
		}
		if got != r && got != '\\' {
			t.Errorf("%q: the character %d, %q, is said to be at %d:%d, where %q is", text, i, r,
				line, column, got)
		}
	}
}
