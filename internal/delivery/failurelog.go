package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/informer"
)

const (
	// Burst and PerSecond bound the lines about failures that a listener logs, of errors and of
	// warnings each.
	Burst     = 10
	PerSecond = 1
	// MaxReason bounds the bytes of an error's text in the log, escapes included.
	MaxReason = 1 << 10
)

// FailureLog logs failures of events at a limited rate, however many fail: ten lines, and then one in
// a second; errors have as many of their own, so that no number of warnings hides them. Each line
// says how many of its kind were suppressed before it. Texts of handlers and receivers are quoted
// and cut, and names of objects are quoted unless they are printable ASCII.
type FailureLog struct {
	*slog.Logger

	mu               sync.Mutex // guards what follows
	errors, warnings budget     // warnings has all that is below an error
}

// budget bounds the lines of one kind.
type budget struct {
	used       float64 // of the burst
	last       time.Time
	suppressed int // since a line was let through
}

// allow reports whether another line of the level may be written now, and how many were suppressed
// since the last one.
func (l *FailureLog) allow(level slog.Level, now time.Time) (ok bool, suppressed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if level >= slog.LevelError {
		return l.errors.spend(now)
	}
	return l.warnings.spend(now)
}

func (b *budget) spend(now time.Time) (ok bool, suppressed int) {
	if passed := now.Sub(b.last).Seconds(); passed > 0 {
		b.used = max(0, b.used-passed*PerSecond)
	}
	b.last = now
	if b.used+1 > Burst {
		b.suppressed++
		return false, 0
	}
	b.used++
	suppressed, b.suppressed = b.suppressed, 0
	return true, suppressed
}

// Failure logs what has happened to an event, and why.
func (l *FailureLog) Failure(level slog.Level, d *informer.Delivery, what string, err error,
	attrs ...slog.Attr) {
	ok, suppressed := l.allow(level, time.Now())
	if !ok {
		return
	}
	all := make([]any, 0, 8)
	if d.Recalled {
		all = append(all, slog.Bool("recalled", true))
	} else {
		all = append(all, slog.Any("op", d.Op))
	}
	all = append(all, slog.String("object", printable(d.Object.Key().String())))
	for _, a := range attrs {
		all = append(all, a)
	}
	all = append(all, slog.String("error", Shortened(err.Error())))
	if suppressed > 0 {
		all = append(all, slog.Int("suppressed", suppressed))
	}
	l.Log(context.Background(), level, what, all...)
}

// GivenUp logs that an event, or what was made of it, has ended as a dead letter. Without the ID of
// one there is none, since the store is full and its user chose to drop.
func (l *FailureLog) GivenUp(d *informer.Delivery, cause error, reason, letter string,
	attrs ...slog.Attr) {
	what := "event given up"
	attrs = append(attrs, slog.String("resourceVersion", d.Object.ResourceVersion()),
		slog.String("reason", reason), slog.Int("attempts", d.Attempt))
	if letter == "" {
		what = "event given up, and its dead letter is dropped: there is no room for it"
	} else {
		attrs = append(attrs, slog.String("letter", letter))
	}
	l.Failure(slog.LevelError, d, what, cause, attrs...)
}

// Shortened cuts a text between two characters so that it has at most MaxReason bytes when it is
// quoted.
func Shortened(text string) string {
	size := 0
	for i, r := range text {
		size += quotedSize(r)
		if size > MaxReason-len("…") {
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

// printable returns a text that is safe in a line of any form: as it is, as the names of almost all
// objects are, or quoted.
func printable(text string) string {
	odd := func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }
	if strings.ContainsFunc(text, odd) {
		text = fmt.Sprintf("%+q", text)
	}
	return Shortened(text)
}
