package plan

import (
	"strings"

	"github.com/informerd/informerd/internal/plan/scope"
	"github.com/informerd/informerd/pkg/informer/event"
)

// asWatched returns the event that the informer makes of one: an update that takes an object out of
// what it watches is a delete, one that brings it in an add. With reasons, it makes none.
// What is supposed to be added may be what a reload takes out of what it watches.
func (x *explained) asWatched(e event.Event, supposed bool) (_ event.Event, reasons []string) {
	inf := x.listener.Informer()
	reasons = scope.Outside(inf, e.Object)
	switch {
	case supposed && x.known.Change == "reload" && len(reasons) > 0 &&
		(x.known.Selected == nil || *x.known.Selected):
		x.Note("the running informerd watches the object, and does not after the reload, so this is a delete: " +
			strings.Join(reasons, "; "))
		return event.Event{Op: event.Delete, Object: e.Object}, nil
	case e.Op != event.Update:
		return e, reasons
	}
	was := scope.Outside(inf, e.Old)
	switch {
	case len(reasons) > 0 && len(was) == 0:
		x.Note("the update takes the object out of what the informer watches, so this is a delete: " +
			strings.Join(reasons, "; "))
		return event.Event{Op: event.Delete, Object: e.Old}, nil
	case len(reasons) == 0 && len(was) > 0:
		x.Note("the update brings the object into what the informer watches, so this is an add: " +
			strings.Join(was, "; "))
		return event.Event{Op: event.Add, Object: e.Object}, nil
	}
	return e, reasons
}
