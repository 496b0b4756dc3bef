// Package skips logs the malformed objects of a broken server, many in one line. It has no
// goroutine, and never sees an object.
package skips

import (
	"log/slog"
	"time"

	"golang.org/x/time/rate"
)

// interval is how often malformed objects of a watch are logged, whatever their number.
const interval = time.Minute

// Log logs malformed objects, many in one line: a broken server sends nothing else. The zero value
// is ready.
type Log struct {
	lines   rate.Sometimes
	pending uint64 // since the last line
	last    error
}

// Add counts a malformed object.
func (s *Log) Add(err error) {
	s.pending++
	s.last = err
}

// Report logs what was added since the last line.
func (s *Log) Report(log *slog.Logger) {
	if s.pending > 0 {
		log.Error("skipping malformed objects", "objects", s.pending, "error", s.last)
		s.pending = 0
	}
}

// ReportSometimes calls Report, but at most once each minute.
func (s *Log) ReportSometimes(log *slog.Logger) {
	s.lines.Interval = interval
	s.lines.Do(func() { s.Report(log) })
}
