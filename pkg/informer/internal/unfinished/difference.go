package unfinished

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Difference returns what leads from what a listener knows, or may know, of a name to the object
// that is stored, nil if there is none.
func (e Entry) Difference(is *object.Object) (all []buffer.Entry) {
	add := func(ev event.Event, before *object.Object, maybeDelivered bool) {
		ev.Resumed = true
		same := e.Same && ev.Op != event.Delete
		all = append(all, buffer.Entry{Event: ev, Before: before, Since: e.Arrived, MaybeDelivered: maybeDelivered,
			MaybeKnown: maybeDelivered && !same})
	}
	gone := func(o *object.Object) bool { return o != nil && (is == nil || is.UID() != o.UID()) }
	was := e.State
	isWas := func(o *object.Object) bool { return o.UID() == e.State.UID() }
	if gone(was) {
		add(event.Event{Op: event.Delete, Object: was, FinalStateUnknown: true}, was,
			e.Present || slices.ContainsFunc(e.Gone, isWas))
		was = nil
	}
	for _, o := range e.Gone {
		if gone(o) && (e.State == nil || !isWas(o)) {
			add(event.Event{Op: event.Delete, Object: o, FinalStateUnknown: true}, o, true)
		}
	}
	switch {
	case is == nil:
	case was == nil:
		add(event.Event{Op: event.Add, Object: is}, nil, e.Present)
	case !object.SameState(was, is):
		add(event.Event{Op: event.Update, Object: is, Old: was}, nil, e.Present)
	}
	return all
}
