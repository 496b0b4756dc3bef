package author

import (
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/wording"

	"pgregory.net/rapid"
)

// Whatever a module says, nothing gets to the terminal but what can be printed.
func TestPrintableIsHarmless(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t,
			"text")
		got := wording.Printable(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool {
			return !strconv.IsPrint(r)
		}) {
			t.Fatalf("%q became %q", text, got)
		}
		for _, line := range printableLines(text) {
			if strings.ContainsFunc(line, func(r rune) bool { return !strconv.IsPrint(r) }) {
				t.Fatalf("%q has the line %q", text, line)
			}
		}
	})
}

func TestFigures(t *testing.T) {
	for got, want := range map[string]string{
		number(0): "0", number(999): "999", number(1000): "1,000",
		number(int64(1234567)): "1,234,567",
		count(1, "event"):      "1 event", count(2000, "event"): "2,000 events",
		size(0): "0 bytes", size(1): "1 byte", size(64 << 10): "64 KiB", size(16 << 20): "16 MiB",
		size(3<<20 + 512<<10): "3.5 MiB",
		quantity(16 << 20):    "16Mi", quantity(64 << 10): "64Ki", quantity(3<<20 + 1): "3073Ki",
		took(999): "999 ns", took(1500): "1.5 us", took(12345 * time.Microsecond): "12.3 ms",
		took(999_999): "999 us", took(90 * time.Second): "90 s",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
