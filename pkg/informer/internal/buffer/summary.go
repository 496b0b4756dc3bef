package buffer

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/fifo"
	"github.com/informerd/informerd/pkg/informer/object"
)

// summary is what must be known of an object's entries in the spill should the file be damaged:
// then the object is still delivered in its last state, as if it had been marked. It costs a mark's
// memory, and the last states of deleted objects.
type summary struct {
	records  int   // in the spill
	initials int32 // initial adds that these are for
	resumed  bool
	// maybeDelivered and maybeKnown: one of them is
	maybeDelivered, maybeKnown bool
	first                      Entry
	latest                     Entry
	deletes                    []Entry // those in the spill, one for each object that has had the name
	// previous is the object of the entry that came back last, nil as long as first is in the
	// spill.
	previous *object.Object
}

func (s *summary) pushed(e Entry) {
	if s.records == 0 {
		s.first = e
	}
	if s.latest.From != e.From {
		s.initials = 0 // nobody waits for those of another origin any more
	}
	s.latest = e
	s.records++
	s.resumed, s.maybeDelivered = s.resumed || e.Resumed, s.maybeDelivered || e.MaybeDelivered
	s.maybeKnown = s.maybeKnown || e.MaybeKnown
	s.initials += e.Initials
	if e.Op == event.Delete {
		s.deletes = append(s.deletes, e)
	}
}

func (s *summary) popped(e Entry) {
	s.records--
	if s.latest.From == e.From {
		s.initials -= e.Initials
	}
	s.previous = e.Object
	if e.Op == event.Delete {
		s.deletes = s.deletes[1:]
	}
}

// since returns when one of the entries in the spill began to wait: the first one, or if that has
// come back, the last one.
func (s *summary) since() event.Instant {
	if s.previous == nil {
		return s.first.Since
	}
	return s.latest.Since
}

// rest returns what is lost with the file: the object's last event, and before it the end of
// another object that had the name, if the subscription knows that one, or those of all if it may.
func (s *summary) rest() []Entry {
	latest := s.latest
	var rest []Entry
	for i, before := range s.deletes {
		if before.Object == latest.Object || i > 0 && !s.maybeDelivered {
			break
		}
		before.Initials, before.Resumed, before.MaybeDelivered = 0, s.resumed, s.maybeDelivered
		before.MaybeKnown = s.maybeDelivered || s.maybeKnown
		rest = append(rest, before)
	}
	if len(rest) > 0 {
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
		case object.SameState(known, latest.Object):
			latest.Op, latest.Old = event.Resync, nil
		default:
			latest.Op, latest.Old = event.Update, known
		}
	}
	if latest.Op == event.Delete && len(rest) == 0 {
		if latest.Before = s.previous; latest.Before == nil {
			latest.Before = s.first.KnownBefore()
		}
	}
	latest.Since = latest.Since.Earlier(s.since())
	latest.Initials, latest.Missed = s.initials, int32(max(s.records-len(rest)-1, 0))
	// Perhaps of one that came back, which does no harm.
	latest.Resumed, latest.MaybeDelivered = s.resumed, s.maybeDelivered
	latest.MaybeKnown = s.maybeDelivered || s.maybeKnown
	return append(rest, latest)
}

// spillOver hands an entry over to be written, and reports whether there is room for it.
func (b *Buffer) spillOver(key object.Key, e Entry) bool {
	progress := Entry{Progress: e.Progress}
	e.Progress = nil // which a file cannot hold
	if !b.spill.push(e) {
		return false
	}
	progress.Forget()
	s := b.summaries[key]
	if s == nil {
		if b.summaries == nil {
			b.summaries = map[object.Key]*summary{}
		}
		s = &summary{}
		b.summaries[key] = s
	}
	s.pushed(e)
	return true
}

// unspill moves the oldest spilled entry into the ring, unless its registration has ended. It
// reports whether that is still on disk. If the file cannot be read, there are marks instead.
func (b *Buffer) unspill() (waits bool) {
	e, ok := b.spill.pop()
	if !ok {
		if b.spill.lost == nil {
			return true
		}
		b.loseSpill()
		return false
	}
	key := e.Object.Key()
	s := b.summaries[key]
	if e.From.Removed || s == nil {
		return false // it was forgotten, and counted then
	}
	if e.Op == event.Delete {
		e.Before = s.deletes[0].Before // which is not in the file
	}
	s.popped(e)
	if s.records == 0 {
		delete(b.summaries, key)
	}
	b.ring.Push(e)
	return false
}

// loseSpill gives up a file that cannot be read: what it held, and what was to be written behind
// that, becomes marks, in front of the present ones, which came later.
func (b *Buffer) loseSpill() {
	b.spillErr = b.spill.lost
	b.CloseSpill()
	later := b.markOrder
	b.marks, b.markOrder = nil, fifo.Queue[*mark]{}
	for _, s := range b.summaries {
		for _, e := range s.rest() {
			b.coalesced += uint64(e.Missed)
			b.mark(e)
		}
	}
	b.summaries = nil
	for m, ok := later.Pop(); ok; m, ok = later.Pop() {
		if m.empty() {
			continue
		}
		for _, before := range m.ends() {
			b.mark(before)
		}
		b.mark(m.latest)
	}
}

// dropSpilled forgets what one registration has in the spill, and returns how much. Its entries
// stay until they come back.
func (b *Buffer) dropSpilled(from *Origin) int {
	dropped := 0
	for key, s := range b.summaries {
		if s.latest.From == from {
			dropped += s.records
			delete(b.summaries, key)
		}
	}
	return dropped
}
