package informer

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Overflow says what happens to an event for which a subscription's buffer has no room.
type Overflow uint8

const (
	// OverflowLatest marks the event's object, which is delivered later, once, in its then current
	// state.
	OverflowLatest Overflow = iota
	// OverflowBlock makes the informer wait for room, and with it all its other subscriptions.
	OverflowBlock
	// OverflowDrop gives the event up. The first list is never dropped.
	OverflowDrop
	// OverflowSpill has the event written to a file. When that is full, or the disk too slow, it is
	// as OverflowLatest.
	OverflowSpill
)

// buffer holds one subscription's events: at most capacity of them, in order, and behind them what
// did not fit. It is plain data: no lock, no channel, no goroutine.
//
//	offer ──► ring ──► take ──► (a worker) ──► done
//	   │       ▲        ▲                       │
//	   │       │        └── waiting, ready ◄────┘
//	   │       └── promote: backlog, then spill, then marks
//	   └────► spill, marks                   resyncs, to take, when all else is empty
//
// The order among objects is that of their first event. Events of one object are handed out one
// after the other: while one is with a worker, the next ones wait in its lane.
//
// Memory is bounded: capacity entries, as many again behind objects that wait for a retry, what is
// on its way to the spill file and back, and for each object at most one entry that waits for a
// retry, one that was recalled, one pointer in the backlog, and one mark if it has more to say. A
// mark points at objects that the store holds anyway, at the last state of deleted ones, and at the
// last state that fitted the subscription's conditions; the backlog, at the first state.
type buffer struct {
	capacity int
	overflow Overflow

	ring  fifo[entry]
	ready fifo[entry] // entries whose turn has come while their lane was busy
	// recalled ones: their objects are older than what the ring has of them, so they go first
	again fifo[entry]
	lanes map[event.Key]*lane // objects with an entry at a worker, or parked for a retry
	spare []*lane
	held  int // entries in ring, ready and lanes, those at workers included, but not these:
	// parked are entries that wait for a retry, one for each object at most; behind are entries in
	// their lanes, as many as the capacity at most; folded are lanes with a mark for what exceeds
	// that.
	parked, behind, folded int
	freed                  bool // held has become less since this was last looked at

	resyncs []*resync // handed out when there is nothing else to do
	// what was stored when the subscription joined, or is of the first list, and does not fit yet
	backlog  []backlog
	spill    *spill     // nil unless the overflow is spill, or once its file cannot be read
	closing  *spillFile // to be closed by a job
	spilled  map[event.Key]*spilled
	spillErr error // why the spill file is not written, or not there, any more
	marks    map[event.Key]*mark
	// and such as have moved up with their object's place in the backlog, which are empty
	markOrder fifo[*mark]
	judge     judge // of resyncs and recalls; made for the first one

	coalesced uint64 // events that were merged into a mark and will never be seen on their own
	dropped   uint64 // events given up by OverflowDrop
	resynced  uint64 // objects handed out by resyncs
	spills    uint64 // events that were written to the spill file
	mistakes  uint64 // see SubscriptionStats.Mistakes
}

// entry is an event in the buffer, and what has to be known when it is done.
type entry struct {
	event.Event
	from     *registration
	initials int // how many initial adds of the registration this entry stands for
	recalled bool
	failed   *failed // nil if no delivery has
	// known is for a delete: the state that a subscription with Transitions took last, nil if none.
	known *object.Object
}

// failed is what is known of an entry's failed deliveries.
type failed struct {
	attempts int
	progress any // as Delivery.Progress
}

// backlog is a snapshot of a store, or a part of the first list, that is handed out as initial
// adds, object by object.
type backlog struct {
	from    *registration
	objects []*object.Object
}

// mark is what an object still has to say. latest is its current state. before is the end of an
// object of the same name that went before it: the subscription may know that one, and must learn
// that it is gone.
type mark struct {
	before *entry
	latest entry
}

// offer takes an event. It never blocks. Only with OverflowBlock it may refuse, and then has to be
// asked again.
func (b *buffer) offer(e entry) (taken bool) {
	// Once something waits behind the ring, everything goes behind that, or it could wait for ever
	// while others pass.
	if b.held < b.capacity && !b.waiting() {
		b.ring.push(e)
		b.held++
		return true
	}
	key := e.Object.Key()
	if b.marks[key] != nil {
		b.mark(e)
		return true
	}
	switch {
	case b.overflow == OverflowBlock:
		return false
	case b.overflow == OverflowDrop && !e.Initial:
		b.dropped++
		return true
	case b.spill != nil && len(b.marks) == 0 && b.spillOver(key, e):
		return true
	}
	b.mark(e)
	return true
}

// waiting tells whether anything waits behind the ring.
func (b *buffer) waiting() bool {
	return len(b.marks) > 0 || len(b.backlog) > 0 || b.spill.len() > 0
}

// mark adds an entry to its object's mark, which it makes if there is none. Nothing else may change
// marks, so that none is lost or in the order twice.
func (b *buffer) mark(e entry) {
	key := e.Object.Key()
	if m := b.marks[key]; m != nil {
		if m.merge(e) {
			b.coalesced++
		}
		return
	}
	if b.marks == nil {
		b.marks = map[event.Key]*mark{}
	}
	e.Event = stored(e.Event)
	m := &mark{latest: e}
	b.marks[key] = m
	b.markOrder.push(m)
}

