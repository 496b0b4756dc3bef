package buffer

import "github.com/informerd/informerd/pkg/informer/object"

// Has reports whether something of an object is in the buffer, with a worker, or parked. It looks
// at all events in the buffer.
func (b *Buffer) Has(key object.Key) bool {
	has := b.lanes.Lane(key) != nil || b.marks[key] != nil
	b.ring.Each(func(e *Entry) { has = has || e.Object.Key() == key })
	return has
}

// OfferAlone takes an event if there is room, and the buffer has nothing else of its object. So
// everything else of the object comes later.
func (b *Buffer) OfferAlone(e Entry) (taken bool) {
	if !b.Idle() || b.Has(e.Object.Key()) {
		return false
	}
	e.Alone = true
	e.begin()
	b.ring.Push(e)
	return true
}

// Parked reports whether an entry of an object is parked.
func (b *Buffer) Parked(key object.Key) bool { return b.lanes.ParkedItem(key) != nil }
