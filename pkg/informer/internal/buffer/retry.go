package buffer

import (
	"github.com/informerd/informerd/pkg/informer/internal/lanes"
	"github.com/informerd/informerd/pkg/informer/object"
)

// lineUp puts an entry into a busy lane. What waits for a retry must not take the room of others:
// it has as much room again for itself, and what exceeds that is merged, object by object. With
// Block nothing is merged, so that it takes the others' room after all, until offers are refused.
func (b *Buffer) lineUp(key object.Key, lane *lanes.Lane[Entry], e Entry) {
	held := b.lanes.Held()
	switch m := b.folded[key]; {
	case m != nil:
		b.merge(m, e)
	case b.lanes.Wait(lane, e):
	case b.overflow == Block:
		b.lanes.WaitHeld(lane, e)
	default:
		if b.folded == nil {
			b.folded = map[object.Key]*mark{}
		}
		b.folded[key] = newMark(e)
	}
	b.roomFreed = b.roomFreed || b.lanes.Held() == held
}

// Park keeps an entry that a worker had for a retry. Its object waits with it, others do not.
func (b *Buffer) Park(e Entry) {
	key := e.Object.Key()
	lane := b.lanes.Lane(key)
	b.lanes.Park(lane, e)
	// What waits lines up again, and what was merged comes after that.
	m := b.folded[key]
	delete(b.folded, key)
	for range lane.Len() {
		if waits, ok := b.lanes.Pull(lane); ok {
			b.lineUp(key, lane, waits)
		}
	}
	if m != nil {
		for _, before := range m.ends() {
			b.lineUp(key, lane, before)
		}
		b.lineUp(key, lane, m.latest)
	}
	b.promote()
}

// Unpark makes a parked entry the next one of its object.
func (b *Buffer) Unpark(key object.Key) { b.lanes.Unpark(key) }

// unfold puts the next event of a merged one into its lane, if nothing else waits there.
func (b *Buffer) unfold(key object.Key, lane *lanes.Lane[Entry]) {
	if len(b.folded) == 0 || lane.Len() > 0 {
		return
	}
	m := b.folded[key]
	if m == nil {
		return
	}
	next := m.latest
	if ends := m.ends(); len(ends) > 0 {
		next = ends[0]
		m.setEnds(ends[1:])
	} else {
		delete(b.folded, key)
	}
	b.lanes.WaitHeld(lane, next)
}
