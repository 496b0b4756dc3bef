package habits_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// What other languages write in several steps is one expression here; the rest of the text stays.
func TestRewritings(t *testing.T) {
	for text, want := range map[string]string{
		`x.filter(c => c.a == "a").map(c => c.b)`:            `map(filter(x, .a == "a"), .b)`,
		`x.some( c => c == "c" && y.c == c.c )`:              `any(x, # == "c" && y.c == .c)`,
		`!a.contains("b") && c.size() > 1`:                   `!(a contains "b") && len(c) > 1`,
		`(a.startsWith("b") || d) == true`:                   `(a startsWith "b" || d) == true`,
		`a.startsWith("b") == true`:                          `(a startsWith "b") == true`,
		`x.exists(c, c.y.all(d, d.z.endsWith("z")))`:         `any(x, all(.y, .z endsWith "z"))`,
		`has(a.b) ? size(a.b) : 0`:                           `a.b != nil ? len(a.b) : 0`,
		`{"a": x.size(), "b": [has(c), 1]}`:                  `{"a": len(x), "b": [c != nil, 1]}`,
		`a.b?.c.toUpperCase()[0:1].size()`:                   `len(upper(a.b?.c)[0:1])`,
		`any(x, .name.startsWith("a")) && len(x) > 1`:        `any(x, .name startsWith "a") && len(x) > 1`,
		`x | length > 1`:                                     `len(x) > 1`,
		`x | any(.a) && lower(x) == "x"`:                     "",
		`x.exists(c, c.y.exists(d, d.z == c.z))`:             "", // c has no name within the inner one
		`x.exists(c, any(c.y, .z == c.z))`:                   "",
		`any(x, any(c.y, c.z == 1))`:                         "",
		`any(x, item.a && any(item.y, p.z == 1))`:            `any(x, .a && any(.y, .z == 1))`,
		`x.unknown(1) && y.z == "a.size()" && (a.b + c).d`:   "",
		`object.metadata.labels.exists(k, k == "a/b") && op`: `label("a/b") != nil && op`,
		`old.metadata.labels.has("a")`:                       `"a" in old.metadata.labels`,
		`any(a.b + a.c, .x == 1) && y`:                       `(any(a.b, .x == 1) || any(a.c, .x == 1)) && y`,
		`x && any(a.b + a.c, .x == 1) || y`:                  `x && (any(a.b, .x == 1) || any(a.c, .x == 1)) || y`,
		`none((a.b ?? []) + a.c, c, c.x)`:                    `none(a.b, .x) && none(a.c, .x)`,
		`len(concat(a.b, a.c)) > 1`:                          `(len(a.b) + len(a.c)) > 1`,
		`first(a.b + a.c).x`:                                 "",
		`len("a" + b) > 1`:                                   "",
		`a.contains("b"`:                                     "",
		`a.contains("b`:                                      "",
		`日本.size() > 1 && "日本".contains("本")`:                `len(日本) > 1 && "日本" contains "本"`,
	} {
		fixes := habits.Rewritings(habits.Asked{Text: text, Functions: lang.Functions()})
		got := text
		for i := len(fixes) - 1; i >= 0; i-- {
			got = fixes[i].Apply(got)
		}
		if len(fixes) == 0 {
			got = ""
		}
		if got != want {
			t.Errorf("%s\nbecomes %s\nwant    %s", text, got, want)
		}
	}
}

// Whatever the text, rewriting it ends, and changes parts of it that follow each other.
func FuzzRewritings(f *testing.F) {
	for _, text := range []string{`x.exists(c, c.y == 1)`, `a(b => (c)`, `a | b | c(`, `.a.b(.c)`,
		`#.a(#)`, `[1, {"a": b.c()}].d`, ">00", `strings.contains(a, b)`, "a.\n b ( ) . c", `contains(a)`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, swap := range []bool{false, true} {
			end := 0
			for _, fix := range habits.Rewritings(habits.Asked{Text: text,
				Functions: lang.Functions(), Swap: swap}) {
				if fix.From < end || fix.To <= fix.From || fix.To > len([]rune(text)) ||
					strings.TrimSpace(fix.Text) == "" {
					t.Fatalf("%q: %v behind %d", text, fix, end)
				}
				end = fix.To
			}
		}
	})
}
