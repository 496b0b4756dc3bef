package informer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
)

// recall is a worker's wish to have an object again.
type recall struct {
	timer *time.Timer
	entry buffer.Entry
}

// recallAfter sets the timer for an object that a worker is done with, unless more of it waits
// already. The caller holds mu.
func (s *Subscription) recallAfter(e buffer.Entry, after time.Duration) {
	key := e.Object.Key()
	if s.stopped || e.From.Removed || s.buf.Busy(key) {
		return
	}
	s.forgetRecall(key)
	// The entry lasts as long as the timer, and there may be one for each object.
	r := &recall{entry: buffer.Entry{
		Event: event.Event{Op: event.Resync, Object: e.Object.Stored()}, From: e.From,
		Recalled: true,
	}}
	r.timer = time.AfterFunc(after, func() { s.recall(key, r) })
	if s.recalls == nil {
		s.recalls = map[event.Key]*recall{}
	}
	s.recalls[key] = r
}

// recall hands the object to a worker. What waits of the object in the ring or behind it comes
// later, as it is newer. An object that is not stored any more does not come again, also if the
// subscription has not heard of its end, because it was dropped or refused; but a subscription with
// Transitions gets that end now, if its conditions may have refused it.
func (s *Subscription) recall(key event.Key, r *recall) {
	s.mu.Lock()
	if s.recalls[key] != r { // it was forgotten while the timer went off
		s.mu.Unlock()
		return
	}
	delete(s.recalls, key)
	if r.entry.Gone() && !s.refusedEnd(r) {
		s.mu.Unlock()
		return
	}
	s.buf.Recall(r.entry)
	s.stats.Recalled++
	s.mu.Unlock()
	s.wake.set()
}

// refusedEnd makes an object that is gone its end, unless the subscription hears of that anyway:
// the end of a state that fulfils its conditions is not refused. The caller holds mu.
func (s *Subscription) refusedEnd(r *recall) bool {
	if !s.cfg.Transitions || !s.cfg.On.Has(event.Delete) {
		return false
	}
	r.entry.Op, r.entry.FinalStateUnknown = event.Delete, true
	return !s.ownJudge().allows(&r.entry)
}

// forgetRecall does no harm if there is none. The caller holds mu.
func (s *Subscription) forgetRecall(key event.Key) {
	if r := s.recalls[key]; r != nil {
		r.timer.Stop()
		delete(s.recalls, key)
	}
}
