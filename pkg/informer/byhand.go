package informer

import (
	"context"
	"fmt"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
)

// Offer offers an event that does not come from an informer. Its first delivery has progress as
// Delivery.Progress. On and Conditions do not apply. Offer never waits: it
// reports whether the event was taken, which it is unless the buffer is full and has OverflowBlock.
// It fails with ErrStopped once the subscription was stopped. Events of one object must not be
// offered at the same time.
func (s *Subscription) Offer(e event.Event, progress Progress) (taken bool, err error) {
	n, err := s.OfferAll([]Entry{{Event: e, Progress: progress}})
	return n == 1, err
}

// OfferAll offers several events, one after the other, as Offer does, but takes the lock once. It
// returns how many were taken: the first ones, up to one for which there was no room. An entry has
// an event, and may have a Progress, Since, from when it has waited already, and MaybeDelivered.
func (s *Subscription) OfferAll(all []Entry) (taken int, err error) {
	s.mu.Lock()
	defer s.wake.set()
	defer s.mu.Unlock()
	if s.stopped {
		return 0, s.stoppedError()
	}
	for taken < len(all) {
		all[taken].From = &s.byHand
		if !s.buf.Offer(all[taken]) {
			break
		}
		taken++
	}
	s.stats.Offered += uint64(taken)
	s.useDisk()
	return taken, nil
}

// OfferWait is OfferAll of one event, and waits while the buffer is full and has OverflowBlock. It
// fails with ctx's error, or with ErrStopped; then the event was not taken.
func (s *Subscription) OfferWait(ctx context.Context, e Entry) error {
	one := []Entry{e}
	taken, err := s.OfferAll(one)
	if taken > 0 || err != nil {
		return err
	}
	s.mu.Lock()
	s.stats.Blocked++
	s.mu.Unlock()
	for taken == 0 && err == nil {
		select {
		case <-s.room:
		case <-s.stopping:
		case <-ctx.Done():
			return ctx.Err()
		}
		taken, err = s.OfferAll(one)
	}
	s.room.set() // others may wait, too
	return err
}

// Room returns how many events the buffer takes before it merges, spills, drops or refuses one.
// Events that wait for a retry do not count.
func (s *Subscription) Room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Room()
}

// Ready returns how many events may be there for Next without waiting, and never less than are.
func (s *Subscription) Ready() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.available()
}

// Waiting returns how many events are not done: those in the buffer, merged ones counted once, and
// those with workers.
func (s *Subscription) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buf.Stats()
	ended := s.stats.Done + s.stats.Discarded + b.Coalesced + b.Dropped
	return int(s.stats.Offered + s.resynced - ended)
}

func (s *Subscription) stoppedError() error {
	return fmt.Errorf("subscription %q: %w", s.name, ErrStopped)
}

// OfferAlone is Offer for an event that may be older than others of its object: it is taken only if
// there is room, and if nothing else of the object is waiting, with a worker, or waiting for a
// retry. What comes of the object meanwhile waits behind it. It cancels no Again of the object. It
// looks at all events in the buffer, as Has does.
func (s *Subscription) OfferAlone(e event.Event, progress Progress) (taken bool, err error) {
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
