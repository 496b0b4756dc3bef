package informer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
)

// recall is a worker's request to get an object again.
type recall struct {
	timer *time.Timer
	entry buffer.Entry
}

// recallAfter sets the timer for an object that a worker has finished, unless more of it waits
// already. The caller holds mu.
func (s *Subscription) recallAfter(e *buffer.Entry, after time.Duration) {
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

// recall hands the object to a worker. Its events in the buffer come later, as they are newer.
//
// An object that is not stored any more does not come again, even if the subscription never got its
// delete, because that was dropped or refused. But a subscription with Transitions gets the delete
// now, if its conditions may have refused it.
func (s *Subscription) recall(key event.Key, r *recall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.recalls[key] != r: // it was forgotten while its timer fired
		return
	case s.buf.Busy(key): // with an event that was offered alone: it comes after that
		r.timer.Reset(100 * time.Millisecond)
		return
	}
	delete(s.recalls, key)
	if r.entry.Gone() && !s.becomeDelete(r) {
		return
	}
	s.buf.Recall(r.entry)
	s.stats.Recalled++
	s.wake.set()
}

// becomeDelete turns the recall of an object that is gone into its delete, and reports whether the
// conditions may have refused that one: they do not if the state before fulfils them. The caller
// holds mu.
func (s *Subscription) becomeDelete(r *recall) bool {
	if !s.cfg.Transitions || !s.cfg.On.Has(event.Delete) {
		return false
	}
	r.entry.Op, r.entry.FinalStateUnknown = event.Delete, true
	return !s.ownMatcher().allows(&r.entry)
}

// forgetRecall forgets the recall of an object, if there is one. The caller holds mu.
func (s *Subscription) forgetRecall(key event.Key) {
	if r := s.recalls[key]; r != nil {
		r.timer.Stop()
		delete(s.recalls, key)
	}
}
