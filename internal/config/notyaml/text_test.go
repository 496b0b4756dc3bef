package notyaml_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config/notyaml"
)

// Whatever the text is, what is found is in it.
func FuzzText(f *testing.F) {
	for _, text := range []string{"a:b", "a: [", "-a", "- ", "'a", "a: |\nb", "a: b\n   c: d", "a: }",
		"\"000\n--- ", "a: 'b\nc' d", "{a: ${X}}", "a: \xff'", "é: [“", "<<<<<<< x"} {
		f.Add(text, 1)
		f.Add(text, 2)
	}
	f.Fuzz(func(t *testing.T, text string, n int) {
		lines := strings.Split(text, "\n")
		n = min(max(n, 0), len(lines)+1)
		found, ok := notyaml.Text(lines, n, "did not find expected ',' or ']'")
		switch {
		case !ok:
		case found.Line < 1 || found.Line > len(lines) || found.Message == "" || found.Hint == "":
			t.Errorf("%q, line %d: %+v", text, n, found)
		case found.Column < 1 || found.Column > len([]rune(lines[found.Line-1]))+1:
			t.Errorf("%q, line %d: there is no column %d", text, n, found.Column)
		}
		for _, line := range lines {
			notyaml.Line(line, n%2 == 0)
		}
	})
}
