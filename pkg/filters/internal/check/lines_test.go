package check_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
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

// Comments that are longer than they look, comments of YAML and lines that are not joined are
// answered as such.
func TestLinesAndComments(t *testing.T) {
	const (
		goesOn = "// begins a comment, which goes on to the end here, since YAML joins the lines of this text; write it as a block with |, which keeps them"
		name   = `object.metadata.name == "a"`
	)
	for _, tt := range []struct {
		of          lang.Expression
		want, fixed string
	}{
		{of: folded(name+" // only a", `&& op == "add"`), want: goesOn},
		{of: folded(name+" && // only a", `op == "add"`), want: goesOn},
		{of: lang.Expression{Text: name + " // only a\n&& op == \"add\""}},
		{of: folded(name+` && label("x") != "http://a"`, `&& op == "add" // it == "b"`)},
		{of: folded(name+" // only a", "and nothing else")},
		{of: lang.Expression{Text: name + " # only a\n&& op == \"add\""},
			want:  "a comment begins with //: write it so",
			fixed: name + " // only a\n&& op == \"add\""},
		{of: lang.Expression{Text: "# names\n" + name},
			want: "a comment begins with //: write it so", fixed: "// names\n" + name},
		{of: folded(name+" # only a", `&& op == "add"`),
			want: "a comment begins with // and ends with its line: write it so, in a block with |"},
		{of: lang.Expression{Text: `# > 1`},
			want: "# is an item of a list; it exists only within any(…) and the like"},
		{of: lang.Expression{Text: name + "\nop == \"add\""},
			want:  `this line begins another condition; join it with && or ||, as in && op == "add"`,
			fixed: name + "\n&& op == \"add\""},
		{of: folded(name, `op == "add"`),
			want:  `this line begins another condition; join it with && or ||, as in && op == "add"`,
			fixed: name + ` && op == "add"`},
		{of: lang.Expression{Text: "op in [\"add\"\n\"update\"]"},
			want: `unexpected text "update"; an operator or a comma is missing before it`},
	} {
		var found []*lang.CompileError
		f, err := filters.Compile(tt.of)
		if found = lang.Mistakes(err); err == nil {
			found = f.Warnings()
		}
		got, fixed := "", ""
		if len(found) > 0 {
			got = found[0].Message
			fixed, _ = found[0].Fixed()
		}
		if got != tt.want || fixed != tt.fixed {
			t.Errorf("%q\ngot  %s\n%q\nwant %s\n%q", tt.of.Text, got, fixed, tt.want, tt.fixed)
		}
	}
}
