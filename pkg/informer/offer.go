package informer

import (
	"context"

	"github.com/informerd/informerd/pkg/informer/internal/buffer"
)

// offer is called by controllers. It never blocks, and is false if the event must be offered again
// when there is room. The workers learn of it when the caller sets wake.
func (s *Subscription) offer(reg *registration, e buffer.Entry) (taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.offerLocked(reg, e)
}

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

// postpone counts an event that is not offered before another one of its registration is taken.
func (s *Subscription) postpone(reg *registration) {
	s.mu.Lock()
	reg.postponed++
	s.mu.Unlock()
}

// offerUntil repeats an offer until it is taken, the subscription is gone, or ctx is done.
func (s *Subscription) offerUntil(ctx context.Context, reg *registration, e buffer.Entry) {
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
