// Package guestlog writes what guests have to say to the log of informerd: log.v1, their standard
// output and errors, and what the host says of them. Each source has a limit of lines per second. A
// line has a bounded length.
package guestlog

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// OutputLinesPerSecond is how many lines of stdout and stderr together are written.
const OutputLinesPerSecond = 10

const crashesPerSecond = 1

// Log is the log of one handler's guests.
type Log struct {
	log     *slog.Logger
	level   slog.Level // of log.v1
	granted Limiter    // of log.v1
	output  Limiter    // of stdout and stderr
	crashes Limiter
}

// New returns the log of a listener's handler. With log.v1 it may write linesPerSecond, from level
// on.
func New(log *slog.Logger, listener string, level slog.Level, linesPerSecond int) *Log {
	return &Log{
		log:     log.With("listener", listener),
		level:   level,
		granted: Limiter{PerSecond: float64(linesPerSecond)},
		output:  Limiter{PerSecond: OutputLinesPerSecond},
		crashes: Limiter{PerSecond: crashesPerSecond},
	}
}

// Enabled reports whether a line of log.v1 at a level is written.
func (l *Log) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.level && l.log.Enabled(ctx, level)
}

// Line writes one line of log.v1.
func (l *Log) Line(ctx context.Context, level slog.Level, text string) {
	l.Write(ctx, &l.granted, level, text, slog.String("from", "handler"))
}

// Stdout writes one line of the guest's standard output.
func (l *Log) Stdout(ctx context.Context, text string) {
	l.Write(ctx, &l.output, slog.LevelInfo, text, slog.String("from", "handler stdout"))
}

// Stderr writes one line of the guest's standard error.
func (l *Log) Stderr(ctx context.Context, text string) {
	l.Write(ctx, &l.output, slog.LevelWarn, text, slog.String("from", "handler stderr"))
}

// Crash writes that the handler crashed.
func (l *Log) Crash(ctx context.Context, attrs ...slog.Attr) {
	l.Write(ctx, &l.crashes, slog.LevelWarn, "handler crashed", attrs...)
}

// Write writes one line, unless its limit is reached. A line after suppressed ones has their
// number.
func (l *Log) Write(ctx context.Context, limit *Limiter, level slog.Level, text string,
	attrs ...slog.Attr) {
	if !l.log.Enabled(ctx, level) {
		return
	}
	ok, suppressed := limit.allow(time.Now())
	if !ok {
		return
	}
	if suppressed > 0 {
		attrs = append(attrs, slog.Int("suppressed", suppressed))
	}
	text = bounded(strings.ToValidUTF8(text, "\uFFFD"), abi.MaxLogLine)
	l.log.LogAttrs(ctx, level, text, attrs...)
}

// bounded returns a text cut so that it has at most limit bytes when it is written, in quotes: a
// character may take ten.
func bounded(text string, limit int) string {
	if 10*len(text) <= limit {
		return text
	}
	const quotes, control = 2, 6
	var quoted [16]byte
	for i, r := range text {
		written := len(strconv.AppendQuote(quoted[:0], string(r))) - quotes
		if r < ' ' {
			written = control // in JSON
		}
		if limit -= written; limit < 0 {
			return text[:i] + "…"
		}
	}
	return text
}
