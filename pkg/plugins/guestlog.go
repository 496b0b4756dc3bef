package plugins

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
)

const (
	outputLinesPerSecond = 10 // of stdout and stderr together
	crashesPerSecond     = 1
	burst                = 5 // seconds' worth of lines that may come at once
)

// guestLog writes what guests of one handler have to say to the log of informerd, within limits.
type guestLog struct {
	log     *slog.Logger
	level   slog.Level // of log.v1
	granted limiter    // of log.v1
	output  limiter    // of stdout and stderr
	crashes limiter
}

func newGuestLog(log *slog.Logger, spec Spec) *guestLog {
	l := &guestLog{
		log:     log.With("listener", spec.Listener),
		output:  limiter{perSecond: outputLinesPerSecond},
		crashes: limiter{perSecond: crashesPerSecond},
	}
	if grant := spec.Grants.Log; grant != nil {
		l.level = grant.Level
		l.granted = limiter{perSecond: float64(grant.LinesPerSecond)}
	}
	return l
}

func (l *guestLog) enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.level && l.log.Enabled(ctx, level)
}

// line writes one line of log.v1.
func (l *guestLog) line(ctx context.Context, level slog.Level, text string) {
	l.write(ctx, &l.granted, level, text, slog.String("from", "handler"))
}

func (l *guestLog) stdout(ctx context.Context, text string) {
	l.write(ctx, &l.output, slog.LevelInfo, text, slog.String("from", "handler stdout"))
}

func (l *guestLog) stderr(ctx context.Context, text string) {
	l.write(ctx, &l.output, slog.LevelWarn, text, slog.String("from", "handler stderr"))
}

func (l *guestLog) crash(ctx context.Context, c *CrashError) {
	l.write(ctx, &l.crashes, slog.LevelWarn, "handler crashed",
		slog.String("object", c.Object.String()),
		slog.String("op", c.Op.String()), slog.String("func", c.Func), slog.String("reason",
			string(c.Reason)),
		slog.String("error", c.Cause.Error()), slog.String("stack", strings.Join(c.Stack, "\n")))
}

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
	l.log.LogAttrs(ctx, level, bounded(strings.ToValidUTF8(text, "\uFFFD"), abi.MaxLogLine),
		attrs...)
}

// bounded cuts a text off so that it has at most so many bytes when it is written, in quotes: a
// character may take ten.
func bounded(text string, most int) string {
	if 10*len(text) <= most {
		return text
	}
	const quotes, control = 2, 6
	var quoted [16]byte
	for i, r := range text {
		written := len(strconv.AppendQuote(quoted[:0], string(r))) - quotes
		if r < ' ' {
			written = control // in JSON
		}
		if most -= written; most < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// limiter lets a number of lines through for each second, and a burst more after a pause. The zero
// value lets none.
type limiter struct {
	perSecond float64

	mu         sync.Mutex // guards what follows
	tokens     float64
	last       time.Time
	suppressed int // since a line was let through
}

// allow tells whether one more line may be written now, and how many were not since the last one
// that was.
func (l *limiter) allow(now time.Time) (ok bool, suppressed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.IsZero() {
		l.tokens = l.perSecond * burst
	} else {
		l.tokens = min(l.perSecond*burst, l.tokens+l.perSecond*now.Sub(l.last).Seconds())
	}
	l.last = now
	if l.tokens < 1 {
		l.suppressed++
		return false, 0
	}
	l.tokens--
	suppressed, l.suppressed = l.suppressed, 0
	return true, suppressed
}

// lines cuts a stream into lines of bounded length.
type lines struct {
	to   func(ctx context.Context, line string)
	part []byte // the line that is not complete yet
}

func (l *lines) write(ctx context.Context, b []byte) {
	for len(b) > 0 {
		line, rest, complete := bytes.Cut(b, []byte{'\n'})
		room := abi.MaxLogLine - len(l.part)
		l.part = append(l.part, line[:min(room, len(line))]...)
		if complete {
			l.flush(ctx)
		}
		b = rest
	}
}

// flush ends the current line, if there is one.
func (l *lines) flush(ctx context.Context) {
	if len(l.part) == 0 {
		return
	}
	l.to(ctx, string(l.part))
	l.part = l.part[:0]
}
