package informer

import (
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/told"
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
	case reg.told == nil || reg.Removed:
	case e.Op == event.Resync:
		reg.told.Repeated(e.Object.Key(), e.Number)
	default:
		reg.told.Offered(&e.Event, before, e.Number, reg.subscription.delivers(e))
	}
}

// owesEnd reports whether an event is the end of an object that the subscription may know if the
// process is killed, and has not finished with: the update with which it stopped to fulfil the
// conditions may be one of those that are not done.
func (reg *registration) owesEnd(e *buffer.Entry) bool {
	if e.Op != event.Delete || reg.told == nil || !reg.wants.Transitions ||
		!reg.wants.On.Has(e.Op) {
		return false
	}
	reg.subscription.mu.Lock()
	defer reg.subscription.mu.Unlock()
	return reg.told.MayKnow(e.Object.Key())
}

// delivers returns which process may have delivered an event once it is offered. The caller holds
// mu.
func (s *Subscription) delivers(e *buffer.Entry) told.By {
	switch {
	case e.Owed || e.Doubt:
		return told.Earlier
	case s.stopped:
		return told.Nobody
	}
	return told.This
}

// trackInitial notes objects that are about to join as initial adds. The caller holds mu.
func (s *Subscription) trackInitial(from *registration, objects []*object.Object) {
	if from.told == nil || from.Removed || len(objects) == 0 {
		return
	}
	s.number++
	from.Number = s.number
	for _, o := range objects {
		from.told.Offered(&event.Event{Op: event.Add, Object: o}, nil, s.number, told.This)
	}
}

// trackTaken notes an event that a worker gets. The caller holds mu.
func (s *Subscription) trackTaken(e *buffer.Entry) {
	if s.tracks && e.Number > 0 {
		s.toldOf(e).Taken(e.Object.Key(), e.Number)
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
	s.toldOf(e).Done(e.Object.Key(), after, e.Number)
}

// toldOf returns where an event is listed. The caller holds mu.
func (s *Subscription) toldOf(e *buffer.Entry) *told.Set {
	for _, reg := range s.regs {
		if &reg.Origin == e.From {
			return reg.told
		}
	}
	for _, reg := range s.regs { // an exchange has moved it
		if reg.told.Lists(e.Object.Key()) {
			return reg.told
		}
	}
	return nil
}

// heir returns where an exchange moves what is listed of an object to, nil if there is no new
// informer. All locks are held.
func (x *exchange) heir(key event.Key) *told.Set {
	var heir *registration
	for _, m := range x.fresh {
		switch namespace := m.inf.scope.Namespace; {
		case m.inf.store.Get(key) != nil:
			return m.reg.told
		case heir == nil || namespace == key.Namespace:
			heir = m.reg
		}
	}
	if heir == nil {
		return nil
	}
	return heir.told
}
