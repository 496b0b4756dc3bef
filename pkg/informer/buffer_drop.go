package informer

import (
	"maps"
	"slices"

	"github.com/informerd/informerd/pkg/informer/event"
)

// drop forgets every entry of one registration that is not with a worker, and gives how many.
func (b *buffer) drop(from *registration) int {
	dropped := 0
	keep := func(f *fifo[entry], each func(entry)) {
		var kept fifo[entry]
		for e, ok := f.pop(); ok; e, ok = f.pop() {
			if e.from == from {
				each(e)
			} else {
				kept.push(e)
			}
		}
		*f = kept
	}
	lost := func(entry) {
		dropped++
		b.held--
	}
	keep(&b.ring, lost)
	keep(&b.again, func(entry) {}) // nobody was promised to get it
	var freed []event.Key          // lanes whose entry is dropped, which nobody else will free
	for key, l := range b.lanes {
		n := l.waiting.len()
		keep(&l.waiting, lost)
		uncounted := min(n-l.waiting.len(), l.behind)
		l.behind -= uncounted
		b.behind -= uncounted
		b.held += uncounted
		if m := l.folded; m != nil && m.latest.from == from {
			dropped += m.entries()
			l.folded = nil
			b.folded--
		}
		if l.parked != nil && l.parked.from == from {
			if !l.parked.recalled {
				dropped++
			}
			b.leave(l)
			freed = append(freed, key)
		}
	}
	keep(&b.ready, func(e entry) {
		if b.held--; !e.recalled {
			dropped++
		}
		freed = append(freed, e.Object.Key())
	})
	for _, key := range freed {
		b.advance(key, b.lanes[key])
	}
	// What a resync has not come to was promised to nobody.
	b.resyncs = slices.DeleteFunc(b.resyncs, func(r *resync) bool { return r.from == from })
	b.backlog = slices.DeleteFunc(b.backlog, func(l backlog) bool {
		if l.from == from {
			dropped += len(l.objects)
		}
		return l.from == from
	})
	dropped += b.dropSpilled(from)
	var order fifo[*mark]
	for m, ok := b.markOrder.pop(); ok; m, ok = b.markOrder.pop() {
		if m.empty() {
			continue
		}
		if m.latest.from == from {
			dropped += m.entries()
			delete(b.marks, m.latest.Object.Key())
			continue
		}
		order.push(m)
	}
	b.markOrder = order
	b.promote()
	return dropped
}

// parkedFrom tells whose entry waits for a retry of an object, nil if none does.
func (b *buffer) parkedFrom(key event.Key) *registration {
	if l := b.lanes[key]; l != nil && l.parked != nil {
		return l.parked.from
	}
	return nil
}

// sources are the registrations that have entries which are not with a worker.
func (b *buffer) sources() []*registration {
	seen := map[*registration]struct{}{}
	add := func(f *fifo[entry]) {
		for _, e := range f.snapshot() {
			seen[e.from] = struct{}{}
		}
	}
	add(&b.ring)
	add(&b.ready)
	add(&b.again)
	for _, l := range b.lanes {
		add(&l.waiting)
		if l.parked != nil {
			seen[l.parked.from] = struct{}{}
		}
		if l.folded != nil {
			seen[l.folded.latest.from] = struct{}{}
		}
	}
	for _, l := range b.backlog {
		seen[l.from] = struct{}{}
	}
	for _, s := range b.spilled {
		seen[s.latest.from] = struct{}{}
	}
	for _, m := range b.marks {
		seen[m.latest.from] = struct{}{}
	}
	return slices.Collect(maps.Keys(seen))
}
