package plan

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/plan/answer"
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

func (j judgement) String() string {
	return [...]string{unknown: answer.Unknown, kept: "kept", broken: "violated"}[j]
}

// rule explains what a rule reports of an event. What a listener remembers of the object is not
// known here; the old object of an update is judged instead, unless that may have been judged in
// another way at its time.
func (x *explained) rule(r *rules.Rule, as seen) {
	if !as.selected {
		return
	}
	e := as.Event
	told := &answer.Rule{Name: r.Name(), Severity: string(r.Severity()), Stage: x.Begin(),
		Reported: answer.Unknown}
	if r.For() > 0 {
		told.For = document.Short(r.For())
	}
	if r.Repeat() > 0 {
		told.Repeat = document.Short(r.Repeat())
	}
	x.Rules = append(x.Rules, told)
	told.Remembered = x.known.Rules.Of(r.Name()).Under(r.For(), r.Repeat())
	if e.Op == event.Delete {
		x.ends(told, r, e, as.unsure || r.Deny().LooksAround())
		return
	}
	fails := "what is known of the object stays as it is."
	if x.op != event.Resync { // nothing has happened that could be replayed
		fails = "that makes a dead letter, and " + fails
	}
	is := x.judge(r, "", e.Object, fails)
	told.Result = is.String()
	told.Bare = is == broken && x.bare && answer.ReadsStatus(x.deny)
	if told.Remembered != nil {
		x.goesOn(told, r, e, is)
		return
	}
	was := kept // an object that is new to the rule has violated nothing
	switch {
	case x.known.Object: // and nothing is open there
	case x.known.Idle, e.Op == event.Resync && (is == broken || r.Deny().LooksAround()):
		was = unknown
	case e.Op != event.Update || is == unknown:
	case r.Deny().LooksAround():
		x.Say("The rule looks at the clock or at other objects: it is evaluated again every minute, and what it was before this update is not known here.")
		was = unknown
	default:
		was = x.judge(r, ", of the old object", e.Old, "what was known of the object stayed as it was.")
		if was == broken && as.unsure { // if it was not selected, the rule did not know it
			was = unknown
		}
	}
	switch {
	case is == unknown:
		x.verdict("rule " + r.Name() + ": " + x.unknown)
	case is == broken:
		x.violated(told, r, e, was)
	case was == broken:
		x.resolved(told, r, e, e.Old,
			"The object violated the rule before this update, and does not any more: the violation is resolved")
	case was == unknown:
		then := e.Object
		if e.Old != nil {
			then = e.Old
		}
		told.Reported = answer.ResolvedIfAny
		x.resolved(told, r, e, then,
			"The object does not violate the rule. If it did before, that is resolved")
	default:
		told.Reported = answer.None
		x.Say("The object does not violate the rule.")
	}
}

// noneViolated returns the verdict for rules of which none reports anything.
func (x *explained) noneViolated(op event.Op, all []*rules.Rule) string {
	switch {
	case x.onlyRules && len(all) == 1 && op != event.Delete && len(x.soon) == 0:
		return "rule " + all[0].Name() + ": not violated"
	case op == event.Delete && x.known.Object:
		return "no violation is open"
	case op == event.Delete:
		return "no rule was violated"
	case len(x.soon) > 0:
		x.Varies = fmt.Sprintf(" (%s)", strings.Join(x.soon, ", "))
		return "no rule is violated yet" + x.Varies
	}
	return "no rule is violated"
}

// judge returns what a rule's deny says of a state of the object, and fails if it fails. Whose
// names the state, if it is not that of the event.
func (x *explained) judge(r *rules.Rule, whose string, o *object.Object, fails string) judgement {
	x.Line("\nrule %s (%s), deny%s:", r.Name(), r.Severity(), whose)
	deny, decided := x.tree("deny"+whose, r.Deny(), stateOf(o))
	switch {
	case !decided:
		return unknown
	case deny.Err != nil:
		x.unknown = "fails: " + strings.TrimSuffix(fails, ".")
		x.Say("The rule failed: %s", fails)
		return unknown
	}
	if whose == "" { // that of another state is over
		x.deny = deny.Root
		in := x.turns(r.Deny(), deny, o)
		if in != "" && !deny.Matched {
			soon := fmt.Sprintf("rule %s in %s, which is seen within 1m", r.Name(), in)
			if r.For() > 0 {
				soon += fmt.Sprintf(" and reported %s later", document.Short(r.For()))
			}
			x.soon = append(x.soon, soon)
		}
	}
	if deny.Matched {
		return broken
	}
	return kept
}

