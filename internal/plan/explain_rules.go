package plan

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// judgement is what a rule's deny says of a state of an object.
type judgement uint8

const (
	unknown judgement = iota // it failed, depends on what is not known, or was not asked
	kept
	broken
)

// moves reports whether an expression's answer may change although the object does not. What it was
// earlier cannot be told now.
func moves(f *filters.Filter) bool { return f.UsesClock() || len(f.Informers()) > 0 }

// rule writes what a rule reports of an event. What a listener remembers of the object is not known
// here; the old object of an update is judged instead, unless that may have been judged in another
// way at its time.
func (x *explained) rule(r *rules.Rule, e event.Event, selected bool) {
	switch {
	case !selected:
		return
	case e.Op == event.Delete:
		x.ends(r, e)
		return
	}
	is := x.judge(r, "", e.Object, "what is known of the object stays as it is.")
	was := kept // an object that is new to the rule has violated nothing
	switch {
	case e.Op != event.Update || is == unknown:
	case moves(r.Deny()):
		x.Line(0, "The rule looks at the clock or at other objects: it is evaluated again every minute, and what it was before this update is not known here.")
		was = unknown
	default:
		was = x.judge(r, ", of the old object", e.Old, "what was known of the object stayed as it was.")
	}
	switch {
	case is == unknown:
		x.verdict("rule " + r.Name() + ": cannot be told")
	case is == broken:
		x.violated(r, e, was)
	case was == broken:
		x.resolved(r, e, e.Old,
			"The object violated the rule before this update, and does not any more: the violation is resolved")
	case was == unknown:
		x.Line(0, "The object does not violate the rule. If it did before, that is resolved, which is reported to the outputs that got it.")
	default:
		x.Line(0, "The object does not violate the rule.")
	}
}

// judge writes what a rule's deny says of a state of the object, and fails if it fails. Whose names
// the state, if it is not that of the event.
func (x *explained) judge(r *rules.Rule, whose string, o *object.Object, fails string) judgement {
	x.Line(0, "\nrule %s (%s), deny%s:", r.Name(), r.Severity(), whose)
	switch deny, decided := x.tree(r.Deny(), stateOf(o)); {
	case !decided:
		return unknown
	case deny.Err != nil:
		x.Line(0, "The rule failed: %s", fails)
		return unknown
	case deny.Matched:
		return broken
	}
	return kept
}

// stateOf returns the event with which a rule's expressions look at a state of an object.
func stateOf(o *object.Object) event.Event { return event.Event{Op: event.Resync, Object: o} }

// violated writes what is reported of an object that violates a rule.
func (x *explained) violated(r *rules.Rule, e event.Event, was judgement) {
	again := ""
	if r.Repeat() > 0 {
		again = fmt.Sprintf(", and again every %v while that lasts", r.Repeat())
	}
	if was == broken && r.For() == 0 {
		again = cmp.Or(strings.TrimPrefix(again, ","), " not reported again")
		x.Line(0, "The object violated the rule before this update, too: it is%s.",
			strings.Replace(again, " and again", " reported again", 1))
		x.verdict("rule " + r.Name() + ": violated as before")
		return
	}
	how := "which is reported at once"
	switch {
	case r.For() > 0:
		how = fmt.Sprintf("which is reported when it has lasted for %v", r.For())
	case was == unknown:
		how += ", unless it did so before this update"
	}
	x.verdict("rule " + r.Name() + ": violated, " + how + again)
	how = "The object violates the rule, " + how + again
	if was == broken {
		how = fmt.Sprintf("The object violated the rule before this update, too, so its time goes on: it is reported when it has lasted for %v%s", r.For(), again)
	}
	message := r.Name()
	if m := r.Message(); m != nil {
		x.Line(0, "\nrule %s, message:", r.Name())
		text, decided := x.tree(m, stateOf(e.Object))
		if !decided {
			x.Line(0, "%s.", how)
			return
		}
		message = messageOf(r, text)
	}
	x.Line(0, "%s: %q", how, message)
	if r.For() > 0 { // it is reported since time has passed
		e.Op, e.Old = 0, nil
	}
	if b := x.messages(); b != nil {
		m := b.Rule(e, time.Now(), reportOf(r, message, true))
		x.send("The report", &m)
	}
}

// messageOf returns the message of a report, which has the rule's name if the expression has none.
func messageOf(r *rules.Rule, text filters.Explanation) string {
	if text.Err != nil || text.Value == "" {
		return r.Name()
	}
	return text.Value
}

// reportOf returns a report of a violation that began just now, or as long ago as the rule's for.
func reportOf(r *rules.Rule, message string, violated bool) sink.Report {
	return sink.Report{Rule: r.Name(), Severity: r.Severity(), Message: message,
		Violated: violated, Since: time.Now().Add(-r.For())}
}

// ends writes what is reported of an object that is gone, or has left the set.
func (x *explained) ends(r *rules.Rule, e event.Event) {
	gone := "The object is gone"
	if x.op != event.Delete {
		gone = "The object has left what the listener looks at"
	}
	last := x.judge(r, ", of its last state", e.Object, "what was known of the object stayed as it was.")
	then := e.Object
	e.Object = x.object
	switch {
	case last == broken && moves(r.Deny()):
		x.resolved(r, e, then, gone+": an open violation, if there is one, is resolved")
	case last == broken:
		x.resolved(r, e, then, gone+": the violation is resolved")
	case last == unknown || moves(r.Deny()):
		x.Line(0, "%s: an open violation is resolved, which is reported to the outputs that got it.",
			gone)
		x.verdict("rule " + r.Name() + ": an open violation is resolved")
	default:
		x.Line(0, "%s, and did not violate the rule: nothing is reported.", gone)
	}
}

// resolved writes what is reported of a violation that has ended. Then is the last known state in
// which the object violated the rule.
func (x *explained) resolved(r *rules.Rule, e event.Event, then *object.Object, what string) {
	lasted, with := "", ""
	if r.For() > 0 {
		lasted = fmt.Sprintf(", if it had lasted for %v", r.For())
	}
	message := r.Name()
	if m := r.Message(); m != nil {
		message = messageOf(r, m.Explain(stateOf(then), x.caches))
		with = fmt.Sprintf(", with the message that it began with (by the state before: %q)", message)
	}
	x.Line(0, "%s, which is reported to the outputs that got it%s%s.", what,
		lasted, with)
	x.verdict("rule " + r.Name() + ": resolved")
	b := x.messages()
	if b == nil {
		return
	}
	now := time.Now()
	var began []sink.Message
	for _, by := range []event.Event{{Op: event.Update, Object: then, Old: then},
		{Op: event.Add, Object: then}, {Object: then}} {
		if r.For() == 0 || by.Op == 0 { // else it was reported since time has passed
			began = append(began, b.Rule(by, now, reportOf(r, message, true)))
		}
	}
	ended := b.Rule(e, now, reportOf(r, message, false))
	x.sendEnd(began, &ended)
}
