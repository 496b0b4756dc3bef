package plan

import (
	"strings"
	"time"

	"github.com/informerd/informerd/internal/plan/ages"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// seen is an event as the stages behind the select see it, as in a route.
type seen struct {
	event.Event
	selected bool
	unsure   bool     // selected is true, if the object was selected before
	newAs    event.Op // what the event is if unsure, and the object was not selected; 0: nothing
}

// selects returns the event as the stages behind the select see it. What a listener remembers of
// the object is not known here; the old object is used instead.
func (x *explained) selects(f *filters.Filter, e event.Event) seen {
	if f == nil {
		switch {
		case e.Op == event.Add || !x.LeftOut(x.known, e.Op):
			return seen{Event: e, selected: true}
		case e.Op == event.Delete:
			x.verdict("it was not selected")
			return seen{Event: e}
		}
		return seen{Event: event.Event{Op: event.Add, Object: e.Object}, selected: true}
	}
	x.Select = x.Begin()
	result := func(text string) { x.Select.Result = text }
	x.Line("\nselect, of the object:")
	now, decided := x.tree("select", f, stateOf(e.Object))
	is, was, unsure := now.Matched, false, f.LooksAround()
	if e.Op == event.Update && !f.LooksAround() {
		x.Line("\nselect, of the old object:")
		before, known := x.tree("select, of the old object", f, stateOf(e.Old))
		was, decided = before.Matched, decided && known
		unsure = before.Err != nil && x.known.Who == "" // it stayed selected or not, as it was
	}
	if !decided {
		x.verdict("select: " + x.unknown)
		return seen{Event: e}
	}
	if f.LooksAround() {
		x.Say("The select looks at the clock or at other objects: a listener remembers its answer, and evaluates it again every minute.")
	}
	x.turning = x.turns(f, now, e.Object)
	if now.Err != nil {
		x.Say("The select failed: the object stays selected or not, as it was before.")
		switch {
		case len(x.known.Rules) > 0:
			is = true
		case x.known.Selected != nil:
			is = *x.known.Selected
		case e.Op == event.Update && !unsure:
			is = was
		default:
			result("failed")
			x.verdict(map[bool]string{true: "the select fails, so that a new object is not selected",
				false: "the select fails: the object stays selected or not"}[e.Op == event.Add && !x.asIf])
			return seen{Event: e}
		}
	}
	switch {
	case len(x.known.Rules) > 0:
		return x.selectedBefore(e, is, "since a rule remembers it")
	case x.known.Selected != nil:
		return x.selectedAsKnown(e, is)
	case e.Op != event.Add && unsure:
		return x.selectsUnsure(e, is)
	}
	switch {
	case e.Op != event.Update && is:
		result("selected")
	case e.Op != event.Update && f.LooksAround():
		result("not-selected")
		x.Say("The object is not selected yet: nothing comes of the event. If it is selected later, that is an add.")
		x.verdict("not selected yet")
		x.ButIn(x.turning)
		x.orLeaves()
	case e.Op != event.Update:
		result("not-selected")
		x.Say("The object is not selected: nothing comes of the event.")
		x.verdict("not selected")
		x.orLeaves()
	case is && was:
		result("selected")
		x.Say("The object was selected and is: this is an update.")
	case is:
		result("enters")
		x.Say("The object enters the set: to the listener this is an add.")
		e = event.Event{Op: event.Add, Object: e.Object}
	case was:
		result("leaves")
		x.Say("The object leaves the set: to the listener this is a delete of its old state.")
		return seen{Event: event.Event{Op: event.Delete, Object: e.Old}, selected: true}
	default:
		result("not-selected")
		x.Say("The object neither was selected nor is: nothing comes of the event.")
		x.verdict("not selected")
	}
	return seen{Event: e, selected: is}
}

// orLeaves notes what else a start makes of an object that may have been selected before it.
func (x *explained) orLeaves() {
	if x.asIf && x.known.Who != "" && !x.known.Same && x.known.Selected == nil {
		x.Note("if it was selected when informerd stopped, it is a delete after the start.")
	}
}

// selectsUnsure is selects for an object that may have been selected before or not.
func (x *explained) selectsUnsure(e event.Event, is bool) seen {
	as := seen{Event: e, selected: true, unsure: true}
	switch {
	case is && e.Op != event.Delete:
		x.Select.Result, as.newAs = "selected", event.Add
		x.Say("The object is selected. This is %s if it was before, which is not known here; else it is an add.",
			answer.An(e.Op.String()))
		return as
	case is:
		x.Select.Result = "selected"
		x.Say("The object is gone. To the listener this is a delete if it was selected, which is not known here; else nothing comes of the event.")
		return as
	}
	x.Select.Result = "not-selected"
	x.Say("The object is not selected. To the listener this is a delete if it was before, which is not known here; else nothing comes of the event.")
	if e.Op == event.Update {
		as.Object = e.Old
	}
	as.Op, as.Old = event.Delete, nil
	return as
}

// events explains what becomes of the event itself, and of what it is if the object was not
// selected before, where that is not known.
func (x *explained) events(f *filters.Filter, e seen) {
	if !e.selected {
		return
	}
	x.Event = &answer.Event{Op: e.Op.String(), Stage: x.Begin()}
	if !e.unsure {
		x.event(x.Event, f, e.Event)
		return
	}
	x.given, x.IfSelected = ifSelected, true
	x.Line("\nIf the object was selected before, as %s:", answer.An(e.Op.String()))
	x.event(x.Event, f, e.Event)
	if e.newAs == 0 || x.Event.Result == "not-sent" {
		return
	}
	x.given = "if not: "
	x.Line("\nIf the object was not selected before, as %s:", answer.An(e.newAs.String()))
	x.Otherwise = &answer.Event{Op: e.newAs.String(), Stage: x.Begin()}
	x.event(x.Otherwise, f, event.Event{Op: e.newAs, Object: e.Object})
}

// event explains what becomes of an event at the filter.
func (x *explained) event(stage *answer.Event, f *filters.Filter, e event.Event) {
	l := x.listener
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
		x.goes(stage, "\nThere is no filter: the event", e)
		return
	}
	x.Line("\nfilter:")
	result, decided := x.tree("filter", f, e)
	if e.Op != event.Update && x.op != event.Update && answer.ReadsOld(result.Root) {
		pass := ""
		if x.op == event.Add && x.found != nil {
			pass = " Pass --old FILE, the object before."
		}
		x.NoteQuietly("old, changed and became are about updates: an event that is not an update has no changes." + pass)
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
		x.goes(stage, "The event matches: it", e)
	default:
		stage.Result = "does-not-match"
		x.Say("The event does not match.")
		x.verdict(x.named(e) + ": does not match")
	}
}

// turns says when the answer of a state's expression turns to another one by itself, if that is
// found. It returns in how long that is, "" if it says nothing.
func (x *explained) turns(f *filters.Filter, is filters.Explanation, o *object.Object) string {
	after, to, ok := ages.Turn(f, is, x.at, func(later *filters.Filter) filters.Explanation {
		return later.Explain(stateOf(o), x.caches)
	})
	if !ok {
		return ""
	}
	long := ages.Words(after)
	x.Say("If nothing but the time changes, this is %t from %s on, in %s.", to,
		x.at.Add(after).UTC().Format(time.RFC3339), long)
	return long
}
