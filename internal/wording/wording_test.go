package wording

import (
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain äß 世界":            "plain äß 世界",
		"\x1b[2J\a\r\n\t":        `\x1b[2J\a\r\n\t`,
		"a\xffb":                 `a\xffb`,
		"\u202egnp.exe\u200b":    `\u202egnp.exe\u200b`,
		"\x00\u0085\u2028\ufeff": `\x00\u0085\u2028\ufeff`,
		`\n`:                     `\n`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	for text, want := range map[string]string{`"a"`: `"a"`,
		"\"\u009b\u202e\u2066\x7f\"": `"\u009b\u202e\u2066\u007f"`} {
		if got := JSON(text); got != want {
			t.Errorf("%q: got %s", text, got)
		}
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""}, {"abc", "abc"}, {"abcdefgh", "abcdefgh"}, {"abcdefghi", "abcde…"},
		{"ääääää", "ää…"}, {"\xff\xff\xff\xff", "\uFFFD"}, {"😀😀😀", "😀…"},
	} {
		if got := Cut(tt.text, 8); got != tt.want || !utf8.ValidString(got) || len(got) > 8 {
			t.Errorf("Cut(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 listeners", 1: "1 listener", 2000: "2000 listeners"} {
		if got := Count(n, "listener"); got != want {
			t.Errorf("%d: got %s", n, got)
		}
	}
}