// join takes what is stored when a subscription comes, or a part of the first list. It costs the
// same however many objects there are.
func (b *buffer) join(from *registration, objects []*object.Object) {
	if len(objects) > 0 {
		b.backlog = append(b.backlog, backlog{from, objects})
		b.promote()
	}
}

// merge folds a later event of the same object into its mark. It tells whether that leaves one
// event less to deliver.
func (m *mark) merge(e entry) (coalesced bool) {
	last := &m.latest
	same := e.Object.UID() == last.Object.UID()
	switch {
	case last.Op == event.Delete && (e.Op != event.Delete || !same), !same &&
		e.from.transitions() && last.Op == event.Update:
		// Another object has taken the name. With Transitions, the update is the first one's end in
		// what the subscription looks at.
		if m.before == nil {
			before := *last
			m.before = &before
			m.latest = e
			m.latest.Event = stored(e.Event)
			return false
		}
	case !same: // the same, for a subscription that did not want to hear of the end of the first
	case e.Op == event.Delete:
		e.known = last.knownBefore() // what was merged was not taken
	case last.Op == event.Add:
		e.Op, e.Old, e.Initial = event.Add, nil, last.Initial
	case last.Op == event.Update:
		e.Op, e.Old = event.Update, last.Old
	}
	e.Missed += last.Missed + 1
	e.initials += last.initials
	m.latest = e
	m.latest.Event = stored(e.Event)
	return true
}

// empty: the mark has moved up.
func (m *mark) empty() bool { return m.latest.Object == nil }

// entries is how many events the mark will be.
func (m *mark) entries() int {
	if m.before != nil {
		return 2
	}
	return 1
}

// knownBefore is the state that the subscription had taken before this event, nil if there is none
// or this does not tell.
func (e *entry) knownBefore() *object.Object {
	switch e.Op {
	case event.Update:
		return e.Old
	case event.Resync:
		return e.Object
	default:
		return e.known
	}
}

// stored gives an event with its objects as the store has them: there is no limit to the number of
// marks.
func stored(e event.Event) event.Event {
	e.Object = e.Object.Stored()
	if e.Old != nil {
		e.Old = e.Old.Stored()
	}
	return e
}

// take gives the next entry that a worker may have. The worker calls done or park for it.
func (b *buffer) take() (entry, bool) {
	if e, ok := b.ready.pop(); ok {
		return e, true
	}
	for e, ok := b.again.pop(); ok; e, ok = b.again.pop() {
		if b.begin(e.Object.Key()) {
			b.held++
			return e, true
		}
		// Else a worker has the object now: what it does with it is newer.
	}
	for {
		e, ok := b.ring.pop()
		if !ok {
			if b.promote(); b.ring.len() > 0 { // lanes have left room
				continue
			}
			return b.nextResync()
		}
		key := e.Object.Key()
		if l := b.lanes[key]; l != nil {
			b.lineUp(l, e)
			continue
		}
		b.lane(key)
		return e, true
	}
}

// recall takes an entry that a worker has asked for, beyond the capacity: there is at most one for
// each object.
func (b *buffer) recall(e entry) { b.again.push(e) }

// done frees the place of an entry and lets the next one of its object go.
func (b *buffer) done(key event.Key) {
	b.held--
	b.advance(key, b.lanes[key])
	b.promote()
}

// promote moves what waits behind the ring into the room there is. What is on disk comes when it
// has been read.
func (b *buffer) promote() {
	for b.held < b.capacity {
		switch {
		case len(b.backlog) > 0:
			first := &b.backlog[0]
			o := first.objects[0]
			first.objects[0] = nil
			first.objects = first.objects[1:]
			b.enterInitial(entry{Event: event.Event{Op: event.Add, Object: o, Initial: true},
				from: first.from, initials: 1})
			if len(first.objects) == 0 {
				b.backlog[0] = backlog{} // the slice may be long, and hold this for a while
				if b.backlog = b.backlog[1:]; len(b.backlog) == 0 {
					b.backlog = nil
				}
			}
		case b.spill.len() > 0:
			if waits := b.unspill(); waits {
				return
			}
		default:
			m, ok := b.markOrder.pop()
			if !ok {
				return
			}
			if !m.empty() {
				b.enterMark(m)
			}
		}
	}
}

func (b *buffer) enterMark(m *mark) {
	key := m.latest.Object.Key()
	if b.marks[key] != m {
		b.mistakes++
		return
	}
	delete(b.marks, key)
	if m.before != nil {
		b.enter(*m.before)
	}
	b.enter(m.latest)
}

// enterInitial moves an object up from the backlog. If it has a mark, and nothing in the spill
// before that, the two are one event, as they are if both are marks.
func (b *buffer) enterInitial(e entry) {
	key := e.Object.Key()
	m := b.marks[key]
	if m == nil || m.latest.from != e.from || b.spilled[key] != nil {
		b.enter(e)
		return
	}
	later := *m
	m.before, m.latest = nil, e
	if later.before != nil && m.merge(*later.before) {
		b.coalesced++
	}
	if m.merge(later.latest) {
		b.coalesced++
	}
	b.enterMark(m)
	*m = mark{}
}

func (b *buffer) enter(e entry) {
	b.ring.push(e)
	b.held++
}

// available is how many entries take may find, and never less than it finds.
func (b *buffer) available() int {
	return b.ready.len() + b.again.len() + b.ring.len() + b.resyncable()
}

// empty tells whether nothing is left to do, entries at workers and parked ones included.
func (b *buffer) empty() bool {
	return b.held == 0 && b.parked == 0 && b.again.len() == 0 && !b.waiting()
}
