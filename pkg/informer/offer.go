package informer

import (
	"context"

	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// offer offers an event of an informer to the buffer. It never blocks, and reports whether the
// event was taken; if not, offerAgain repeats it when there is room. Workers notice the event once
// the caller sets wake. before is the state that the event begins with.
func (s *Subscription) offer(reg *registration, e *buffer.Entry, before *object.Object) (
	taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if reg.unfinished == nil {
		return s.offerLocked(reg, *e)
	}
	dropped := s.buf.Dropped()
	s.count(e)
	taken = s.offerLocked(reg, *e)
	if s.buf.Dropped() == dropped { // else it was given up by choice
		reg.track(e, before)
	}
	return taken
}

// offerLocked is offer for a caller that holds mu.
func (s *Subscription) offerLocked(reg *registration, e buffer.Entry) (taken bool) {
	if s.stopped || e.From.Removed {
		return true
	}
	if !s.buf.Offer(e) {
		reg.postponed++
		return false
	}
	s.useDisk()
	e.From.Initials += e.Initials
	s.stats.Offered++
	return true
}

// offerAgain repeats an offer that was not taken.
func (s *Subscription) offerAgain(reg *registration, e buffer.Entry) (taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reg.postponed--
	return s.offerLocked(reg, e)
}

// postpone counts an event that waits for an earlier one of its registration to be taken.
func (s *Subscription) postpone(reg *registration, e *buffer.Entry, before *object.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	reg.postponed++
	s.count(e)
	reg.track(e, before)
}

// offerUntilTaken repeats an offer until it is taken, the subscription is gone, or ctx is done.
func (s *Subscription) offerUntilTaken(ctx context.Context, reg *registration, e buffer.Entry) {
	s.mu.Lock()
	s.stats.Blocked++
	s.mu.Unlock()
	for !s.offerAgain(reg, e) {
		select {
		case <-s.room:
		case <-ctx.Done():
			return
		}
	}
	s.wake.set()
	s.room.set() // another informer's controller may wait, too
}
