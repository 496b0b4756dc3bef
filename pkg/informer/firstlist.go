package informer

import (
	"context"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// firstAtOnce is how many objects of the first list are handed to the subscriptions under one lock,
// for which those that join or leave have to wait.
const firstAtOnce = 512

// takeList takes a list on the reflector's goroutine. When the first one comes nothing is known, so
// that each item is an add: it goes to the store and to the subscriptions' backlogs as if it had
// been there when they joined, without a delta, an entry and several locks for each object. Later
// lists are queued. If versions have gone back, what was noted of them is forgotten with that.
func (c *controller) takeList(ctx context.Context, list []*object.Object, version string,
	rewound bool) {
	if !c.queue.ClaimFirst() {
		if rewound {
			c.proc.mu.Lock()
			defer c.proc.mu.Unlock()
			c.proc.rewind()
		}
		c.queue.Replace(list, version, rewound, c.store)
		return
	}
	var duplicates []*object.Object
	for len(list) > 0 {
		if ctx.Err() != nil {
			return // what is queued is given up then as well
		}
		n := min(len(list), firstAtOnce)
		duplicates = append(duplicates, c.takeFirst(list[:n])...)
		list = list[n:]
	}
	c.queue.EndFirst(duplicates)
}

// takeFirst stores objects and hands them to the subscriptions. It returns those whose name another
// one had already.
func (c *controller) takeFirst(objects []*object.Object) (duplicates []*object.Object) {
	c.proc.mu.Lock()
	defer c.proc.mu.Unlock()
	added, duplicates := c.store.Fill(objects)
	c.proc.changes.all()
	c.proc.distributeFirst(added)
	return duplicates
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
			if !reg.awaitsCut && reg.matcher.allows(&e) {
				wanted[i] = append(wanted[i], o.Stored())
			}
		}
	}
	for i, reg := range p.regs {
		if !reg.awaitsCut {
			reg.subscription.refused.Add(uint64(len(objects) - len(wanted[i])))
			reg.subscription.join(reg, wanted[i])
		}
	}
}
