package informer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// cooling makes the store's objects dense that nobody has changed for a while: see package object.
// The controller does that when it has nothing else to do, in small steps. Events do not wait for
// it, as the reflector applies them meanwhile; what else comes waits for one step at most.
type cooling struct {
	store     *store.Store
	every     time.Duration // between passes
	condenser object.Condenser
	onFreed   func(bytes int64, more bool)
	freed     int64 // since it was last called
	passing   bool
	at        store.Cursor
	cold      []*object.Object // of what was passed
	full      bool             // cold is to be condensed before there may be more of it
}

const (
	// coldAfter is what lies between two passes by default: an object is dense once nobody has
	// changed it for one to two of them. To make it so costs 10 to 60 us, and to read it then up to
	// 25, so it should not be what changes all the time: Leases are renewed every 10 seconds.
	coldAfter = 15 * time.Second
	// coolingPause is between two steps, so that they take a tenth of a processor at most.
	coolingPause = 10 * time.Millisecond
	// coolingStep is how many bytes of text a step condenses, which takes about a millisecond. To
	// look at an object that stays as it is costs lookCost of them.
	coolingStep = 128 << 10
	lookCost    = 64
	// coolingBatch is how many cold objects are looked for before they are condensed: the condenser
	// learns from them. The store is locked for lookBatch of all objects.
	coolingBatch = 32
	lookBatch    = 256
)

// step does some of what is to do, and returns after which time the next one is due.
func (c *cooling) step() (pause time.Duration) {
	if !c.passing {
		c.passing, c.at = true, c.store.Begin()
		c.condenser.BeginPass()
	}
	defer c.tell()
	for left := coolingStep; left > 0; {
		switch {
		case c.full && len(c.cold) > 0:
			left -= c.condense()
		case c.at.Ended():
			c.passing, c.full = false, false
			c.condenser.EndPass()
			return c.every
		default:
			left -= lookCost * c.store.Look(&c.at, lookBatch, c.look)
			c.full = len(c.cold) >= coolingBatch || c.at.Ended()
		}
	}
	return coolingPause
}

// tellAfter is how many bytes are freed within a pass before onFreed is called.
const tellAfter = 4 << 20

func (c *cooling) tell() {
	if c.freed > 0 && c.onFreed != nil && (c.freed > tellAfter || !c.passing) {
		c.onFreed(c.freed, c.passing)
		c.freed = 0
	}
}

// look takes an object that is cold, and reports whether there may be more.
func (c *cooling) look(o *object.Object) bool {
	if c.condenser.Cold(o) {
		c.cold = append(c.cold, o)
	}
	return len(c.cold) < coolingBatch
}

// condense makes the first of those that are cold dense, and returns its size.
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