// stateOf returns the event with which a rule's expressions look at a state of an object.
func stateOf(o *object.Object) event.Event { return event.Event{Op: event.Resync, Object: o} }

// violated explains what is reported of an object that violates a rule.
func (x *explained) violated(told *answer.Rule, r *rules.Rule, e event.Event, was judgement) {
	again := ""
	if r.Repeat() > 0 {
		again = fmt.Sprintf(", and again every %s while that lasts", document.Short(r.Repeat()))
	}
	if was == broken && r.For() == 0 {
		told.Reported = answer.None
		if again != "" {
			told.Reported = answer.Again
		}
		again = cmp.Or(strings.TrimPrefix(again, ","), " not reported again")
		x.Say("The object violated the rule before this update, too: it is%s.",
			strings.Replace(again, " and again", " reported again", 1))
		x.verdict("rule " + r.Name() + ": violated as before")
		return
	}
	how := "which is reported at once"
	told.Reported = answer.Now
	switch {
	case r.For() > 0:
		told.Reported = answer.Later
		how = fmt.Sprintf("which is reported when it has lasted for %s", document.Short(r.For()))
	case was == unknown:
		told.Reported = answer.IfNew
		how += ", unless it did so before this update"
	case x.unseen(r):
		how = "which is reported" + looking
	}
	if r.For() > 0 && x.unseen(r) {
		how += ", counted from" + looking
	}
	if was == unknown && (e.Op != event.Update || r.For() > 0) {
		how = strings.TrimSuffix(how, ", unless it did so before this update") +
			", unless that was reported before"
	}
	verdict := "violated, " + how + again
	if told.Bare {
		verdict = "violated as long as it has no status, " + how + again
	}
	how = "The object violates the rule, " + how + again
	if was == broken {
		goes := fmt.Sprintf(
			"reported when it has lasted for %s, unless that was reported already%s",
			document.Short(r.For()), again)
		verdict = "violated as before: " + goes
		how = "The object violated the rule before this update, too, so its time goes on: it is " + goes
	}
	if x.unseen(r) {
		x.looksAgain()
	}
	x.verdict("rule " + r.Name() + ": " + verdict)
	x.reports(told, r, e, how, was != kept)
}

// unseen reports whether a running informerd will see what the rule says only when it evaluates it
// again, or the select: nothing has happened to the object.
func (x *explained) unseen(r *rules.Rule) bool {
	return x.moves() ||
		x.known.Object && x.known.Same && x.op == event.Add && r.Deny().LooksAround()
}

// moves reports whether the object enters or leaves the set when a running informerd evaluates the
// select again: nothing has happened to it.
func (x *explained) moves() bool {
	return x.supposed && (x.enters() || x.Select != nil && x.Select.Result == "leaves")
}

func (x *explained) enters() bool { return x.Select != nil && x.Select.Result == "enters" }

// looking says behind what comes that a running informerd has to look again for it.
const looking = " when the running informerd looks again, within 1m"

// looksAgain says when a running informerd will see what it has not seen.
func (x *explained) looksAgain() {
	if !x.at.Equal(x.clock) {
		x.Say("The running informerd evaluates the rule every minute, and sees this within 1m of that time.")
		return
	}
	x.Say("The running informerd has not seen this yet: it looks again within 1m.")
}

