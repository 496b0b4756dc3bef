package informer

import (
	"cmp"
	"context"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// controller takes deltas from the queue, applies them to the store and has the processor notify
// the subscriptions. One goroutine runs it. The store is written by that one alone and, while it is
// idle, by the reflector's, which applies the first list as well.
type controller struct {
	queue *queue.Queue
	store *store.Store
	proc  *processor
	// joined wakes the controller when a subscription has joined, whose resync may be due before
	// all others.
	joined signal
	// cooling is what the controller does when it is idle.
	cooling cooling
	// applied counts objects. It belongs to whoever has taken something from the queue.
	applied int
}

// maxAsleep is how many objects may be applied before the subscriptions' workers are woken.
const maxAsleep = 16

// run blocks until ctx is done. What is still queued then is dropped: a subscription that joins
// again sees it as state.
func (c *controller) run(ctx context.Context) {
	resync := time.NewTimer(0)
	defer resync.Stop()
	cool := time.NewTimer(min(c.cooling.every, earlyAfter))
	defer cool.Stop()
	defer c.proc.wake()
	for ctx.Err() == nil {
		select {
		case <-resync.C:
			c.resync(resync)
		case <-c.joined:
			c.resync(resync)
		default:
		}
		if deltas, ok := c.queue.Pop(); ok {
			c.proc.awaitBlocked(ctx) // of what was passed
			for i := range deltas {
				c.apply(&deltas[i])
				c.proc.awaitBlocked(ctx)
			}
			c.done()
			continue
		}
		c.proc.wake()
		select {
		case <-c.queue.Ready:
		case <-resync.C:
			c.resync(resync)
		case <-c.joined:
			c.resync(resync)
		case <-cool.C:
			cool.Reset(c.cooling.step(c.queue.HasSynced()))
		case <-ctx.Done():
		}
	}
}

// applyNow applies a watch event on the reflector's goroutine, if everything before it is applied.
// For most events it is, and handing them to another goroutine would cost a third of what they
// cost. BenchmarkEvent has both ways.
func (c *controller) applyNow(d queue.Delta) (applied bool) {
	claimed := c.queue.Claim(d)
	if claimed == nil {
		return false
	}
	c.apply(claimed)
	// The reflector continues to read, until the queue is full.
	if len(c.proc.blocked) > 0 {
		c.queue.Pass()
		return true
	}
	c.done()
	return true
}

// done ends the turn of whoever has taken something from the queue.
func (c *controller) done() {
	c.applied++
	due := c.applied%maxAsleep == 0
	c.queue.Done()
	if due {
		c.proc.wake()
	}
}

// resync begins the resyncs that are due, and sets the timer to the next time.
func (c *controller) resync(timer *time.Timer) {
	now := time.Now()
	next := c.proc.startResync(now, c.store)
	if next.IsZero() {
		timer.Stop()
		return
	}
	timer.Reset(next.Sub(now))
}

// apply changes the store and distributes what that means. The store, not the delta's type, decides
// between an add and an update: a watch may repeat an ADDED, and a list does not say what was known
// before.
func (c *controller) apply(d *queue.Delta) {
	c.proc.mu.Lock()
	defer c.proc.mu.Unlock()
	if !c.proc.resyncs {
		c.change(d)
		return
	}
	c.store.SetApplying(d.Object)
	c.change(d)
	c.store.SetApplying(nil)
}

// change applies a delta. The caller holds the processor's mu.
func (c *controller) change(d *queue.Delta) {
	o := d.Object
	stored, maybeKnown := c.store.Get(o.Key()), c.maybeKnown(d)
	switch {
	case d.Type == queue.Deleted:
		if stored == nil {
			return // no subscription knows it
		}
		c.store.Remove(o.Key())
		c.proc.changes.remove(o.Key(), cmp.Or(d.Gone, o.ResourceVersion()))
		gone := event.Event{Op: event.Delete, Object: o, FinalStateUnknown: d.FinalStateUnknown,
			Resumed: d.Resumed, Arrived: d.Arrived}
		known := stored
		if stored.UID() != o.UID() {
			// The end of a successor that nobody knows: what subscriptions know ended before that.
			gone.Object, gone.FinalStateUnknown = stored, true
		}
		c.proc.distributeGone(gone, known, maybeKnown)
	case stored == nil:
		c.put(o)
		c.proc.distribute(event.Event{Op: event.Add, Object: o, Initial: d.Initial,
			Resumed: d.Resumed, Arrived: d.Arrived}, maybeKnown)
	case stored.UID() != o.UID():
		// Deleted and created again unseen: two objects that share a name.
		c.put(o)
		c.proc.distributeGone(event.Event{Op: event.Delete, Object: stored,
			FinalStateUnknown: true, Resumed: d.Resumed, Arrived: d.Arrived}, stored, maybeKnown)
		c.proc.distribute(event.Event{Op: event.Add, Object: o, Initial: d.Initial,
			Resumed: d.Resumed, Arrived: d.Arrived}, maybeKnown)
	case object.SameState(stored, o) && (!d.Rewound || stored.JSON() == o.JSON()):
		c.proc.distributeUnchanged(stored)
	default:
		c.put(o)
		c.proc.distribute(event.Event{Op: event.Update, Object: o, Old: stored,
			Resumed: d.Resumed, Arrived: d.Arrived}, maybeKnown)
	}
}

// maybeKnown reports whether an earlier process, which was killed, may have delivered states that a
// delta passes over. A list has no others than the last ones; a watch has all of them. The caller
// holds the processor's mu.
func (c *controller) maybeKnown(d *queue.Delta) bool {
	changes := c.proc.changes
	return changes != nil && changes.killed && (d.Type == queue.Replaced || d.FinalStateUnknown)
}

// put stores a new state.
func (c *controller) put(o *object.Object) {
	c.store.Put(o)
	c.proc.changes.put(o.Key())
}
