package reflector

import (
	"log/slog"
	"time"

	"golang.org/x/time/rate"
)

// malformedInterval is how often malformed objects of a watch are logged, whatever their number.
const malformedInterval = time.Minute

// malformedLog logs malformed objects, many in one line: a broken server sends nothing else. The
// zero value is ready.
type malformedLog struct {
	lines   rate.Sometimes
	pending uint64 // since the last line
	last    error
}

// add counts a malformed object.
func (m *malformedLog) add(err error) {
	m.pending++
	m.last = err
}

// report logs what was added since the last line.
func (m *malformedLog) report(log *slog.Logger) {
	if m.pending > 0 {
		log.Error("skipping malformed objects", "objects", m.pending, "error", m.last)
		m.pending = 0
	}
}

// reportSometimes calls report, but at most once each minute.
func (m *malformedLog) reportSometimes(log *slog.Logger) {
	m.lines.Interval = malformedInterval
	m.lines.Do(func() { m.report(log) })
}
