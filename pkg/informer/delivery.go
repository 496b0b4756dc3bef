package informer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Delivery is one event handed to a worker, which must call Done, Retry or Again, once, and must
// not change the event. Its objects are as the store has them, packed if that saves memory: call
// Plain before reading several fields of one. (Subscription.Run does.)
type Delivery struct {
	event.Event
	// Attempt is 1 for the first delivery of the event, 2 for its first retry, and so on.
	Attempt int
	// Before is for a Delete, and set if the subscription has Transitions: the state of the object
	// that it took last, nil if it took none. If events were missed, Object may differ from it in
	// what the subscription looks at.
	Before *object.Object
	// Progress belongs to the worker: what it sets before Retry, it finds here at the next delivery
	// of the same event. At the first one it is what the event was offered with, nil if an informer
	// did.
	Progress any
	// Recalled: a worker has asked for the object with Again. Object is the state that worker had.
	// Op is Resync, as nothing has happened to it; or Delete, if the object is gone and the
	// conditions of a subscription with Transitions have refused that.
	Recalled bool
	// Owed: an earlier process, which was killed, may have delivered the event. Doubt: it may have
	// delivered states of the object that came before this one, and do not come again; conditions
	// of a subscription with Transitions do not refuse such an event, nor does On.
	Owed, Doubt bool
	// Since is when the event arrived, or if it did not, when the subscription got it.
	Since event.Instant

	// The subscription's own. The rest of its entry is above.
	initials int32
	from     *buffer.Origin
	number   uint64
	ack      Acknowledger
}

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
func NewDelivery(e event.Event, attempt int, ack Acknowledger) Delivery {
	return Delivery{Event: e, Attempt: attempt, ack: ack}
}

// Done ends the delivery: nobody needs the event any more.
func (d *Delivery) Done() { d.ack.Done(d) }

// Retry puts the event back. It is delivered again after a delay, and before any other event of its
// object. Events of other objects do not wait for it.
func (d *Delivery) Retry(after time.Duration) { d.ack.Retry(d, after) }

// Again ends the delivery and asks for its object again after a delay, even if nothing happens to
// it: as a Resync with Recalled set. If an event of the object comes before that, the request is
// forgotten, and the worker of that event may ask again. After a Delete, Again is the same as Done.
func (d *Delivery) Again(after time.Duration) { d.ack.Again(d, after) }

// entry returns what the delivery was made of.
func (d *Delivery) entry() *buffer.Entry {
	return &buffer.Entry{
		Event: d.Event, From: d.from, Initials: int(d.initials), Recalled: d.Recalled,
		Known: d.Before, Attempts: int32(d.Attempt), Progress: d.Progress, Number: d.number,
		Owed: d.Owed, Doubt: d.Doubt, Since: d.Since,
	}
}

// DoneAll ends deliveries of this subscription, as Done of each does, but takes the lock once.
func (s *Subscription) DoneAll(all []*Delivery) {
	wake := false
	s.mu.Lock()
	for _, d := range all {
		wake = s.finished(d.entry(), true)
	}
	s.mu.Unlock()
	s.signal(wake)
}

// subscriptionAck is a Subscription as its deliveries see it.
type subscriptionAck Subscription

// Done frees the event's place in the buffer.
func (a *subscriptionAck) Done(d *Delivery) { (*Subscription)(a).finish(d.entry(), true) }

// Again frees the event's place in the buffer and sets a timer.
func (a *subscriptionAck) Again(d *Delivery, after time.Duration) {
	s := (*Subscription)(a)
	s.mu.Lock()
	e := d.entry()
	wake := s.finished(e, true)
	if d.Op != event.Delete {
		// Under the same lock: another worker may have the object's next event from here on, and
		// what it asks for is newer.
		s.recallAfter(*e, after)
	}
	s.mu.Unlock()
	s.signal(wake)
}

// Retry parks the event in the buffer.
func (a *subscriptionAck) Retry(d *Delivery, after time.Duration) {
	s := (*Subscription)(a)
	s.mu.Lock()
	e := d.entry()
	if e.From.Removed {
		e.Forget()
		s.mu.Unlock()
		s.finish(e, false)
		return
	}
	defer s.mu.Unlock()
	s.stats.Retried++
	s.buf.Park(*e)
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
