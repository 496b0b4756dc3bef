package informer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Delivery is one event handed to a worker, which must not change it, and must call Done, Retry or
// Again, once. Its objects are as the store has them, packed if that saves memory: call Plain
// before reading several fields of one. (Subscription.Run does.)
type Delivery struct {
	event.Event
	// Attempt is 1 for the first delivery of the event, 2 for its first retry, and so on.
	Attempt int
	// Recalled: a worker has asked for the object with Again. Object is the state that worker had.
	// Op is Resync, as nothing has happened to it; or Delete, if the object is gone and the
	// conditions of a subscription with Transitions have refused that.
	Recalled bool
	// Before is set for the Delete of an object of which the subscription had taken a state, if it
	// has Transitions: that state. Object may differ from it in what the subscription looks at, if
	// events were missed.
	Before *object.Object
	// Progress belongs to the worker: what it sets before Retry, it finds here at the event's next
	// delivery, and at no other event's. It is nil at the first one.
	Progress any

	ack Acknowledger
	// The subscription's own. The rest of its entry is above.
	from     *buffer.Origin
	failed   *buffer.Failed
	initials int
}

// Acknowledger is where a delivery came from and where the worker's answer goes.
type Acknowledger interface {
	// Done: the event needs nobody any more.
	Done(d *Delivery)
	// Retry: the event is to be delivered again after a delay, before any other of its object.
	Retry(d *Delivery, after time.Duration)
	// Again: as Done, and the object is to be delivered again after a delay, if nothing else of it
	// comes before.
	Again(d *Delivery, after time.Duration)
}

// NewDelivery makes a delivery for a source of events other than a Subscription.
func NewDelivery(e event.Event, attempt int, ack Acknowledger) Delivery {
	return Delivery{Event: e, Attempt: attempt, ack: ack}
}

// Done says that the event needs nobody any more.
func (d *Delivery) Done() { d.ack.Done(d) }

// Retry gives the event back, to be delivered again after a delay and before any other event of its
// object. Other objects go on meanwhile.
func (d *Delivery) Retry(after time.Duration) { d.ack.Retry(d, after) }

// Again says that the event is done, and that its object is wanted again after a while though
// nothing may have happened to it: as a Resync with Recalled set. If an event of the object comes
// before that, the wish is forgotten, and its worker may ask again. After a Delete it is the same
// as Done.
func (d *Delivery) Again(after time.Duration) { d.ack.Again(d, after) }

// entry is what the delivery was made of. A worker must not have changed the event.
func (d *Delivery) entry() *buffer.Entry {
	return &buffer.Entry{
		Event: d.Event, From: d.from, Initials: d.initials, Recalled: d.Recalled, Failed: d.failed,
		Known: d.Before,
	}
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
		// what it wishes is newer.
		s.recallAfter(*e, after)
	}
	s.mu.Unlock()
	s.tell(wake)
}

// Retry parks the event in the buffer.
func (a *subscriptionAck) Retry(d *Delivery, after time.Duration) {
	s := (*Subscription)(a)
	s.mu.Lock()
	e := d.entry()
	if e.From.Removed {
		s.mu.Unlock()
		s.finish(e, false)
		return
	}
	defer s.mu.Unlock()
	s.stats.Retried++
	e.Failed = &buffer.Failed{Attempts: d.Attempt, Progress: d.Progress}
	s.buf.Park(*e)
	s.useDisk()
	key := d.Object.Key()
	if s.retries == nil {
		s.retries = map[event.Key]*time.Timer{}
	}
	s.retries[key] = time.AfterFunc(after, func() { s.unpark(key) })
	if s.available() > 0 { // others have moved up
		s.wake.set()
	}
	s.room.set()
}

func (s *Subscription) unpark(key event.Key) {
	s.mu.Lock()
	delete(s.retries, key)
	s.buf.Unpark(key)
	s.mu.Unlock()
	s.wake.set()
}

func (s *Subscription) finish(e *buffer.Entry, done bool) {
	s.mu.Lock()
	wake := s.finished(e, done)
	s.mu.Unlock()
	s.tell(wake)
}

// finished frees an entry's place and reports whether that is something for those who wait. The
// caller holds mu, and calls tell behind it.
func (s *Subscription) finished(e *buffer.Entry, done bool) (wake bool) {
	e.From.Initials -= e.Initials
	s.buf.Done(e.Object.Key())
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

// tell wakes who waits for an event, if there is one, and who waits for room.
func (s *Subscription) tell(wake bool) {
	if wake {
		s.wake.set()
	}
	s.room.set()
}
