package informer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// recall is a worker's wish to have an object again.
type recall struct {
	timer *time.Timer
	entry entry
}

// recallAfter sets the timer for an object that a worker is done with, unless more of it waits
// already. The caller holds mu.
func (l *Subscription) recallAfter(e entry, after time.Duration) {
	key := e.Object.Key()
	if l.stopped || e.from.removed || l.buf.lanes[key] != nil {
		return
	}
	l.forgetRecall(key)
	// The entry lasts as long as the timer, and there may be one for each object.
	r := &recall{entry: entry{Event: event.Event{Op: event.Resync, Object: e.Object.Stored()},
		from: e.from, recalled: true}}
	r.timer = time.AfterFunc(after, func() { l.recall(key, r) })
	if l.recalls == nil {
		l.recalls = map[event.Key]*recall{}
	}
	l.recalls[key] = r
}

// recall hands the object to a worker. What waits of the object in the ring or behind it comes
// later, as it is newer. An object that is not stored any more does not come again, also if the
// subscription has not heard of its end, because it was dropped or refused; but a subscription with
// Transitions gets that end now, if its conditions may have refused it.
func (l *Subscription) recall(key event.Key, r *recall) {
	l.mu.Lock()
	if l.recalls[key] != r { // it was forgotten while the timer went off
		l.mu.Unlock()
		return
	}
	delete(l.recalls, key)
	if r.isGone(key) && !l.refusedEnd(r) {
		l.mu.Unlock()
		return
	}
	l.buf.recall(r.entry)
	l.stats.Recalled++
	l.mu.Unlock()
	l.wake.set()
}

func (r *recall) isGone(key event.Key) bool {
	store := r.entry.from.store
	if store == nil {
		return false
	}
	o := store.Get(key)
	return o == nil || o.UID() != r.entry.Object.UID()
}

// refusedEnd makes an object that is gone its end, unless the subscription hears of that anyway:
// the end of a state that fulfils its conditions is not refused. The caller holds mu.
func (l *Subscription) refusedEnd(r *recall) bool {
	if !l.cfg.Transitions || !l.cfg.On.Has(event.Delete) {
		return false
	}
	r.entry.Op, r.entry.FinalStateUnknown = event.Delete, true
	return !l.buf.judges(l).allows(&r.entry)
}

// forgetRecall does no harm if there is none. The caller holds mu.
func (l *Subscription) forgetRecall(key event.Key) {
	if r := l.recalls[key]; r != nil {
		r.timer.Stop()
		delete(l.recalls, key)
	}
}