// reports explains what is reported of a violation, and to whom. How begins the sentence. Unsure is
// whether it is not known when the violation began.
func (x *explained) reports(told *answer.Rule, r *rules.Rule, e event.Event, how string,
	unsure bool) {
	message, when := r.Name(), ""
	if told.Remembered == nil && r.For() > 0 { // the report comes when that has passed
		var back func()
		r, back = x.asOf(x.at.Add(r.For()), r)
		defer back()
		if m := r.Message(); m != nil && m.UsesClock() {
			when = ", when it has lasted for " + told.For
		}
	}
	if m := r.Message(); m != nil {
		x.Line("\nrule %s, message%s:", r.Name(), when)
		text, decided := x.tree("message", m, stateOf(e.Object))
		if !decided {
			x.Say("%s. Its message cannot be told, and so not where it goes.", how)
			x.Verdicts[len(x.Verdicts)-1] += "; its message " + x.unknown
			return
		}
		message = messageOf(r, text)
	}
	told.Message = message
	x.Say("%s: %q", how, message)
	if !x.overdue(told.Remembered) && r.For() > 0 {
		e.Op, e.Old = 0, nil // it is reported since time has passed
	}
	if b := x.messages(); b != nil {
		report := x.reportOf(r, message, true)
		if told.Remembered != nil {
			report.Since = told.Remembered.Since
		}
		m := b.Rule(e, x.at, report)
		if unsure {
			x.sinceNow(&m, "the time of this question")
		}
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
func (x *explained) reportOf(r *rules.Rule, message string, violated bool) sink.Report {
	return sink.Report{Rule: r.Name(), Severity: r.Severity(), Message: message,
		Violated: violated, Since: x.at.Add(-r.For())}
}

// ends explains what is reported of an object that is gone, or has left the set.
// Unsure is whether it may have violated no rule, whatever its last state says.
func (x *explained) ends(told *answer.Rule, r *rules.Rule, e event.Event, unsure bool) {
	gone := "The object is gone"
	if x.op != event.Delete {
		gone = "The object has left what the listener looks at"
	}
	last := x.judge(r, ", of its last state", e.Object, "what was known of the object stayed as it was.")
	told.Result = last.String()
	switch {
	case told.Remembered != nil:
		x.endsRemembered(told, r, e, e.Object, gone, x.moves())
	case x.known.Object:
		told.Reported = answer.None
		x.Say("%s, and no violation is open: nothing is reported.", gone)
	case last == broken && !unsure:
		x.resolved(told, r, e, e.Object, gone+": the violation is resolved")
	case last != kept || r.Deny().LooksAround():
		told.Reported = answer.ResolvedIfAny
		x.resolved(told, r, e, e.Object, gone+": an open violation, if there is one, is resolved")
	default:
		told.Reported = answer.None
		x.Say("%s, and did not violate the rule: nothing is reported.", gone)
	}
}

// resolved explains what is reported of a violation that has ended. Then is the last known state in
// which the object violated the rule.
func (x *explained) resolved(told *answer.Rule, r *rules.Rule, e event.Event, then *object.Object,
	what string) {
	lasted, with, verdict, end := "", "", "resolved", ""
	open := "ends an open violation, if there is one"
	if r.For() > 0 {
		long := " lasted for " + document.Short(r.For())
		lasted, open = ", if it had"+long, open+" that had"+long
	}
	switch {
	case told.Reported != answer.ResolvedIfAny:
		told.Reported, verdict = answer.Resolved, verdict+lasted
	case e.Op == event.Delete:
		verdict = open
	default:
		verdict, end = "not violated ("+open, ")"
	}
	message := r.Name()
	if m := r.Message(); m != nil {
		message = messageOf(r, m.Explain(stateOf(then), x.caches))
		with = fmt.Sprintf(", with the message that it began with (by the state before: %q)", message)
	}
	told.Message = message
	x.Say("%s, which is reported to the outputs that got it%s%s.", what,
		lasted, with)
	x.verdict("rule " + r.Name() + ": " + verdict)
	b := x.messages()
	if b == nil {
		return
	}
	now := x.at
	var began []sink.Message
	for _, by := range []event.Event{{Op: event.Update, Object: then, Old: then},
		{Op: event.Add, Object: then}, {Object: then}} {
		if r.For() == 0 || by.Op == 0 { // else it was reported since time has passed
			began = append(began, b.Rule(by, now, x.reportOf(r, message, true)))
		}
	}
	ended := b.Rule(e, now, x.reportOf(r, message, false))
	since := "the time of this question"
	if r.For() > 0 {
		since = told.For + " before " + since
	}
	x.sinceNow(&ended, since)
	x.sendEnd(began, &ended)
	x.Verdicts[len(x.Verdicts)-1] += end
}
