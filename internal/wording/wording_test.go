package wording

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
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

// Every character there is comes back from JSON, and none that a terminal obeys is in it.
func TestJSON(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) {
			all.WriteRune(r)
		}
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, map[string]string{"äß世": all.String()}, " "); err != nil {
		t.Fatal(err)
	}
	var back map[string]string
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || back["äß世"] != all.String() {
		t.Errorf("it is another text when it is read: %v", err)
	}
	for _, r := range b.String() {
		if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			t.Errorf("%U is written as it is", r)
		}
	}
	if got := JSON([]byte("\"\x7fa\U000E0001\"")); string(got) != `"\u007fa\udb40\udc01"` {
		t.Errorf("got %s", got)
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
