package informer

import "github.com/informerd/informerd/pkg/informer/event"

// lane is the line of one object's entries behind the one that is with a worker.
type lane struct {
	waiting fifo[entry]
	parked  *entry // waits for its retry; the lane is busy with it
	behind  int    // how many of waiting are counted in buffer.behind, and not in held
	folded  *mark  // behind waiting, what has no place there
}

// begin makes the lane of an object, unless there is one.
func (b *buffer) begin(key event.Key) bool {
	if b.lanes[key] != nil {
		return false
	}
	b.lane(key)
	return true
}

func (b *buffer) lane(key event.Key) {
	if b.lanes == nil {
		b.lanes = map[event.Key]*lane{}
	}
	b.lanes[key] = b.newLane()
}

// newLane takes an emptied one if there is one: each event needs a lane for a moment.
func (b *buffer) newLane() *lane {
	n := len(b.spare)
	if n == 0 {
		return &lane{}
	}
	l := b.spare[n-1]
	b.spare = b.spare[:n-1]
	return l
}

// lineUp puts an entry that is counted in held into a busy lane. What waits for a retry must not
// take the room of others: it has as much room again for itself, and what exceeds that is merged,
// object by object. With OverflowBlock nothing is merged, so that it takes the others' room after
// all, until the informer waits.
func (b *buffer) lineUp(l *lane, e entry) {
	switch {
	case l.folded != nil:
		if l.folded.merge(e) {
			b.coalesced++
		}
	case l.parked == nil:
		l.waiting.push(e)
		return
	case b.behind < b.capacity:
		l.waiting.push(e)
		l.behind++
		b.behind++
	case b.overflow == OverflowBlock:
		l.waiting.push(e)
		return
	default:
		e.Event = stored(e.Event)
		l.folded = &mark{latest: e}
		b.folded++
	}
	b.held--
	b.freed = true
}

// park keeps an entry for a retry; its object waits with it, others flow.
func (b *buffer) park(e entry) {
	l := b.lanes[e.Object.Key()]
	l.parked = &e
	b.held--
	b.parked++
	// What waits lines up again, and what was merged comes after that.
	var last fifo[entry]
	if m := l.folded; m != nil {
		if m.before != nil {
			last.push(*m.before)
		}
		last.push(m.latest)
		l.folded = nil
		b.folded--
		b.held += m.entries()
	}
	for range l.waiting.len() {
		waits, _ := l.waiting.pop()
		b.lineUp(l, waits)
	}
	for waits, ok := last.pop(); ok; waits, ok = last.pop() {
		b.lineUp(l, waits)
	}
	b.promote()
}

// unpark makes a parked entry the next one of its object.
func (b *buffer) unpark(key event.Key) {
	if l := b.lanes[key]; l != nil && l.parked != nil {
		b.ready.push(*l.parked)
		b.held++
		b.leave(l)
	}
}

// leave ends the wait for a retry. What waited behind it is counted in held again, beyond the
// capacity if need be.
func (b *buffer) leave(l *lane) {
	l.parked = nil
	b.parked--
	b.held += l.behind
	b.behind -= l.behind
	l.behind = 0
}

// advance makes the next one of a lane's entries ready, or ends the lane.
func (b *buffer) advance(key event.Key, l *lane) {
	e, ok := l.waiting.pop()
	if m := l.folded; !ok && m != nil {
		if e, ok = m.latest, true; m.before != nil {
			e, m.before = *m.before, nil
		} else {
			l.folded = nil
			b.folded--
		}
		b.held++
	}
	if ok {
		b.ready.push(e)
		return
	}
	delete(b.lanes, key)
	if len(b.spare) < 16 && cap(l.waiting.ring) <= 16 {
		b.spare = append(b.spare, l)
	}
}
