package backoff

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// Breaker pauses calls that keep failing: after a number of failures in a row there is a
// pause, and then one trial. If that fails, too, the next pause is twice as long; if not, all
// callers go on. A handler that keeps crashing has one, and so has an output that is away.
//
//	all go on ──failures──> pause ──over──> one trial ──good──> all go on
//	                          ^                 │
//	                          └─────failure─────┘  twice as long, up to a maximum
//
// What is promised:
//   - There is never more than one trial, and no other call begins until it has ended.
//   - Of those that wait, one of the lowest rank has the trial. Rank is how often what a caller has
//     to do has failed, so that what always fails keeps nobody from trying something else.
//   - A trial that fails begins another pause, also if the first one was asked for.
//   - A call that began before a pause and ends in it changes nothing, unless it is asked for a
//     longer delay.
//   - A pause is at least as long as the last failure asked for.
//   - A caller waits no longer than its context.
//
// It is plain data: callers ask it before they call, and report the result.
//
// It is not a library's: sony/gobreaker refuses calls instead of having them wait, so that each
// caller would poll; it allows several calls while it is half open, and has no trial without a
// result. cenkalti/backoff is about the delays of one caller.
//
// Set its fields before the first use; the zero value never
// pauses. It is safe for concurrent use.
type Breaker struct {
	After  int     // failures in a row before the first pause; 0: never. See SetAfter.
	Pauses Backoff // the range of the pauses
	// Jitter: each pause is a random part of its length, but at least a half.
	Jitter bool

	// troubled: something below is not zero. While it is false, callers need not take the lock.
	troubled atomic.Bool

	mu       sync.Mutex    // guards what follows
	failures int           // in a row
	last     Pause         // the zero Pause if there was none since the last good result
	inRow    int           // pauses with nothing but failed trials between them; 0: all is well
	trying   bool          // a caller is at the trial
	changed  chan struct{} // closed when waiting callers have to ask again; nil if none does
	ranks    map[int]int   // how many callers of each rank wait to enter
	pauses   uint64
}

// Pause is a time in which nobody calls.
type Pause struct {
	Begin, End time.Time
	// Since is when the first of the pauses began that have only failed trials between them.
	Since    time.Time
	Failures int   // in a row
	Cause    error // of the last failure
}

// IsZero reports whether there is no pause.
func (p Pause) IsZero() bool { return p.End.IsZero() }

// Length returns how long the pause lasts.
func (p Pause) Length() time.Duration { return p.End.Sub(p.Begin) }

// Rest waits while there is a pause. It also returns when ctx is done or stopped is closed: then
// nobody waits for a pause.
func (b *Breaker) Rest(ctx context.Context, stopped <-chan struct{}) {
	b.wait(ctx, stopped, false, 0)
}

// Enter waits until the caller may call. If trial is true, it is the only one that does. It returns
// at once when ctx is done or stopped is closed; entered is false if it was still to wait then.
func (b *Breaker) Enter(ctx context.Context, stopped <-chan struct{}) (entered, trial bool) {
	return b.EnterRanked(ctx, stopped, 0)
}

// EnterRanked is Enter of a caller that leaves the trial to those of a lower rank.
func (b *Breaker) EnterRanked(ctx context.Context, stopped <-chan struct{}, rank int) (entered,
	trial bool) {
	if !b.troubled.Load() {
		return true, false
	}
	b.lineUp(rank)
	defer b.stepOut(rank)
	return b.wait(ctx, stopped, true, rank)
}

func (b *Breaker) lineUp(rank int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ranks == nil {
		b.ranks = map[int]int{}
	}
	b.ranks[rank]++
}

// stepOut is the end of lineUp. Those of a higher rank may have waited for this caller.
func (b *Breaker) stepOut(rank int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ranks[rank]--; b.ranks[rank] == 0 {
		delete(b.ranks, rank)
	}
	b.wake()
}

// isFirst reports whether nobody of a lower rank waits. The caller holds mu.
func (b *Breaker) isFirst(rank int) bool {
	for other := range b.ranks {
		if other < rank {
			return false
		}
	}
	return true
}

// Away reports whether there was a pause and no good result since: nobody may call without Enter.
func (b *Breaker) Away() bool {
	if !b.troubled.Load() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.inRow > 0
}

