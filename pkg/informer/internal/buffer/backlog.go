package buffer

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// backlog is a snapshot of a store, or a part of the first list, that is handed out as initial
// adds, object by object.
type backlog struct {
	from    *Origin
	objects []*object.Object
	number  uint64
	since   event.Instant
}

// Join takes what is stored when a subscription begins, or a part of the first list. It costs the
// same however many objects there are. The slice is the buffer's from here on.
func (b *Buffer) Join(from *Origin, objects []*object.Object) {
	if len(objects) > 0 {
		b.backlog = append(b.backlog, backlog{from, objects, from.Number, event.Now()})
		b.promote()
	}
}

// nextOfBacklog removes and returns the first object of the backlog, which is not empty.
func (b *Buffer) nextOfBacklog() Entry {
	first := &b.backlog[0]
	e := Entry{
		Event: event.Event{Op: event.Add, Object: first.objects[0], Initial: true},
		From:  first.from, Initials: 1, Number: first.number, Since: first.since,
	}
	first.objects[0] = nil
	first.objects = first.objects[1:]
	if len(first.objects) == 0 {
		b.backlog[0] = backlog{} // the slice may be long, and hold this for a while
		if b.backlog = b.backlog[1:]; len(b.backlog) == 0 {
			b.backlog = nil
		}
	}
	return e
}

// enterInitial moves an object up from the backlog. If it has a mark, and nothing in the spill
// before that, the two are one event, as they are if both are marks.
func (b *Buffer) enterInitial(e Entry) {
	key := e.Object.Key()
	m := b.marks[key]
	if m == nil || m.latest.From != e.From || b.summaries[key] != nil {
		b.ring.Push(e)
		return
	}
	later := *m
	m.before, m.latest = nil, e
	for _, before := range later.ends() {
		b.merge(m, before)
	}
	b.merge(m, later.latest)
	b.enterMark(m)
	*m = mark{}
}
