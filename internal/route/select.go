package route

import (
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// selected makes of an event what it means to a listener for which there is nothing but the selected objects: an update
// with which an object enters the set is an add, one with which it leaves it is a delete of its last state in the set, as
// with client-go's FilteringResourceEventHandler. Ok is false if the event means nothing to it.
//
// A select that fails for a state says that it is not in the set.
func (w *worker) selected(d *informer.Delivery) (e event.Event, ok bool) {
	e = d.Event
	if w.selector == nil {
		return e, true
	}
	is := w.selects(e, e.Object)
	switch e.Op {
	case event.Update:
		switch was := w.selects(e, e.Old); {
		case is && !was:
			e.Op, e.Old = event.Add, nil
		case !is && was:
			e.Op, e.Object, e.Old = event.Delete, e.Old, nil
		}
		ok = e.Op != event.Update || is
	case event.Delete:
		ok = is
		if !is && d.Before != nil && w.selects(e, d.Before) {
			// It has left the set with events that were missed.
			e.Object, ok = d.Before, true
		}
	default:
		ok = is
	}
	if !ok {
		w.route.stats.unselected.Add(1)
	}
	return e, ok
}

// selects asks about one state.
func (w *worker) selects(e event.Event, o *event.Object) bool {
	ok, err := w.selector.Match(event.Event{Op: event.Resync, Object: o})
	if err != nil {
		w.route.stats.filterErrors.Add(1)
		w.route.expressionFailed(e, "the select failed, so the object is not selected", err)
		return false
	}
	return ok
}
