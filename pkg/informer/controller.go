package informer

import (
	"context"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// controller takes deltas from the queue, applies them to the store and has the processor tell the
// subscriptions. One goroutine runs it. The store is written by nobody but that one and, while it
// has nothing to do, the reflector's, which applies the first list as well.
type controller struct {
	queue *deltaQueue
	store *store.Store
	proc  *processor
	// joined wakes the controller when a subscription came, whose resync may be due sooner than all
	// others.
	joined signal
	// cooling is what the controller does with the rest of its time.
	cooling cooling
	// applied counts objects. Whoever has taken something from the queue may use it.
	applied int
}

// maxAsleep is of how many objects the events may wait for their subscriptions to be told.
const maxAsleep = 16

// run blocks until ctx is done. What is then still queued is dropped: a subscription that starts
// again will see it as state.
func (c *controller) run(ctx context.Context) {
	resync := time.NewTimer(0)
	defer resync.Stop()
	cool := time.NewTimer(c.cooling.every)
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
		if deltas, ok := c.queue.pop(); ok {
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
		case <-c.queue.ready:
		case <-resync.C:
			c.resync(resync)
		case <-c.joined:
			c.resync(resync)
		case <-cool.C:
			cool.Reset(c.cooling.step())
		case <-ctx.Done():
		}
	}
}

// applyNow applies a watch event on the reflector's goroutine, if nothing came before that is not
// applied. Most events find it so, and to hand them to another goroutine would cost a third of what
// they cost. BenchmarkEvent has both ways.
func (c *controller) applyNow(d delta) (applied bool) {
	claimed := c.queue.claim(d)
	if claimed == nil {
		return false
	}
	c.apply(claimed)
	// the reflector goes on reading, until the queue is full
	if len(c.proc.blocked) > 0 {
		c.queue.pass()
		return true
	}
	c.done()
	return true
}

// done ends the turn of whoever has taken something from the queue.
func (c *controller) done() {
	c.applied++
	due := c.applied%maxAsleep == 0
	c.queue.done()
	if due {
		c.proc.wake()
	}
}

// resync begins what is due, and sets the timer to the next time.
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
// between an add and an update: a watch may repeat an ADDED, and a list says nothing of what was
// known before.
func (c *controller) apply(d *delta) {
	c.proc.mu.Lock()
	defer c.proc.mu.Unlock()
	if !c.proc.resyncs {
		c.change(d)
		return
	}
	c.store.SetApplying(d.object)
	c.change(d)
	c.store.SetApplying(nil)
}

func (c *controller) change(d *delta) {
	o := d.object
	stored := c.store.Get(o.Key())
	switch {
	case d.typ == deltaDeleted:
		if stored == nil {
			return // nobody was told of it
		}
		c.store.Remove(o.Key())
		gone := event.Event{Op: event.Delete, Object: o, FinalStateUnknown: d.finalStateUnknown}
		known := stored
		if stored.UID() != o.UID() {
			// The end of a successor nobody was told of: what subscriptions know ended before that.
			gone.Object, gone.FinalStateUnknown = stored, true
		}
		c.proc.distributeGone(gone, known)
	case stored == nil:
		c.store.Put(o)
		c.proc.distribute(event.Event{Op: event.Add, Object: o, Initial: d.initial})
	case stored.UID() != o.UID():
		// Deleted and created again while nobody looked: two objects that share a name.
		c.store.Put(o)
		c.proc.distributeGone(event.Event{Op: event.Delete, Object: stored,
			FinalStateUnknown: true}, stored)
		c.proc.distribute(event.Event{Op: event.Add, Object: o, Initial: d.initial})
	case object.SameState(stored, o):
		c.proc.distributeUnchanged(stored)
	default:
		c.store.Put(o)
		c.proc.distribute(event.Event{Op: event.Update, Object: o, Old: stored})
	}
}
