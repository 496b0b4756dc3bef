package informer

import (
	"context"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// firstAtOnce is how many objects of the first list are handed to the subscriptions under one lock.
// Who joins or leaves meanwhile waits for that.
const firstAtOnce = 512

// takeList takes a list on the reflector's goroutine. The informer's first one comes to where
// nothing is known, so that each item is an add: it goes to the store and to the subscriptions'
// backlogs as if it had been there when they joined, without a delta, an entry and several locks
// for each object. Later ones are queued.
func (c *controller) takeList(ctx context.Context, list []*object.Object) {
	if !c.queue.claimFirst() {
		c.queue.replace(list, c.store)
		return
	}
	var again []*object.Object
	for len(list) > 0 {
		if ctx.Err() != nil {
			return // as with what is queued then
		}
		n := min(len(list), firstAtOnce)
		again = append(again, c.takeFirst(list[:n])...)
		list = list[n:]
	}
	c.queue.endFirst(again)
}

// takeFirst stores objects and tells the subscriptions of them. It returns those whose name another
// one had already.
func (c *controller) takeFirst(objects []*object.Object) (again []*object.Object) {
	c.proc.mu.Lock()
	defer c.proc.mu.Unlock()
	added, again := c.store.Fill(objects)
	c.proc.distributeFirst(added)
	return again
}

// claimFirst is claim for a whole list, and reports whether that is the first thing to come: the
// caller applies it itself, and then calls endFirst.
func (q *deltaQueue) claimFirst() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.populate.begun {
		return false
	}
	q.populate.begun = true
	q.populate.left = 1
	q.own[0] = delta{}
	q.taken, q.takenKey = q.own[:], event.Key{}
	return true
}

// endFirst ends the claim. Items that a list has twice are queued, to be compared with what they
// were.
func (q *deltaQueue) endFirst(again []*object.Object) {
	q.mu.Lock()
	for _, o := range again {
		q.push(o.Key(), delta{typ: deltaReplaced, object: o, initial: true})
	}
	q.populate.left += len(q.items)
	q.mu.Unlock()
	q.done()
	q.ready.set()
}

// distributeFirst hands each subscription those of the objects that its conditions allow. The
// caller holds mu.
func (p *processor) distributeFirst(objects []*object.Object) {
	if p.stale {
		p.refresh()
	}
	wanted := make([][]*object.Object, len(p.regs))
	e := buffer.Entry{Event: event.Event{Op: event.Add, Initial: true}}
	for _, o := range objects {
		e.Object = o
		for i, reg := range p.regs {
			if reg.matcher.allows(&e) {
				wanted[i] = append(wanted[i], o.Stored())
			}
		}
	}
	for i, reg := range p.regs {
		reg.subscription.refused.Add(uint64(len(objects) - len(wanted[i])))
		reg.subscription.join(reg, wanted[i])
	}
}
