package route

import (
	"log/slog"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// answer is the select's for one state of an object.
type answer uint8

const (
	out     answer = iota
	in             // the object is selected
	unknown        // the select has failed
)

// isSelected evaluates the select for a state of the delivery's object.
func (w *worker) isSelected(d *informer.Delivery, o *object.Object) (is answer) {
	if w.selector == nil {
		return in
	}
	ok, err := w.selector.Match(event.Event{Op: event.Resync, Object: o})
	switch {
	case err != nil:
		w.route.stats.filterErrors.Add(1)
		w.route.stats.selects.Failed(err)
		w.route.log.Failure(slog.LevelError, d,
			"the select failed, so the object stays selected or not as it was", err)
		return unknown
	case ok:
		is = in
	}
	w.route.stats.selects.Worked()
	return is
}

// selected returns what an event is to a listener for which only the selected objects exist: an
// add when the object enters the set, and a delete of its last state in the set when it leaves, as
// with client-go's FilteringResourceEventHandler. Ok is false if the event concerns no selected
// object.
//
// Whether the object is selected by now is noted in rest and remembered once the event is done. If
// the select looks at the clock or at other objects, or has failed, the object is recalled.
func (w *worker) selected(d *informer.Delivery, rest *progress) (e event.Event, ok bool) {
	e = d.Event
	if p, _ := d.Progress.(*progress); p != nil && p.stored != nil {
		known, _ := w.route.members.get(e.Object.Key())
		return e, known.in && !w.route.leaving.Load()
	}
	if w.selector == nil && w.pipeline.Before == nil {
		return e, true
	}
	if e.Op == event.Delete {
		return w.lastOf(d)
	}
	r, moving := w.route, w.pipeline.moving
	is := w.isSelected(d, e.Object)
	known, remembered := r.members.get(e.Object.Key())
	was := known.in
	if !remembered {
		was = w.was(d, is)
	}
	rest.member = known.after(is, was)
	rest.recallWithin(rest.member.retryDelay(is, moving))
	switch now := rest.member.in; {
	case now && was && known.stale && e.Op == event.Resync:
		e.Op = event.Add // the listener gets all objects again
		return e, true
	case now && was:
		return e, true
	case now:
		e.Op, e.Old = event.Add, nil
		return e, true
	case was:
		if e.Op == event.Update && e.Old != nil && !w.mayHave(d) {
			e.Object = e.Old
		}
		e.Op, e.Old = event.Delete, nil
		return e, true
	case w.mayKnow(d):
		return leaving(e), true
	}
	r.unselected(d)
	return e, false
}

// mayKnow reports whether outputs may have an object that is not selected, and was not before the
// event, from a process that was killed.
func (w *worker) mayKnow(d *informer.Delivery) bool {
	before := w.pipeline.Before
	switch {
	case d.MaybeKnown:
		return true
	case !d.MaybeDelivered || before == nil:
		return false // of a state that was selected, the event comes again
	}
	return before.Select.LooksAround() || w.had(d, d.Object)
}

// mayHave reports whether outputs may have the state after an event from a process that was killed,
// which had another select.
func (w *worker) mayHave(d *informer.Delivery) bool {
	return d.MaybeDelivered && w.pipeline.Before != nil && w.had(d, d.Object)
}

// leaving returns the end of an object of which outputs may have a state that nobody knows.
func leaving(e event.Event) event.Event {
	e.Op, e.Old, e.Initial, e.FinalStateUnknown = event.Delete, nil, false, true
	return e
}

// was reports whether the listener has an object that is not remembered: its state before the event
// says so.
func (w *worker) was(d *informer.Delivery, is answer) bool {
	switch d.Op {
	case event.Update:
		return w.had(d, d.Old)
	case event.Resync: // the state is the one before
		if w.pipeline.Before == nil {
			return is == in && !w.pipeline.moving
		}
		return w.had(d, d.Object)
	}
	return false
}

// had reports whether the listener has an object that is not remembered in a state, by the earlier
// select if there is one. A select that looks at the clock or at other objects has all its objects
// remembered.
func (w *worker) had(d *informer.Delivery, o *object.Object) bool {
	switch before := w.pipeline.Before; {
	case before == nil:
		return o != nil && !w.pipeline.moving && w.isSelected(d, o) == in
	case before.Select == nil:
		return true
	case o == nil || before.Select.LooksAround():
		return false
	}
	ok, err := w.earlier.Match(event.Event{Op: event.Resync, Object: o})
	return ok && err == nil
}

// lastOf is selected for a delete: the delete of a member is one, with its last state in the set.
func (w *worker) lastOf(d *informer.Delivery) (e event.Event, ok bool) {
	e = d.Event
	known, remembered := w.route.members.get(e.Object.Key())
	if !remembered && w.pipeline.Before != nil {
		last := d.Object
		if d.Before != nil {
			last = d.Before // the one that is known, if events were missed
		}
		known.in, remembered = w.had(d, last), true
	}
	inferred := !remembered && !w.pipeline.moving
	last := unknown
	if inferred || known.in && d.Before != nil {
		last = w.isSelected(d, d.Object)
	}
	switch {
	case !inferred:
		ok = known.in
		if ok && last == out && d.Before != nil {
			e.Object = d.Before // it has left the set with events that were missed
		}
	case last == in:
		ok = true
	case d.Before != nil && w.isSelected(d, d.Before) == in:
		e.Object, ok = d.Before, true // the same
	}
	if !ok && d.MaybeKnown {
		return leaving(e), true
	}
	if !ok {
		w.route.unselected(d)
	}
	return e, ok
}

// unselected counts an event that concerns no selected object.
func (r *Route) unselected(d *informer.Delivery) {
	if !d.Recalled {
		r.stats.unselected.Add(1)
	}
}
