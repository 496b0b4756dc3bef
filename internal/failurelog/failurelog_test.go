package failurelog

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is shortened is short enough when it is quoted, whatever is in it, and begins as it did.
func TestShortened(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringN(500, 3000, -1),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 3000), func(b []byte) string {
				return string(b)
			})).Draw(t, "text")
		got := Shortened(text)
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("m", "error", got)
		_, quoted, _ := strings.Cut(strings.TrimSuffix(log.String(), "\n"), " error=")
		if len(quoted) > MaxReason+2 {
			t.Fatalf("%d bytes: %s", len(quoted), quoted)
		}
		if begin, cut := strings.CutSuffix(got, "…"); got != text &&
			(!cut || !strings.HasPrefix(text, begin)) {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
