package informer

import (
	"log/slog"
	"time"

	"golang.org/x/time/rate"
)

// skipInterval is how often malformed objects of a watch are logged, whatever their number.
const skipInterval = time.Minute

// skips logs malformed objects, many in one line: a broken server sends nothing else. The zero
// value is ready.
type skips struct {
	lines   rate.Sometimes
	pending uint64 // since the last line
	last    error
}

// add counts a malformed object.
func (s *skips) add(err error) {
	s.pending++
	s.last = err
}

// report logs what was added since the last line.
func (s *skips) report(log *slog.Logger) {
	if s.pending > 0 {
		log.Error("skipping malformed objects", "objects", s.pending, "error", s.last)
		s.pending = 0
	}
}

// reportSometimes calls report, but at most once each skipInterval.
func (s *skips) reportSometimes(log *slog.Logger) {
	s.lines.Interval = skipInterval
	s.lines.Do(func() { s.report(log) })
}