// Troubled reports whether the last call failed.
func (b *Breaker) Troubled() bool { return b.troubled.Load() }

func (b *Breaker) wait(ctx context.Context, stopped <-chan struct{}, enter bool, rank int) (entered,
	trial bool) {
	for b.troubled.Load() {
		remaining, changed, trial := b.ask(time.Now(), enter, rank)
		if changed == nil {
			return true, trial
		}
		var over <-chan time.Time // nil: a trial has to end first
		if remaining > 0 {
			over = time.After(remaining)
		}
		select {
		case <-over:
		case <-changed:
		case <-stopped:
			return false, false
		case <-ctx.Done():
			return false, false
		}
	}
	return true, false
}

// ask returns a nil channel if the caller may go on, or else how long to wait and for what change
// before it asks again.
func (b *Breaker) ask(now time.Time, enter bool, rank int) (remaining time.Duration,
	changed <-chan struct{}, trial bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	remaining = b.last.End.Sub(now)
	switch {
	case remaining <= 0 && (!enter || b.inRow == 0):
		return 0, nil, false
	case remaining <= 0 && !b.trying && b.isFirst(rank):
		b.trying = true
		return 0, nil, true
	}
	if b.changed == nil {
		b.changed = make(chan struct{})
	}
	return remaining, b.changed, false
}

// Failed counts a failure, and returns the pause that begins with it, if one does. A failure that
// asks for a delay begins a pause of at least that length, whatever the count is.
func (b *Breaker) Failed(trial bool, cause error, asked time.Duration) (p Pause, begins bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if trial {
		b.settled()
	}
	if b.After == 0 {
		return Pause{}, false
	}
	trial = trial && b.inRow > 0 // else SetAfter has ended the pause
	if b.inRow > 0 && !trial {   // an attempt from before the pause
		if end := time.Now().Add(asked); asked > 0 && end.After(b.last.End) {
			b.last.End = end
		}
		return Pause{}, false
	}
	b.troubled.Store(true)
	b.failures++
	if !trial && b.failures < b.After && asked <= 0 {
		return Pause{}, false
	}
	now := time.Now()
	b.inRow++
	if b.last.Since.IsZero() {
		b.last.Since = now
	}
	length := b.Pauses.Delay(b.inRow)
	if b.Jitter {
		length -= rand.N(length/2 + 1)
	}
	b.last.Begin, b.last.End = now, now.Add(max(length, asked))
	b.last.Failures, b.last.Cause = b.failures, cause
	b.pauses++
	return b.last, true
}

// Worked counts a good result. If it is the first since a pause, it returns that pause.
func (b *Breaker) Worked(trial bool) (p Pause, recovered bool) {
	if !trial && !b.troubled.Load() {
		return Pause{}, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if trial {
		b.settled()
	}
	if b.inRow > 0 && !trial {
		return Pause{}, false
	}
	p, recovered = b.last, b.inRow > 0
	b.failures, b.last, b.inRow = 0, Pause{}, 0
	b.troubled.Store(false)
	b.wake()
	return p, recovered
}

// Leave ends a trial that came to no result: another caller may try.
func (b *Breaker) Leave(trial bool) {
	if trial {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.settled()
	}
}

// settled ends a trial, and has waiting callers ask again. The caller holds mu.
func (b *Breaker) settled() {
	b.trying = false
	b.wake()
}

// wake has waiting callers ask again. The caller holds mu.
func (b *Breaker) wake() {
	if b.changed != nil {
		close(b.changed)
		b.changed = nil
	}
}

// State returns the pause that there is now, if any, and how many there were.
func (b *Breaker) State() (p Pause, pauses uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Now().Before(b.last.End) {
		p = b.last
	}
	return p, b.pauses
}

// Cause returns the error of the last failure that a pause began with, nil if all is well.
func (b *Breaker) Cause() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.last.Cause
}

// SetAfter changes how many failures in a row there are before the first pause. With 0, the pause
// that there is ends; a trial that is under way still has to.
func (b *Breaker) SetAfter(failures int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.After = failures
	if failures == 0 {
		b.failures, b.last, b.inRow = 0, Pause{}, 0
		b.troubled.Store(false)
		b.wake()
	}
}
