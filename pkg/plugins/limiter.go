package plugins

import (
	"sync"
	"time"
)

// burst is for how many seconds lines may come at once.
const burst = 5

// limiter lets a number of lines through for each second, and a burst more after a pause. The zero
// value lets none through.
type limiter struct {
	perSecond float64

	mu         sync.Mutex // guards what follows
	tokens     float64
	last       time.Time
	suppressed int // since a line was let through
}

// allow reports whether one more line may be written now, and how many were suppressed since the
// last one that was.
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
