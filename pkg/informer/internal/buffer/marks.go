package buffer

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// mark is what an object still has to say. latest is its current state. before has the end of an
// earlier object of the same name: the subscription may know that one, and must learn that it is
// gone. If that one may be known from an earlier process, there may be others.
type mark struct {
	before *[]Entry // nil of most, which are as small as their latest
	latest Entry
}

// ends returns what is before the latest.
func (m *mark) ends() []Entry {
	if m.before == nil {
		return nil
	}
	return *m.before
}

// setEnds sets what is before the latest.
func (m *mark) setEnds(all []Entry) {
	if m.before = nil; len(all) > 0 {
		m.before = &all
	}
}

// maxEnds is how many ends of objects that may be known from an earlier process a mark may have.
const maxEnds = 64

// mark adds an entry to its object's mark, which it makes if there is none. Nothing else may change
// marks, so that none is lost or twice in the order.
func (b *Buffer) mark(e Entry) {
	key := e.Object.Key()
	if m := b.marks[key]; m != nil {
		b.merge(m, e)
		return
	}
	if b.marks == nil {
		b.marks = map[object.Key]*mark{}
	}
	m := newMark(e)
	b.marks[key] = m
	b.markOrder.Push(m)
}

func newMark(e Entry) *mark {
	e.compact()
	return &mark{latest: e}
}

// merge folds a later event of the same object into its mark, which has the progress of that event
// from here on.
func (b *Buffer) merge(m *mark, e Entry) {
	was := m.latest.Progress
	if !m.merge(e) {
		return
	}
	b.coalesced++
	if was != nil {
		was.MergedInto(e.Progress)
	}
}

// merge folds a later event of the same object into its mark. It reports whether that leaves one
// event less to deliver.
func (m *mark) merge(e Entry) (coalesced bool) {
	last := &m.latest
	same := e.Object.UID() == last.Object.UID()
	switch {
	case last.Op == event.Delete && (e.Op != event.Delete || !same),
		!same && e.From.Transitions &&
			(last.Op == event.Update || last.MaybeDelivered || last.MaybeKnown):
		// Another object has taken the name. With Transitions, the update is the first one's end in
		// what the subscription looks at, and so is what workers may have had.
		if n := len(m.ends()); n == 0 || (last.MaybeDelivered || last.MaybeKnown) && n < maxEnds {
			m.setEnds(append(m.ends(), *last))
			e.compact()
			m.latest = e
			return false
		}
	case !same: // the same, for a subscription that does not want the end of the first
	case e.Op == event.Delete:
		e.Before = last.KnownBefore() // what was merged was not taken
	case last.Op == event.Add:
		e.Op, e.Old, e.Initial = event.Add, nil, last.Initial
	case last.Op == event.Update:
		e.Op, e.Old = event.Update, last.Old
	}
	e.Missed += last.Missed + 1
	e.Arrived, e.Since = e.Arrived.Earlier(last.Arrived), e.Since.Earlier(last.Since)
	e.Resumed = e.Resumed || last.Resumed
	e.MaybeKnown = e.MaybeKnown || same && (last.MaybeKnown || last.MaybeDelivered)
	e.MaybeDelivered = e.MaybeDelivered || last.MaybeDelivered && same
	if e.From == last.From {
		e.Initials += last.Initials
	} else { // which nobody waits for any more
		last.From.Initials -= last.Initials
	}
	e.compact()
	m.latest = e
	return true
}

// empty reports whether the mark has moved up.
func (m *mark) empty() bool { return m.latest.Object == nil }

// since returns when the first of what the mark stands for began to wait.
func (m *mark) since() event.Instant {
	if ends := m.ends(); len(ends) > 0 {
		return ends[0].Since.Earlier(m.latest.Since)
	}
	return m.latest.Since
}

// entries returns how many events the mark will be.
func (m *mark) entries() int { return len(m.ends()) + 1 }

// forget takes the progress away from what the mark stands for, and returns how many events it
// would have been.
func (m *mark) forget() int {
	for i := range m.ends() {
		m.ends()[i].Forget()
	}
	m.latest.Forget()
	return m.entries()
}

// enterMark moves a mark into the ring.
func (b *Buffer) enterMark(m *mark) {
	key := m.latest.Object.Key()
	if b.marks[key] != m {
		b.mistakes++
		return
	}
	delete(b.marks, key)
	for _, before := range m.ends() {
		b.ring.Push(before)
	}
	b.ring.Push(m.latest)
}
