package contender

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/bench/objects"
)

// Tally counts the calls of a contender's handler. It is safe for concurrent use.
type Tally struct {
	Listed  Counter // objects of the first list
	Changes Counter
	// MatchedListed and MatchedChanges count those for which the filter was true.
	MatchedListed, MatchedChanges atomic.Int64

	recording atomic.Bool
	seen      []atomic.Int64 // by change, Unix nanoseconds
}

// NewTally returns a tally that can record when each of the first changes was seen.
func NewTally(changes int) *Tally { return &Tally{seen: make([]atomic.Int64, changes)} }

// List counts an object of the first list.
func (t *Tally) List(matched bool) {
	if matched {
		t.MatchedListed.Add(1)
	}
	t.Listed.Add(1)
}

// Change counts a change.
func (t *Tally) Change(matched bool) {
	if matched {
		t.MatchedChanges.Add(1)
	}
	t.Changes.Add(1)
}

// Record starts or stops recording when changes are seen.
func (t *Tally) Record(on bool) { t.recording.Store(on) }

// Recording reports whether handlers should call See.
func (t *Tally) Recording() bool { return t.recording.Load() }

// See records that the handler was called with a state of an object now.
func (t *Tally) See(resourceVersion string) {
	now := time.Now().UnixNano()
	version, err := strconv.ParseUint(resourceVersion, 10, 64)
	if i := version - objects.FirstFreeVersion - 1; err == nil &&
		version > objects.FirstFreeVersion && i < uint64(len(t.seen)) {
		t.seen[i].CompareAndSwap(0, now)
	}
}

// Seen returns when changes first to first+n-1 were seen, 0 if they were not.
func (t *Tally) Seen(first, n int) []int64 {
	times := make([]int64, n)
	for i := range times {
		times[i] = t.seen[first+i].Load()
	}
	return times
}

// Counter is a number to wait for. The zero value is ready for use; one goroutine may wait.
type Counter struct {
	n, goal atomic.Int64
	reached atomic.Pointer[chan struct{}] // has room for one
}

// Add counts n more.
func (c *Counter) Add(n int64) {
	now := c.n.Add(n)
	if goal := c.goal.Load(); now >= goal && now-n < goal {
		select {
		case *c.reached.Load() <- struct{}{}:
		default:
		}
	}
}

// Count returns the current number.
func (c *Counter) Count() int64 { return c.n.Load() }

// Wait waits until the number is at least goal.
func (c *Counter) Wait(ctx context.Context, goal int) error {
	reached := make(chan struct{}, 1)
	c.reached.Store(&reached)
	c.goal.Store(int64(goal))
	for c.n.Load() < int64(goal) {
		select {
		case <-reached:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d: %w", c.n.Load(), goal, ctx.Err())
		}
	}
	return nil
}
