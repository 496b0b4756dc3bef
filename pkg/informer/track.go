package informer

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/unfinished"
	"github.com/informerd/informerd/pkg/informer/object"
)

// count sets the number of an event. The caller holds mu.
func (s *Subscription) count(e *buffer.Entry) {
	s.number++
	e.Number = s.number
}

// track notes an event that was offered, even if the subscription has stopped: then it is not done
// either. The caller holds subscription.mu.
func (reg *registration) track(e *buffer.Entry, before *object.Object) {
	switch {
	case reg.unfinished == nil || reg.Removed:
	case e.Op == event.Resync:
		reg.unfinished.Repeated(e.Object.Key(), e.Number)
	default:
		reg.unfinished.Offered(&e.Event, before, e.Number, reg.subscription.delivers(e))
	}
}

// owesEnd reports whether an event is the end of an object that the subscription may know if the
// process is killed, and has not finished with: the update with which it stopped to fulfil the
// conditions may be one of those that are not done.
func (reg *registration) owesEnd(e *buffer.Entry) bool {
	if e.Op != event.Delete || reg.unfinished == nil || !reg.conditions.transitions ||
		!reg.conditions.on.Has(e.Op) {
		return false
	}
	reg.subscription.mu.Lock()
	defer reg.subscription.mu.Unlock()
	return reg.unfinished.MayKnow(e.Object.Key())
}

// delivers returns which process may have delivered an event once it is offered. The caller holds
// mu.
func (s *Subscription) delivers(e *buffer.Entry) unfinished.By {
	switch {
	case e.MaybeDelivered || e.MaybeKnown:
		return unfinished.Earlier
	case s.stopped:
		return unfinished.Nobody
	}
	return unfinished.This
}

// trackInitial notes objects that are about to join as initial adds. The caller holds mu.
func (s *Subscription) trackInitial(from *registration, objects []*object.Object) {
	if from.unfinished == nil || from.Removed || len(objects) == 0 {
		return
	}
	s.number++
	from.Number = s.number
	for _, o := range objects {
		from.unfinished.Offered(&event.Event{Op: event.Add, Object: o}, nil, s.number, unfinished.This)
	}
}

// trackTaken notes an event that a worker gets. The caller holds mu.
func (s *Subscription) trackTaken(e *buffer.Entry) {
	if s.tracks && e.Number > 0 {
		s.unfinishedOf(e).Taken(e.Object.Key(), e.Number)
	}
}

// trackDone notes an event that a worker has finished. The caller holds mu.
func (s *Subscription) trackDone(e *buffer.Entry) {
	if !s.tracks || e.Number == 0 {
		return
	}
	after := e.Object
	if e.Op == event.Delete {
		after = nil
	}
	s.unfinishedOf(e).Done(e.Object.Key(), after, e.Number)
}

// unfinishedOf returns where an event is listed. The caller holds mu.
func (s *Subscription) unfinishedOf(e *buffer.Entry) *unfinished.Set {
	for _, reg := range s.regs {
		if &reg.Origin == e.From {
			return reg.unfinished
		}
	}
	for _, reg := range s.regs { // an exchange has moved it
		if reg.unfinished.Lists(e.Object.Key()) {
			return reg.unfinished
		}
	}
	return nil
}
