package shown

import (
	"strings"
	"testing"
)

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"a &&\n  b": "a && b", strings.Repeat("x", 100): strings.Repeat("x", 100),
		strings.Repeat("é", 101): strings.Repeat("é", 100) + "…",
	} {
		if got := oneLine(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
