package plan

import (
	"strings"

	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// selects returns the event as the stages behind the select see it, as in a route. What a listener
// remembers of the object is not known here; the old object is used instead.
func (x *explained) selects(f *filters.Filter, e event.Event) (event.Event, bool) {
	if f == nil {
		return e, true
	}
	x.Select = x.Begin()
	result := func(text string) { x.Select.Result = text }
	x.Line("\nselect, of the object:")
	now, decided := x.tree("select", f, event.Event{Op: event.Resync, Object: e.Object})
	is, was := now.Matched, false
	if e.Op == event.Update && !moves(f) {
		x.Line("\nselect, of the old object:")
		before, known := x.tree("select, of the old object", f,
			event.Event{Op: event.Resync, Object: e.Old})
		was, decided = before.Matched, decided && known
	}
	if !decided {
		x.verdict("select: " + x.unknown)
		return e, false
	}
	if moves(f) {
		x.Say("The select looks at the clock or at other objects: a listener remembers its answer, and evaluates it again every minute.")
	}
	switch {
	case now.Err != nil && (e.Op != event.Update || moves(f)):
		result("failed")
		x.verdict("the select fails: the object stays selected or not")
		x.Say("The select failed: the object stays selected or not, as it was before.")
		return e, false
	case now.Err != nil:
		x.Say("The select failed: the object stays selected or not, as it was before.")
		is = was
	case e.Op == event.Update && moves(f) && is:
		result("selected")
		x.Say("The object is selected. This is an update if it was before, which is not known here; else it is an add.")
		return e, true
	case (e.Op == event.Update || e.Op == event.Delete) && moves(f) && !is:
		result("not-selected")
		x.Say("The object is not selected. To the listener this is a delete if it was before, which is not known here; else nothing comes of the event.")
		x.verdict("not selected")
		return e, false
	}
	switch {
	case e.Op != event.Update && is:
		result("selected")
	case e.Op != event.Update:
		result("not-selected")
		x.Say("The object is not selected: nothing comes of the event.")
		x.verdict("not selected")
	case is && was:
		result("selected")
		x.Say("The object was selected and is: this is an update.")
	case is:
		result("enters")
		x.Say("The object enters the set: to the listener this is an add.")
		return event.Event{Op: event.Add, Object: e.Object}, true
	case was:
		result("leaves")
		x.Say("The object leaves the set: to the listener this is a delete of its old state.")
		return event.Event{Op: event.Delete, Object: e.Old}, true
	default:
		result("not-selected")
		x.Say("The object neither was selected nor is: nothing comes of the event.")
		x.verdict("not selected")
	}
	return e, is
}

// event explains what becomes of the event itself.
func (x *explained) event(f *filters.Filter, e event.Event, selected bool) {
	if !selected {
		return
	}
	l, stage := x.listener, x.Begin()
	x.Event = &answer.Event{Op: e.Op.String(), Stage: stage}
	switch {
	case len(l.Rules) > 0 && f == nil && l.Handler == nil:
		stage.Result = "not-sent"
		x.Say("\nThe listener has rules and neither a filter nor a handler: it sends no events.")
		return
	case !l.Ops().Has(e.Op):
		stage.Result = "not-wanted"
		x.Say("\nThe listener wants %s: the event goes no further.",
			strings.Join(words(l.Ops()), ", "))
		if len(l.Rules) == 0 {
			x.verdict(x.named(e) + ": the listener wants " + strings.Join(words(l.Ops()), ", "))
		}
		return
	}
	if f == nil {
		stage.Result = "matches"
		x.goes("\nThere is no filter: the event", e)
		return
	}
	x.Line("\nfilter:")
	result, decided := x.tree("filter", f, e)
	if e.Op != event.Update && x.op != event.Update && f.UsesOld() {
		pass := ""
		if x.op == event.Add && x.found != nil {
			pass = " Pass --old FILE, the object before."
		}
		x.Note("old, changed and became are about updates: an event that is not an update has no changes." + pass)
	}
	switch {
	case !decided:
		x.verdict(x.named(e) + ": " + x.unknown)
	case result.Err != nil:
		stage.Result = "failed"
		x.Say("The filter failed: the event is given up.")
		x.verdict(x.named(e) + ": the filter fails")
	case result.Matched:
		stage.Result = "matches"
		x.goes("The event matches: it", e)
	default:
		stage.Result = "does-not-match"
		x.Say("The event does not match.")
		x.verdict(x.named(e) + ": does not match")
	}
}
