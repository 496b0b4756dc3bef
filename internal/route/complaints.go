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
	// complaintsBurst and complaintsPerSecond bound the lines about failures that a listener logs.
	complaintsBurst     = 10
	complaintsPerSecond = 1
	// maxReason is how many bytes the text of an error has in the log at most, escapes and all.
	maxReason = 1 << 10
)

// complaints lets some lines through, and counts the others. The zero complaints are ready for use.
type complaints struct {
	mu         sync.Mutex // guards what follows
	used       float64    // of the burst
	last       time.Time
	suppressed int // since a line was let through
}

// allow reports whether one more line may be written now, and how many were not since the last one
// that was.
func (c *complaints) allow(now time.Time) (ok bool, suppressed int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if passed := now.Sub(c.last).Seconds(); passed > 0 {
		c.used = max(0, c.used-passed*complaintsPerSecond)
	}
	c.last = now
	if c.used+1 > complaintsBurst {
		c.suppressed++
		return false, 0
	}
	c.used++
	suppressed, c.suppressed = c.suppressed, 0
	return true, suppressed
}

// complain logs that an expression, or what came of it, has failed.
func (r *Route) complain(d *informer.Delivery, what string, err error) {
	r.complainOf(slog.LevelError, d, what, err)
}

// complainOf logs a failure at a limited rate. The lines are bounded, whatever handlers and
// receivers say.
func (r *Route) complainOf(level slog.Level, d *informer.Delivery, what string, err error,
	attrs ...slog.Attr) {
	ok, suppressed := r.complaints.allow(time.Now())
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
	r.Log.Log(context.Background(), level, what, all...)
}

// shortened cuts a text so that it has at most maxReason bytes when it is quoted. It cuts between
// two characters.
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

// quotedSize returns how many bytes a character takes at most, in Go's form of quoting or in
// JSON's.
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

// quotedKey makes a name from the cluster safe to log.
func quotedKey(key event.Key) string { return shortened(fmt.Sprintf("%+q", key.String())) }
