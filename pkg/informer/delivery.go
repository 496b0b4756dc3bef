package informer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
)

// Delivery is one event handed to a worker, which must call Done, Retry, Untried or Again, once,
// and must not change the event. Its objects are as the store has them, packed if that saves
// memory: call Plain before reading several fields of one. (Subscription.Run does.)
//
// Besides the Event it has its Attempt, the Progress that the worker set at the one before, Since,
// what a subscription with Transitions took Before a delete, and whether it was Recalled,
// MaybeDelivered or MaybeKnown.
type Delivery struct {
	Entry
	ack Acknowledger
}

// Entry is an event on its way through a subscription.
type Entry = buffer.Entry

// Progress is what a worker has done of an event that it puts back, or what an event was offered
// with.
type Progress = buffer.Progress

// Acknowledger is where a delivery came from, and where the worker's answer goes.
type Acknowledger interface {
	// Done ends the delivery: nobody needs the event any more.
	Done(d *Delivery)
	// Retry has the event delivered again after a delay, before any other of its object.
	Retry(d *Delivery, after time.Duration)
	// Again is as Done, and has the object delivered again after a delay, unless another event of
	// it comes before that.
	Again(d *Delivery, after time.Duration)
}

// NewDelivery returns a delivery for a source of events other than a Subscription.
func NewDelivery(e Entry, ack Acknowledger) Delivery { return Delivery{Entry: e, ack: ack} }

// Done ends the delivery: nobody needs the event any more.
func (d *Delivery) Done() { d.ack.Done(d) }

// Retry puts the event back. It is delivered again after a delay, and before any other event of its
// object. Events of other objects do not wait for it.
func (d *Delivery) Retry(after time.Duration) { d.ack.Retry(d, after) }

// Untried is Retry for an event that the worker has not tried: the attempt does not count.
func (d *Delivery) Untried(after time.Duration) {
	d.Attempt--
	d.Retry(after)
}

// Again ends the delivery and asks for its object again after a delay, even if nothing happens to
// it: as a Resync with Recalled set. If an event of the object comes before that, the request is
// forgotten, and the worker of that event may ask again. After a Delete, Again is the same as Done.
func (d *Delivery) Again(after time.Duration) { d.ack.Again(d, after) }

// DoneAll ends deliveries of this subscription, as Done of each does, but takes the lock once.
func (s *Subscription) DoneAll(all []*Delivery) {
	wake := false
	s.mu.Lock()
	for _, d := range all {
		wake = s.finished(&d.Entry, true)
	}
	s.mu.Unlock()
	s.signal(wake)
}

// subscriptionAck is a Subscription as its deliveries see it.
type subscriptionAck Subscription

// Done frees the event's place in the buffer.
func (a *subscriptionAck) Done(d *Delivery) { (*Subscription)(a).finish(&d.Entry, true) }

// Again frees the event's place in the buffer and sets a timer.
func (a *subscriptionAck) Again(d *Delivery, after time.Duration) {
	s := (*Subscription)(a)
	s.mu.Lock()
	wake := s.finished(&d.Entry, true)
	if d.Op != event.Delete {
		// Under the same lock: another worker may have the object's next event from here on, and
		// what it asks for is newer.
		s.recallAfter(&d.Entry, after)
	}
	s.mu.Unlock()
	s.signal(wake)
}

// Retry parks the event in the buffer.
func (a *subscriptionAck) Retry(d *Delivery, after time.Duration) {
	s := (*Subscription)(a)
	s.mu.Lock()
	if d.From.Removed {
		d.Forget()
		s.mu.Unlock()
		s.finish(&d.Entry, false)
		return
	}
	defer s.mu.Unlock()
	s.stats.Retried++
	s.buf.Park(d.Entry)
	s.useDisk()
	s.retries.Add(d.Object.Key(), after, s.unpark)
	if s.available() > 0 { // others have moved up
		s.wake.set()
	}
	s.room.set()
}

// RetriesBefore reports whether an event waits for a retry that is due before a time.
func (s *Subscription) RetriesBefore(t time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.retries.DueBefore(t)
}

// RetryNow has all events that wait for a retry delivered again without further delay.
func (s *Subscription) RetryNow() {
	s.mu.Lock()
	s.retries.EndAll(s.buf.Unpark)
	s.mu.Unlock()
	s.wake.set()
}

// unpark hands a parked event out again.
func (s *Subscription) unpark(key event.Key) {
	s.mu.Lock()
	delete(s.retries, key)
	s.buf.Unpark(key)
	s.mu.Unlock()
	s.wake.set()
}

// finish ends an entry's delivery. done: a worker has finished it, nobody gave it up.
func (s *Subscription) finish(e *buffer.Entry, done bool) {
	s.mu.Lock()
	wake := s.finished(e, done)
	s.mu.Unlock()
	s.signal(wake)
}

// finished frees an entry's place, and reports whether those who wait for an event have to wake up.
// The caller holds mu, and calls signal after releasing it.
func (s *Subscription) finished(e *buffer.Entry, done bool) (wake bool) {
	e.From.Initials -= e.Initials
	if done {
		s.trackDone(e)
	}
	s.buf.Done(e.Object.Key())
	s.resume(e.Object.Key())
	s.useDisk()
	switch {
	case e.Recalled: // it was not counted as offered
	case done:
		s.stats.Done++
	default:
		s.stats.Discarded++
	}
	return s.available() > 0 || s.stopped && s.buf.Empty()
}

// signal wakes an informer that waits for room and, if wake is set, a worker that waits.
func (s *Subscription) signal(wake bool) {
	if wake {
		s.wake.set()
	}
	s.room.set()
}
