package informer

import (
	"maps"
	"slices"

	"github.com/informerd/informerd/pkg/informer/event"
)

// buffer holds one listener's events: at most capacity of them, in order, and behind them one mark for each object that
// had more to say while the buffer was full (overflow "latest"). It is plain data: no lock, no channel, no goroutine.
//
//	offer ──► ring ──► take ──► (a worker) ──► done
//	   └────► marks ──┘  ▲                      │
//	                     └── waiting, ready ◄───┘
//
// The order among objects is that of their first event. Events of one object are handed out one after the other: while
// one is with a worker, the next ones wait in its lane.
//
// Memory is bounded: capacity entries, and one mark for each marked object, which points at objects that the store holds
// anyway, and at the last state of deleted ones.
type buffer struct {
	capacity int

	ring  fifo[entry]
	ready fifo[entry]         // entries whose turn has come while their lane was busy
	lanes map[event.Key]*lane // objects with an entry at a worker, or parked for a retry
	held  int                 // entries in ring, ready and lanes, those at workers included

	marks     map[event.Key]*mark
	markOrder fifo[event.Key]

	coalesced uint64 // events that were merged into a mark and will never be seen on their own
}

// entry is an event in the buffer, and what has to be known when it is done.
type entry struct {
	event.Event
	from     *registration
	initials int // how many initial adds of the registration this entry stands for
	attempts int // deliveries that failed
}

// lane is the line of one object's entries behind the one that is with a worker.
type lane struct {
	waiting fifo[entry]
	parked  *entry // waits for its retry; the lane is busy with it
}

// mark is what an object still has to say. latest is its current state. before is the delete of an object of the same
// name that went before it: the listener may know that one, and must learn that it is gone.
type mark struct {
	before *entry
	latest entry
}

// offer takes an event. It never blocks and never refuses.
func (b *buffer) offer(e entry) {
	key := e.Object.Key()
	// Once there are marks, everything goes behind them, or a mark could wait for ever while others pass it by.
	if b.held < b.capacity && len(b.marks) == 0 {
		b.ring.push(e)
		b.held++
		return
	}
	m := b.marks[key]
	if m == nil {
		if b.marks == nil {
			b.marks = map[event.Key]*mark{}
		}
		b.marks[key] = &mark{latest: e}
		b.markOrder.push(key)
		return
	}
	b.merge(m, e)
}

// merge folds a later event of the same object into its mark.
func (b *buffer) merge(m *mark, e entry) {
	last := &m.latest
	if last.Op == event.Delete && e.Op != event.Delete {
		// Another object has taken the name.
		if m.before == nil {
			before := *last
			m.before = &before
			m.latest = e
			return
		}
	} else {
		switch {
		case e.Op == event.Delete:
		case last.Op == event.Add:
			e.Op, e.Old, e.Initial = event.Add, nil, last.Initial
		case last.Op == event.Update:
			e.Op, e.Old = event.Update, last.Old
		}
	}
	e.Missed += last.Missed + 1
	e.initials += last.initials
	m.latest = e
	b.coalesced++
}

// take gives the next entry that a worker may have. The worker calls done or park for it.
func (b *buffer) take() (entry, bool) {
	if e, ok := b.ready.pop(); ok {
		return e, true
	}
	for {
		e, ok := b.ring.pop()
		if !ok {
			return entry{}, false
		}
		key := e.Object.Key()
		if l := b.lanes[key]; l != nil {
			l.waiting.push(e)
			continue
		}
		if b.lanes == nil {
			b.lanes = map[event.Key]*lane{}
		}
		b.lanes[key] = &lane{}
		return e, true
	}
}

// done frees the place of an entry and lets the next one of its object go.
func (b *buffer) done(key event.Key) {
	b.held--
	l := b.lanes[key]
	if e, ok := l.waiting.pop(); ok {
		b.ready.push(e)
	} else {
		delete(b.lanes, key)
	}
	b.promote()
}

// park keeps an entry for a retry; its object waits with it, others flow.
func (b *buffer) park(e entry) { b.lanes[e.Object.Key()].parked = &e }

// unpark makes a parked entry the next one of its object.
func (b *buffer) unpark(key event.Key) {
	if l := b.lanes[key]; l != nil && l.parked != nil {
		b.ready.push(*l.parked)
		l.parked = nil
	}
}

// promote moves marks into the room there is.
func (b *buffer) promote() {
	for b.held < b.capacity {
		key, ok := b.markOrder.pop()
		if !ok {
			return
		}
		m := b.marks[key]
		delete(b.marks, key)
		if m.before != nil {
			b.ring.push(*m.before)
			b.held++
		}
		b.ring.push(m.latest)
		b.held++
	}
}

// available tells whether take may find something.
func (b *buffer) available() bool { return b.ready.len() > 0 || b.ring.len() > 0 }

// empty tells whether nothing is left to do, entries at workers and parked ones included.
func (b *buffer) empty() bool { return b.held == 0 && len(b.marks) == 0 }

// drop forgets every entry of one registration that is not with a worker, and gives how many.
func (b *buffer) drop(from *registration) int {
	dropped := 0
	keep := func(f *fifo[entry], each func(entry)) {
		var kept fifo[entry]
		for e, ok := f.pop(); ok; e, ok = f.pop() {
			if e.from != from {
				kept.push(e)
				continue
			}
			dropped++
			b.held--
			if each != nil {
				each(e)
			}
		}
		*f = kept
	}
	keep(&b.ring, nil)
	for _, l := range b.lanes {
		keep(&l.waiting, nil)
	}
	// A ready entry has its lane, which nobody else will free.
	keep(&b.ready, func(e entry) { delete(b.lanes, e.Object.Key()) })
	for key, l := range b.lanes {
		if l.parked != nil && l.parked.from == from {
			dropped++
			b.held--
			delete(b.lanes, key)
		}
	}
	var order fifo[event.Key]
	for key, ok := b.markOrder.pop(); ok; key, ok = b.markOrder.pop() {
		if b.marks[key].latest.from == from {
			dropped++
			delete(b.marks, key)
			continue
		}
		order.push(key)
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
	for _, l := range b.lanes {
		add(&l.waiting)
		if l.parked != nil {
			seen[l.parked.from] = struct{}{}
		}
	}
	for _, m := range b.marks {
		seen[m.latest.from] = struct{}{}
	}
	return slices.Collect(maps.Keys(seen))
}
