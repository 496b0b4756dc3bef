package delivery

import (
	"cmp"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// cutVersion is the version of the format of cuts. A [Backlog] reads no other one.
//
//	version   byte
//	whole     bool: the backlog begins here, what was before does not count
//	number    of the last entry
//	entries   each a number, an extent, and what that says
const cutVersion = 1

// AppendObject appends an object to bytes, for a reader that knows where it ends.
type AppendObject func(to []byte, o *object.Object) []byte

// Cut appends what has changed since the cut before, for [Backlog.Apply], and returns the result.
// Nothing is appended if nothing has changed, or without Keep. The first cut has everything; that
// of a restored outbox has what has changed since. It holds senders up for a copy of what has
// changed, without texts. Do not call it twice at a time.
func (o *Outbox) Cut(to []byte, with AppendObject) []byte {
	k := &o.keeping
	k.mu.Lock()
	if len(k.changed) == 0 {
		k.mu.Unlock()
		return to
	}
	c := cut{with: with, number: k.number}
	for _, number := range slices.Sorted(maps.Keys(k.changed)) {
		e := k.changed[number]
		if e == nil {
			e = &kept{number: number}
		}
		c.entries = append(c.entries, *e)
		e.extent = extentNone
	}
	clear(k.changed)
	k.cut = k.number
	k.mu.Unlock()
	return c.append(to)
}

// Whole appends a cut that has everything. What Cut appends stays as it was, so that its cuts can
// follow those before this one as well as this one.
func (o *Outbox) Whole(to []byte, with AppendObject) []byte {
	k := &o.keeping
	k.mu.Lock()
	c := cut{with: with, number: k.number, whole: true,
		entries: make([]kept, 0, len(k.entries))}
	for _, e := range k.entries {
		c.entries = append(c.entries, *e)
		c.entries[len(c.entries)-1].extent = extentAll
	}
	k.cut = k.number
	k.mu.Unlock()
	slices.SortFunc(c.entries, func(a, b kept) int { return cmp.Compare(a.number, b.number) })
	return c.append(to)
}

// cut is a copy of what a cut has.
type cut struct {
	with    AppendObject
	number  uint64
	whole   bool
	entries []kept
	object  []byte // the last one, used again
}

func (c *cut) append(b []byte) []byte {
	b = codec.AppendBool(append(b, cutVersion), c.whole)
	b = codec.AppendUint(b, c.number)
	b = codec.AppendUint(b, uint64(len(c.entries)))
	for i := range c.entries {
		e := &c.entries[i]
		b = append(codec.AppendUint(b, e.number), byte(e.extent))
		if e.extent == extentNone {
			continue
		}
		b = codec.AppendUint(codec.AppendUint(b, uint64(e.sent)), uint64(e.attempts))
		b = codec.AppendBool(b, e.refused)
		if e.extent == extentAll {
			b = c.appendEntry(b, e)
		}
	}
	return b
}

func (c *cut) appendEntry(b []byte, k *kept) []byte {
	b = codec.AppendBool(codec.AppendBool(b, k.wanted), k.reports)
	b = codec.AppendInt(codec.AppendTime(b, k.observed), int64(k.offered))
	b = c.appendEvent(b, &k.event)
	if b = codec.AppendBool(b, k.later != nil); k.later != nil {
		b = c.appendEvent(b, k.later)
	}
	text := ""
	if k.failed != nil {
		text = k.failed.Error()
	}
	b = codec.AppendText(codec.AppendBool(b, k.failed != nil), text)
	b = codec.AppendUint(b, uint64(len(k.messages)))
	for i := range k.messages {
		b = c.appendMessage(b, &k.messages[i], &k.event)
	}
	return b
}

func (c *cut) appendEvent(b []byte, e *event.Event) []byte {
	b = codec.AppendBool(append(b, byte(e.Op)), e.Initial)
	b = codec.AppendBool(b, e.FinalStateUnknown)
	b = codec.AppendBool(codec.AppendUint(b, uint64(e.Missed)), e.Resumed)
	b = c.appendObject(b, e.Object)
	return c.appendOptional(b, e.Old)
}

func (c *cut) appendObject(b []byte, o *object.Object) []byte {
	c.object = c.with(c.object[:0], o)
	return codec.AppendText(b, c.object)
}

func (c *cut) appendOptional(b []byte, o *object.Object) []byte {
	if b = codec.AppendBool(b, o != nil); o == nil {
		return b
	}
	return c.appendObject(b, o)
}

// appendMessage appends a message. Where it comes from is the listener's, and
// its objects are mostly those of its event.
func (c *cut) appendMessage(b []byte, m *sink.Message, of *event.Event) []byte {
	for _, text := range []string{m.ID, m.Type, m.Subject, m.ResourceVersion,
		m.OldResourceVersion, m.UID, m.Handler, m.Data} {
		b = codec.AppendText(b, text)
	}
	b = append(codec.AppendTime(b, m.Time), byte(m.Op), byte(m.Body))
	b = codec.AppendBool(codec.AppendBool(b, m.Initial), m.FinalStateUnknown)
	b = codec.AppendBool(codec.AppendUint(b, uint64(m.Missed)), m.Resumed)
	same := m.Object == of.Object && m.Old == of.Old
	if b = codec.AppendBool(b, same); same {
		return b
	}
	return c.appendOptional(c.appendObject(b, m.Object), m.Old)
}
