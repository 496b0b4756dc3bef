package reflector

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// However many objects are malformed, there is one line in a minute, which counts them.
func TestManyMalformedAreOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		log := slog.New(slog.NewTextHandler(&out, nil))
		var s malformedLog
		for range 3 {
			for range 100 {
				s.add(errors.New("no name"))
				s.reportSometimes(log)
			}
			time.Sleep(time.Minute)
		}
		s.report(log)
		s.report(log) // nothing
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 4 || !strings.Contains(lines[3], "objects=99") ||
			!strings.Contains(lines[1], "objects=100") {
			t.Errorf("%q", lines)
		}
	})
}
