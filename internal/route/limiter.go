package route

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	// logBurst and logPerSecond bound the lines about failures that a listener logs.
	logBurst     = 10
	logPerSecond = 1
	// maxReason bounds the bytes of an error's text in the log, escapes included.
	maxReason = 1 << 10
)

// logLimiter lets some lines through, and counts the others. The zero value is ready for use.
type logLimiter struct {
	mu         sync.Mutex // guards what follows
	used       float64    // of the burst
	last       time.Time
	suppressed int // since a line was let through
}

// allow reports whether another line may be written now, and how many were suppressed since the
// last one.
func (c *logLimiter) allow(now time.Time) (ok bool, suppressed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if passed := now.Sub(c.last).Seconds(); passed > 0 {
		c.used = max(0, c.used-passed*logPerSecond)
	}
	c.last = now
	if c.used+1 > logBurst {
		c.suppressed++
		return false, 0
	}
	c.used++
	suppressed, c.suppressed = c.suppressed, 0
	return true, suppressed
}

// logError logs a failure that is not retried.
func (r *Route) logError(d *informer.Delivery, what string, err error) {
	r.logFailure(slog.LevelError, d, what, err)
}

// logFailure logs a failure at a limited rate. The texts of handlers and receivers are cut to a
// bounded length.
func (r *Route) logFailure(level slog.Level, d *informer.Delivery, what string, err error,
	attrs ...slog.Attr) {
	ok, suppressed := r.limiter.allow(time.Now())
	if !ok {
		return
	}
	all := make([]any, 0, 8)
	if d.Recalled {
		all = append(all, slog.Bool("recalled", true))
	} else {
		all = append(all, slog.Any("op", d.Op))
	}
	all = append(all, slog.String("object", quotedKey(d.Object.Key())))
	for _, a := range attrs {
		all = append(all, a)
	}
	all = append(all, slog.String("error", shortened(err.Error())))
	if suppressed > 0 {
		all = append(all, slog.Int("suppressed", suppressed))
	}
	r.log.Log(context.Background(), level, what, all...)
}

// shortened cuts a text between two characters so that it has at most maxReason bytes when it is
// quoted.
func shortened(text string) string {
	size := 0
	for i, r := range text {
		size += quotedSize(r)
		if size > maxReason-len("…") {
			return text[:i] + "…"
		}
	}
	return text
}

// quotedSize returns the most bytes that a character takes when Go or JSON quotes it.
func quotedSize(r rune) int {
	switch {
	case r == utf8.RuneError:
		return 6
	case r < ' ' || r == 0x7f:
		return 6
	case r == '"' || r == '\\':
		return 2
	case r < utf8.RuneSelf:
		return 1
	}
	return 10
}

// quotedKey returns an object's name in a form that is safe to log.
func quotedKey(key event.Key) string { return shortened(fmt.Sprintf("%+q", key.String())) }
