package route

import (
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// answer is what a select says of a state of an object.
type answer uint8

const (
	out     answer = iota
	in             // the object is selected
	unknown        // the select has failed
)

// asks evaluates the select for a state of the delivery's object.
func (w *worker) asks(d *informer.Delivery, o *object.Object) answer {
	ok, err := w.selector.Match(event.Event{Op: event.Resync, Object: o})
	switch {
	case err != nil:
		w.route.stats.filterErrors.Add(1)
		w.route.complain(d, "the select failed, so the object stays selected or not as it was", err)
		return unknown
	case ok:
		return in
	}
	return out
}

// selected makes of an event what it means to a listener for which only the selected objects exist:
// when one enters the set, that is an add, and when it leaves the set, that is a delete of its last
// state in it, as with client-go's FilteringResourceEventHandler. Ok is false if the event means
// nothing to the listener.
//
// What the event makes of the object's membership is noted in left and remembered once the event is
// done. If the select looks at the clock or at other objects, or has failed, the object is wanted
// again.
func (w *worker) selected(d *informer.Delivery, left *unsent) (e event.Event, ok bool) {
	e = d.Event
	if w.selector == nil {
		return e, true
	}
	if e.Op == event.Delete {
		return w.lastOf(d)
	}
	r := w.route
	is := w.asks(d, e.Object)
	known, remembered := r.members.get(e.Object.Key())
	was := known.in
	if !remembered && !r.members.moving {
		was = w.was(d, is)
	}
	left.member = known.after(is, was)
	if again := left.member.retryDelay(is, r.members.moving); again > 0 {
		left.sooner(again)
	}
	switch now := left.member.in; {
	case now && was:
		return e, true
	case now:
		e.Op, e.Old = event.Add, nil
		return e, true
	case was:
		if e.Op == event.Update && e.Old != nil {
			e.Object = e.Old
		}
		e.Op, e.Old = event.Delete, nil
		return e, true
	}
	r.unselected(d)
	return e, false
}

// was reports whether an object that is not remembered was selected before the event: its state
// then says so.
func (w *worker) was(d *informer.Delivery, is answer) bool {
	switch d.Op {
	case event.Update:
		return d.Old != nil && w.asks(d, d.Old) == in
	case event.Resync:
		return is == in // the state is the one before
	}
	return false
}

// lastOf is selected for an object that is deleted: that of a member is a delete, with its last
// state in the set.
func (w *worker) lastOf(d *informer.Delivery) (e event.Event, ok bool) {
	e = d.Event
	known, remembered := w.route.members.get(e.Object.Key())
	inferred := !remembered && !w.route.members.moving
	last := unknown
	if inferred || known.in && d.Before != nil {
		last = w.asks(d, d.Object)
	}
	switch {
	case !inferred:
		ok = known.in
		if ok && last == out && d.Before != nil {
			e.Object = d.Before // it has left the set with events that were missed
		}
	case last == in:
		ok = true
	case d.Before != nil && w.asks(d, d.Before) == in:
		e.Object, ok = d.Before, true // the same
	}
	if !ok {
		w.route.unselected(d)
	}
	return e, ok
}

// unselected counts an event that means nothing to the listener.
func (r *Route) unselected(d *informer.Delivery) {
	if !d.Recalled {
		r.stats.unselected.Add(1)
	}
}

// looksAround reports whether an expression's answer may change although the object does not.
func looksAround(f *filters.Filter) bool {
	return f != nil && (f.UsesClock() || len(f.Informers()) > 0)
}
