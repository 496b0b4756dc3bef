package route

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/backoff"
)

// pauseBackoff is the range of the pauses.
var pauseBackoff = backoff.Backoff{Min: time.Second, Max: time.Minute}

// breaker pauses a handler that keeps crashing: after a number of crashes in a row there is a
// pause, and then one trial. If that crashes, too, the next pause is twice as long; if not, all
// workers go on.
//
//	all go on ──crashes──> pause ──over──> one trial ──good──> all go on
//	                         ^                 │
//	                         └──────crash──────┘  twice as long, up to a minute
//
// There is never more than one trial, and no other call begins until it has ended.
//
// It is plain data: workers ask it before they call the handler, and report the result. A call that
// began before a pause and ends in it changes nothing. It is safe for concurrent use.
type breaker struct {
	after int // crashes in a row before the first pause; 0: never

	// troubled: something below is not zero. While it is false, workers need not take the lock.
	troubled atomic.Bool

	mu      sync.Mutex    // guards what follows
	crashes int           // in a row
	last    Pause         // the zero Pause if there was none since the last good result
	inRow   int           // pauses with nothing but crashed trials between them; 0: all is well
	trying  bool          // a worker is at the trial
	changed chan struct{} // closed when waiting workers have to ask again; nil if none does
	pauses  uint64
}

// Pause is a time in which a listener's workers take no events, since its handler keeps crashing.
type Pause struct {
	Begin, End time.Time
	// Since is when the first of the pauses began that have only crashed trials between them.
	Since   time.Time
	Crashes int   // in a row
	Cause   error // of the last crash; its text may be a guest's
}

// IsZero reports whether there is no pause.
func (p Pause) IsZero() bool { return p.End.IsZero() }

// Length returns how long the pause lasts.
func (p Pause) Length() time.Duration { return p.End.Sub(p.Begin) }

// rest waits while there is a pause. It also returns when ctx is done or stopped is closed: then
// nobody waits for a pause.
func (b *breaker) rest(ctx context.Context, stopped <-chan struct{}) { b.wait(ctx, stopped, false) }

// enter waits until the worker may call the handler. If trial is true, it is the only worker that
// does, with one event. It returns at once when ctx is done or stopped is closed.
func (b *breaker) enter(ctx context.Context, stopped <-chan struct{}) (trial bool) {
	return b.wait(ctx, stopped, true)
}

func (b *breaker) wait(ctx context.Context, stopped <-chan struct{}, enter bool) (trial bool) {
	for b.troubled.Load() {
		remaining, changed, trial := b.ask(time.Now(), enter)
		if changed == nil {
			return trial
		}
		var over <-chan time.Time // nil: the trial has to end first
		if remaining > 0 {
			over = time.After(remaining)
		}
		select {
		case <-over:
		case <-changed:
		case <-stopped:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// ask returns a nil channel if the worker may go on, or else how long to wait and for what change
// before it asks again.
func (b *breaker) ask(now time.Time, enter bool) (remaining time.Duration, changed <-chan struct{},
	trial bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	remaining = b.last.End.Sub(now)
	switch {
	case remaining <= 0 && (!enter || b.inRow == 0):
		return 0, nil, false
	case remaining <= 0 && !b.trying:
		b.trying = true
		return 0, nil, true
	}
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return remaining, b.changed, false
}

// crashed counts a crash, and returns the pause that begins with it, if one does.
func (b *breaker) crashed(trial bool, cause error) (p Pause, begins bool) {
	if b.after == 0 {
		return Pause{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inRow > 0 && !trial {
		return Pause{}, false
	}
	b.troubled.Store(true)
	b.crashes++
	if b.crashes < b.after {
		return Pause{}, false
	}
	now := time.Now()
	b.inRow++
	if b.last.Since.IsZero() {
		b.last.Since = now
	}
	b.last.Begin, b.last.End, b.last.Crashes, b.last.Cause = now,
		now.Add(pauseBackoff.Delay(b.inRow)), b.crashes,
		cause
	b.pauses++
	b.settled()
	return b.last, true
}

// worked counts a good result. If it is the first since a pause, it returns that pause.
func (b *breaker) worked(trial bool) (p Pause, recovered bool) {
	if !b.troubled.Load() {
		return Pause{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.inRow > 0 && !trial {
		return Pause{}, false
	}
	p, recovered = b.last, b.inRow > 0
	b.crashes, b.last, b.inRow = 0, Pause{}, 0
	b.troubled.Store(false)
	b.settled()
	return p, recovered
}

// leave ends a trial that came to no result: another worker may try.
func (b *breaker) leave(trial bool) {
	if trial {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.settled()
	}
}

// settled ends a trial, and has waiting workers ask again. The caller holds mu.
func (b *breaker) settled() {
	b.trying = false
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// state returns the pause that there is now, if any, and how many there were.
func (b *breaker) state() (p Pause, pauses uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Now().Before(b.last.End) {
		p = b.last
	}
	return p, b.pauses
}
