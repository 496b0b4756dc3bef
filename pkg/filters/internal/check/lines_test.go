package check_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// folded returns an expression whose lines YAML has joined.
func folded(lines ...string) lang.Expression {
	x := lang.Expression{Text: strings.Join(lines, " ")}
	for i, line := range lines {
		for column := range []rune(line + " ") {
			x.Positions = append(x.Positions, lang.Position{Line: i + 1, Column: column + 1})
		}
	}
	return x
}

// A comment that is longer than it looks, since YAML has joined the lines, is warned of.
func TestLinesAndComments(t *testing.T) {
	const (
		goesOn = "this comment goes on to the end here, since YAML joins the lines; write a block with |"
		name   = `object.metadata.name == "a"`
	)
	for _, tt := range []struct {
		of   lang.Expression
		want string
	}{
		{of: folded(name+" // only a", `&& op == "add"`), want: goesOn},
		{of: lang.Expression{Text: name + " // only a\n&& op == \"add\""}},
		{of: folded(name+` && label("x") != "http://a"`, `&& op == "add" // it == "b"`)},
		{of: folded(name+" // only a", "and nothing else")},
	} {
		if got := warningsOf(t, tt.of); got != tt.want {
			t.Errorf("%q\ngot  %s\nwant %s", tt.of.Text, got, tt.want)
		}
	}
}
