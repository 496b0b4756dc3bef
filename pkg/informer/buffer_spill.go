package informer

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// spilled is what must be known of an object's entries in the spill, should the file be damaged:
// then the object is still delivered in its last state, as if it had been marked. It costs a mark's
// memory, and the last states of deleted objects.
type spilled struct {
	records  int // in the spill
	initials int // that they stand for
	first    entry
	latest   entry
	deletes  []entry // those in the spill, one for each object that has had the name
	// of the entry that came back last; nil as long as first is in the spill
	previous *object.Object
}

func (s *spilled) pushed(e entry) {
	if s.records == 0 {
		s.first = e
	}
	s.latest = e
	s.records++
	s.initials += e.initials
	if e.Op == event.Delete {
		s.deletes = append(s.deletes, e)
	}
}

func (s *spilled) popped(e entry) {
	s.records--
	s.initials -= e.initials
	s.previous = e.Object
	if e.Op == event.Delete {
		s.deletes = s.deletes[1:]
	}
}

// rest returns what is lost with the file: the object's last event, and before it the end of
// another object that had the name, if the subscription knows that one.
func (s *spilled) rest() []entry {
	latest, sent := s.latest, 1
	var rest []entry
	if len(s.deletes) > 0 && s.deletes[0].Object != latest.Object {
		before := s.deletes[0]
		before.initials = 0
		rest, sent = append(rest, before), 2
		if latest.Op != event.Delete {
			latest.Op, latest.Old = event.Add, nil
		}
	} else if latest.Op != event.Delete {
		known := s.previous
		if known == nil {
			known = s.first.Object
		}
		switch {
		case known.UID() != latest.Object.UID(): // its predecessor's end came back already
			latest.Op, latest.Old = event.Add, nil
		case s.previous == nil && s.first.Op == event.Add:
			latest.Op, latest.Old, latest.Initial = event.Add, nil, s.first.Initial
		case s.previous == nil && s.first.Op == event.Update:
			latest.Op, latest.Old = event.Update, s.first.Old
		case sameState(known, latest.Object):
			latest.Op, latest.Old = event.Resync, nil
		default:
			latest.Op, latest.Old = event.Update, known
		}
	}
	if latest.Op == event.Delete && len(rest) == 0 {
		if latest.known = s.previous; latest.known == nil {
			latest.known = s.first.knownBefore()
		}
	}
	latest.initials, latest.Missed = s.initials, max(s.records-sent, 0)
	return append(rest, latest)
}

// spillOver hands an entry over to be written, and reports whether there is room for it.
func (b *buffer) spillOver(key event.Key, e entry) bool {
	if !b.spill.push(e) {
		return false
	}
	s := b.spilled[key]
	if s == nil {
		if b.spilled == nil {
			b.spilled = map[event.Key]*spilled{}
		}
		s = &spilled{}
		b.spilled[key] = s
	}
	s.pushed(e)
	return true
}

// unspill moves the oldest spilled entry into the ring, unless its registration has gone. It waits
// if that is on disk; if the file cannot be read, there are marks instead.
func (b *buffer) unspill() (waits bool) {
	e, ok := b.spill.pop()
	if !ok {
		if b.spill.lost == nil {
			return true
		}
		b.loseSpill()
		return false
	}
	key := e.Object.Key()
	s := b.spilled[key]
	if e.from.removed || s == nil {
		return false // it was forgotten, and counted then
	}
	if e.Op == event.Delete {
		e.known = s.deletes[0].known // which is not in the file
	}
	s.popped(e)
	if s.records == 0 {
		delete(b.spilled, key)
	}
	b.enter(e)
	return false
}

// loseSpill goes on without a file that cannot be read: what it held, and what was to be written
// behind that, becomes marks, in front of those there are, which came later.
func (b *buffer) loseSpill() {
	b.spillErr = b.spill.lost
	b.closeSpill()
	later := b.markOrder
	b.marks, b.markOrder = nil, fifo[*mark]{}
	for _, s := range b.spilled {
		for _, e := range s.rest() {
			b.coalesced += uint64(e.Missed)
			b.mark(e)
		}
	}
	b.spilled = nil
	for m, ok := later.pop(); ok; m, ok = later.pop() {
		if m.empty() {
			continue
		}
		if m.before != nil {
			b.mark(*m.before)
		}
		b.mark(m.latest)
	}
}

// dropSpilled forgets what one registration has in the spill, and returns how much. Its entries
// stay until they come back.
func (b *buffer) dropSpilled(from *registration) int {
	dropped := 0
	for key, s := range b.spilled {
		if s.latest.from == from {
			dropped += s.records
			delete(b.spilled, key)
		}
	}
	return dropped
}
