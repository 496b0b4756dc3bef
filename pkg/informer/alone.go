package informer

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
)

// OfferAlone is Offer for an event that may be older than others of its object: it is taken only if
// there is room, and if nothing else of the object is waiting, with a worker, or waiting for a
// retry. What comes of the object meanwhile waits behind it. It cancels no Again of the object. It
// looks at all events in the buffer, as Has does.
func (s *Subscription) OfferAlone(e event.Event, progress any) (taken bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return false, s.stoppedError()
	}
	taken = s.buf.OfferAlone(buffer.Entry{Event: e, From: &s.byHand, Progress: progress})
	if taken {
		s.stats.Offered++
		s.wake.set()
	}
	return taken, nil
}

// Has reports whether an event of an object is in the buffer, with a worker or waiting for a retry.
func (s *Subscription) Has(key event.Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Has(key)
}

// Parked reports whether an event of an object waits for its retry.
func (s *Subscription) Parked(key event.Key) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Parked(key)
}
