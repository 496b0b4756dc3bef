package informer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// cooling compresses stored objects that nobody has changed for a while; package object calls them
// dense. An idle controller does that in small steps. Events do not wait for it, as the reflector
// applies them meanwhile; everything else waits for one step at most.
type cooling struct {
	store *store.Store
	every time.Duration // between passes
	early int           // passes that are still to come sooner, once the first list is there
	// onFreed, if set, learns how many bytes were freed, and whether the pass goes on.
	onFreed func(bytes int64, more bool)

	condenser object.Condenser
	freed     int64 // since onFreed was last called
	passing   bool
	at        store.Cursor
	cold      []*object.Object // of the objects that at has passed
	full      bool             // no more objects are looked at before cold is empty
}

const (
	// coldAfter is the time between two passes by default: an object is dense once nobody has
	// changed it for one to two of them. That costs 10 to 60 us, and up to 25 us to read it, so it
	// is not for objects that change all the time: Leases are renewed every 10 seconds.
	coldAfter = 15 * time.Second
	// Until earlyPasses after the first list, passes are only so far apart: what resembles nothing
	// takes more than its JSON until it is dense (bench/packing).
	earlyPasses = 3
	earlyAfter  = time.Second
	// pauseAfterStep is between two steps, so that they take a tenth of a processor at most.
	pauseAfterStep = 10 * time.Millisecond
	// stepBytes is how many bytes of text a step condenses, which takes about a millisecond.
	// Looking at an object counts as lookCost of them.
	stepBytes = 128 << 10
	lookCost  = 64
	// coldBatch is how many cold objects are collected before they are condensed: the condenser
	// learns from them. The store is locked while lookBatch objects are looked at.
	coldBatch = 32
	lookBatch = 256
)

// step does a part of the work, and returns the time until the next step. listed: the first list is
// in the store.
func (c *cooling) step(listed bool) (pause time.Duration) {
	if !c.passing {
		c.passing, c.at = true, c.store.Begin()
		c.condenser.BeginPass()
	}
	defer c.reportFreed()
	for remaining := stepBytes; remaining > 0; {
		switch {
		case c.full && len(c.cold) > 0:
			remaining -= c.condense()
		case c.at.Ended():
			c.passing, c.full = false, false
			c.condenser.EndPass()
			if c.early == 0 {
				return c.every
			}
			if listed {
				c.early--
			}
			return min(c.every, earlyAfter)
		default:
			remaining -= lookCost * c.store.Look(&c.at, lookBatch, c.look)
			c.full = len(c.cold) >= coldBatch || c.at.Ended()
		}
	}
	return pauseAfterStep
}

// reportAfter is how many bytes are freed within a pass before onFreed is called.
const reportAfter = 4 << 20

// reportFreed calls onFreed if that is due.
func (c *cooling) reportFreed() {
	if c.freed > 0 && c.onFreed != nil && (c.freed > reportAfter || !c.passing) {
		c.onFreed(c.freed, c.passing)
		c.freed = 0
	}
}

// look collects an object if it is cold, and reports whether there is room for more.
func (c *cooling) look(o *object.Object) bool {
	if c.condenser.Cold(o) {
		c.cold = append(c.cold, o)
	}
	return len(c.cold) < coldBatch
}

// condense makes the first cold object dense, and returns its size.
func (c *cooling) condense() (size int) {
	o := c.cold[0]
	if dense := c.condenser.Condense(o, c.cold); dense != nil {
		c.freed += c.store.Exchange(o, dense)
	}
	c.cold[0] = nil
	if c.cold = c.cold[1:]; len(c.cold) == 0 {
		c.cold, c.full = nil, c.at.Ended()
	}
	return o.Size()
}
