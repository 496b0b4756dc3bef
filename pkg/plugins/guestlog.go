package plugins

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

// outputLinesPerSecond is how many lines of stdout and stderr together are written.
const outputLinesPerSecond = 10

const crashesPerSecond = 1

// guestLog is the log of one handler's guests.
type guestLog struct {
	log     *slog.Logger
	level   slog.Level // of log.v1
	granted limiter    // of log.v1
	output  limiter    // of stdout and stderr
	crashes limiter
}

// newGuestLog returns the log of a listener's handler. With log.v1 it may write linesPerSecond, from
// level on.
func newGuestLog(log *slog.Logger, listener string, level slog.Level, linesPerSecond int) *guestLog {
	return &guestLog{
		log:     log.With("listener", listener),
		level:   level,
		granted: limiter{perSecond: float64(linesPerSecond)},
		output:  limiter{perSecond: outputLinesPerSecond},
		crashes: limiter{perSecond: crashesPerSecond},
	}
}

// enabled reports whether a line of log.v1 at a level is written.
func (l *guestLog) enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.level && l.log.Enabled(ctx, level)
}

// line writes one line of log.v1.
func (l *guestLog) line(ctx context.Context, level slog.Level, text string) {
	l.write(ctx, &l.granted, level, text, slog.String("from", "handler"))
}

// stdout writes one line of the guest's standard output.
func (l *guestLog) stdout(ctx context.Context, text string) {
	l.write(ctx, &l.output, slog.LevelInfo, text, slog.String("from", "handler stdout"))
}

// stderr writes one line of the guest's standard error.
func (l *guestLog) stderr(ctx context.Context, text string) {
	l.write(ctx, &l.output, slog.LevelWarn, text, slog.String("from", "handler stderr"))
}

// crash writes that the handler crashed.
func (l *guestLog) crash(ctx context.Context, attrs ...slog.Attr) {
	l.write(ctx, &l.crashes, slog.LevelWarn, "handler crashed", attrs...)
}

// write writes one line, unless its limit is reached. A line after suppressed ones has their
// number.
func (l *guestLog) write(ctx context.Context, limit *limiter, level slog.Level, text string,
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
