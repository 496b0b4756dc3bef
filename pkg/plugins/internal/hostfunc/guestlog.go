package hostfunc

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
	granted limiter    // of log.v1
	output  limiter    // of stdout and stderr
	crashes limiter
}

// NewLog returns the log of a listener's handler. With log.v1 it may write linesPerSecond, from
// level on.
func NewLog(log *slog.Logger, listener string, level slog.Level, linesPerSecond int) *Log {
	return &Log{
		log:     log.With("listener", listener),
		level:   level,
		granted: limiter{PerSecond: float64(linesPerSecond)},
		output:  limiter{PerSecond: OutputLinesPerSecond},
		crashes: limiter{PerSecond: crashesPerSecond},
	}
}

// enabled reports whether a line of log.v1 at a level is written.
func (l *Log) enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.level && l.log.Enabled(ctx, level)
}

// Line writes one line of log.v1.
func (l *Log) Line(ctx context.Context, level slog.Level, text string) {
	l.write(ctx, &l.granted, level, text, slog.String("from", "handler"))
}

// Stdout writes one line of the guest's standard output.
func (l *Log) Stdout(ctx context.Context, text string) {
	l.write(ctx, &l.output, slog.LevelInfo, text, slog.String("from", "handler stdout"))
}

// Stderr writes one line of the guest's standard error.
func (l *Log) Stderr(ctx context.Context, text string) {
	l.write(ctx, &l.output, slog.LevelWarn, text, slog.String("from", "handler stderr"))
}

// Crash writes that the handler crashed.
func (l *Log) Crash(ctx context.Context, attrs ...slog.Attr) {
	l.write(ctx, &l.crashes, slog.LevelWarn, "handler crashed", attrs...)
}

// write writes one line, unless its limit is reached. A line after suppressed ones has their
// number.
func (l *Log) write(ctx context.Context, limit *limiter, level slog.Level, text string,
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
	text = boundedLine(strings.ToValidUTF8(text, "\uFFFD"), abi.MaxLogLine)
	l.log.LogAttrs(ctx, level, text, attrs...)
}

// boundedLine returns a text cut so that it has at most limit bytes when it is written, in quotes:
// a character may take ten.
func boundedLine(text string, limit int) string {
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
