package buffer

import (
	"maps"
	"slices"

	"github.com/informerd/informerd/pkg/informer/internal/fifo"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Drop forgets every entry of one origin that is not with a worker, and returns how many.
func (b *Buffer) Drop(from *Origin) int {
	dropped := 0
	drop := func(e *Entry) bool {
		if e.From == from && !e.Recalled { // nobody was promised a recalled one
			dropped++
		}
		if e.From == from {
			e.Forget()
		}
		return e.From == from
	}
	b.ring.DeleteFunc(drop)
	b.recalled.DeleteFunc(drop)
	for key, m := range b.folded {
		if m.latest.From == from {
			dropped += m.forget()
			delete(b.folded, key)
		}
	}
	freed := b.lanes.DeleteFunc(drop, func(e *Entry) object.Key { return e.Object.Key() })
	for _, key := range freed {
		lane := b.lanes.Lane(key)
		b.unfold(key, lane)
		b.lanes.Advance(key, lane)
	}
	b.backlog = slices.DeleteFunc(b.backlog, func(l backlog) bool {
		if l.from == from {
			dropped += len(l.objects)
		}
		return l.from == from
	})
	dropped += b.dropSpilled(from)
	var order fifo.Queue[*mark]
	for m, ok := b.markOrder.Pop(); ok; m, ok = b.markOrder.Pop() {
		if m.empty() {
			continue
		}
		if m.latest.From == from {
			dropped += m.forget()
			delete(b.marks, m.latest.Object.Key())
			continue
		}
		order.Push(m)
	}
	b.markOrder = order
	b.promote()
	return dropped
}

// ParkedFrom returns the origin of an object's parked entry, nil if it has none.
func (b *Buffer) ParkedFrom(key object.Key) *Origin {
	if e := b.lanes.ParkedItem(key); e != nil {
		return e.From
	}
	return nil
}

// Origins returns those that have entries which are not with a worker.
func (b *Buffer) Origins() []*Origin {
	seen := map[*Origin]struct{}{}
	for _, q := range []*fifo.Queue[Entry]{&b.ring, &b.recalled} {
		for _, e := range q.Snapshot() {
			seen[e.From] = struct{}{}
		}
	}
	b.lanes.Each(func(e *Entry) { seen[e.From] = struct{}{} })
	for _, l := range b.backlog {
		seen[l.from] = struct{}{}
	}
	for _, s := range b.summaries {
		seen[s.latest.From] = struct{}{}
	}
	for _, marks := range []map[object.Key]*mark{b.folded, b.marks} {
		for _, m := range marks {
			seen[m.latest.From] = struct{}{}
		}
	}
	return slices.Collect(maps.Keys(seen))
}
