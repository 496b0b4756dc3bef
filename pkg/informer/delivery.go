package informer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
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
	from     *registration
	failed   *failed
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
func (d *Delivery) entry() *entry {
	return &entry{Event: d.Event, from: d.from, initials: d.initials, recalled: d.Recalled,
		failed: d.failed, known: d.Before}
}

// subscriptionAck is a Subscription as its deliveries see it.
type subscriptionAck Subscription

// Done frees the event's place in the buffer.
func (a *subscriptionAck) Done(d *Delivery) { (*Subscription)(a).finish(d.entry(), true) }

// Again frees the event's place in the buffer and sets a timer.
func (a *subscriptionAck) Again(d *Delivery, after time.Duration) {
	l := (*Subscription)(a)
	l.mu.Lock()
	e := d.entry()
	wake := l.finished(e, true)
	if d.Op != event.Delete {
		// Under the same lock: another worker may have the object's next event from here on, and
		// what it wishes is newer.
		l.recallAfter(*e, after)
	}
	l.mu.Unlock()
	l.tell(wake)
}

// Retry parks the event in the buffer.
func (a *subscriptionAck) Retry(d *Delivery, after time.Duration) {
	l := (*Subscription)(a)
	l.mu.Lock()
	e := d.entry()
	if e.from.removed {
		l.mu.Unlock()
		l.finish(e, false)
		return
	}
	defer l.mu.Unlock()
	l.stats.Retried++
	e.failed = &failed{attempts: d.Attempt, progress: d.Progress}
	l.buf.park(*e)
	l.useDisk()
	key := d.Object.Key()
	if l.retries == nil {
		l.retries = map[event.Key]*time.Timer{}
	}
	l.retries[key] = time.AfterFunc(after, func() { l.unpark(key) })
	if l.buf.available() > 0 { // others have moved up
		l.wake.set()
	}
	l.room.set()
}

func (l *Subscription) unpark(key event.Key) {
	l.mu.Lock()
	delete(l.retries, key)
	l.buf.unpark(key)
	l.mu.Unlock()
	l.wake.set()
}

func (l *Subscription) finish(e *entry, done bool) {
	l.mu.Lock()
	wake := l.finished(e, done)
	l.mu.Unlock()
	l.tell(wake)
}

// finished frees an entry's place and reports whether that is something for those who wait. The
// caller holds mu, and calls tell behind it.
func (l *Subscription) finished(e *entry, done bool) (wake bool) {
	e.from.initials -= e.initials
	l.buf.done(e.Object.Key())
	l.useDisk()
	switch {
	case e.recalled: // it was not counted as offered
	case done:
		l.stats.Done++
	default:
		l.stats.Discarded++
	}
	return l.buf.available() > 0 || l.stopped && l.buf.empty()
}

// tell wakes who waits for an event, if there is one, and who waits for room.
func (l *Subscription) tell(wake bool) {
	if wake {
		l.wake.set()
	}
	l.room.set()
}
