package backoff

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// FailuresEnd is how long nothing has failed when failures are over that something good has
// followed. Until then what fails now and then would come and go.
const FailuresEnd = time.Minute

// Failures are those of something that goes on all the same: what fails is lost, or comes to a dead
// letter. They are over once it has worked, and for FailuresEnd nothing has failed. The zero value
// has none. It is safe for concurrent use.
type Failures struct {
	any atomic.Bool // while it is false, nobody takes the lock

	mu          sync.Mutex // guards what follows
	count       uint64
	since, last time.Time
	cause       error
	worked      bool
}

// Failed notes a failure.
func (f *Failures) Failed(cause error) {
	now := time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.areOver(now) {
		f.count, f.since = 0, now
	}
	f.count++
	f.last, f.cause, f.worked = now, cause, false
	f.any.Store(true)
}

// Worked notes that something has not failed.
func (f *Failures) Worked() {
	if f.any.Load() {
		f.mu.Lock()
		f.worked = true
		f.mu.Unlock()
	}
}

// Err says how many of what there were since when, and wraps the last cause. It is nil if they are
// over.
func (f *Failures) Err(what string) error {
	if !f.any.Load() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.areOver(time.Now()) {
		f.any.Store(false)
		f.count, f.cause = 0, nil
		return nil
	}
	return fmt.Errorf("%d %s since %s: %w", f.count, what,
		f.since.UTC().Format(time.RFC3339), f.cause)
}

// areOver reports whether failures are over. The caller holds mu.
func (f *Failures) areOver(now time.Time) bool {
	return f.count == 0 || f.worked && now.Sub(f.last) >= FailuresEnd
}
