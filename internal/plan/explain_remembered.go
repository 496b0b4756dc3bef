package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// asks notes what a running informerd knows of the object, if one was asked. Rules go on with that.
func (x *explained) asks(cfg *config.Config, q Question, o *object.Object) {
	if q.Running == nil {
		return
	}
	x.known = x.Ask(q.Running, answer.Asked{Digest: ListenerDigest(cfg, x.listener),
		UID: o.UID(), Rules: len(x.listener.Rules) > 0, Only: q.Rules, Restart: q.Restart,
		GoesOn: q.GoesOn, Lists: q.Lists}, x.clock)
}

// selectedAsKnown is selects for an object of which it is known whether it was selected.
func (x *explained) selectedAsKnown(e event.Event, is bool) seen {
	knows := "as " + x.known.Who + " knows"
	switch {
	case *x.known.Selected:
		return x.selectedBefore(e, is, knows)
	case e.Op == event.Delete || !is:
		x.Select.Result = "not-selected"
		x.Say("The object was not selected, %s, and is not: nothing comes of the event.", knows)
		x.verdict("not selected")
		if e.Op != event.Delete {
			x.ButIn(x.turning)
		}
		return seen{Event: e}
	}
	x.Select.Result = "enters"
	x.Say("The object was not selected, %s, and is now: to the listener this is an add.", knows)
	if x.supposed {
		x.Say("The running informerd evaluates the select again within 1m.")
	}
	return seen{Event: event.Event{Op: event.Add, Object: e.Object}, selected: true}
}

// selectedBefore is selects for an object that was selected, for a reason.
func (x *explained) selectedBefore(e event.Event, is bool, why string) seen {
	if is || e.Op == event.Delete {
		x.Select.Result = "selected"
		x.Say("The object was selected, %s%s.", why,
			map[bool]string{true: ", and is"}[e.Op != event.Delete])
		return seen{Event: e, selected: true}
	}
	x.Select.Result = "leaves"
	x.Say("The object was selected, %s, and is not any more: to the listener this is a delete.", why)
	if x.supposed {
		x.Say("The running informerd evaluates the select again within 1m.")
	}
	return seen{Event: event.Event{Op: event.Delete, Object: cmp.Or(e.Old, e.Object)},
		selected: true}
}

// goesOn explains what a rule reports of an object of which it remembers something.
func (x *explained) goesOn(told *answer.Rule, r *rules.Rule, e event.Event, is judgement) {
	m, now := told.Remembered, x.clock
	verdict := func(text string) { x.verdict("rule " + r.Name() + ": " + text) }
	if is != kept && m.Violated {
		x.join(told, r, e)
	}
	switch {
	case is == unknown:
		x.keeps(m)
		verdict(x.unknown)
		x.joins(told)
	case is == broken && m.Violated:
		told.Reported = answer.None
		if len(m.Waiting) > 0 {
			told.Reported = answer.OnItsWay
		} else if !m.Next.IsZero() {
			told.Reported = answer.Again
		}
		x.Say("The object violates the rule as before, %s.",
			strings.TrimPrefix(m.Told(now), "violated "))
		if len(m.Waiting) > 0 && x.known.Same {
			x.Say("Why a report waits is shown by: informerd status %s %s", answer.Word(x.file),
				answer.Word(x.listener.Name))
		}
		verdict(m.Told(now))
		x.stays(told, r, e)
		x.joins(told)
	case is == broken:
		told.Reported = answer.Later
		how := fmt.Sprintf("and is reported in %s if that lasts", m.Left(now))
		if m.Due(now) {
			told.Reported, how = answer.Now, "which is reported at once"
		}
		if r.Repeat() > 0 {
			how += fmt.Sprintf(", and again every %s while it lasts", document.Short(r.Repeat()))
		}
		verdict("violated for " + m.Long(now) + ", " + strings.TrimPrefix(how, "and is "))
		at := x.at
		if at.Equal(x.clock) && !m.Due(now) {
			at = m.Next
		}
		r, back := x.asOf(at, r)
		defer back()
		x.reports(told, r, e, fmt.Sprintf("The object has violated the rule for %s, %s",
			m.Long(now), how), false)
	default:
		if x.unseen(r) && m.Violated {
			x.looksAgain()
		}
		x.endsRemembered(told, r, e, cmp.Or(e.Old, e.Object),
			"The object does not violate the rule any more", x.unseen(r))
	}
}

// keeps says what stays remembered, if there was no note of it.
func (x *explained) keeps(m *memory.Rule) {
	switch {
	case x.known.Who == "":
	case m.Violated:
		x.Say("To %s, it is %s.", x.known.Who, m.Told(x.clock))
	default:
		x.Say("To %s, its deny has held for %s.", x.known.Who, m.Long(x.clock))
	}
}

// endsRemembered explains what is reported of the end of what a rule remembers. Then is the last
// known state before that; what says why it ends.
func (x *explained) endsRemembered(told *answer.Rule, r *rules.Rule, e event.Event,
	then *object.Object, what string, unseen bool) {
	m, now := told.Remembered, x.clock
	told.Reported = answer.None
	if !m.Violated {
		x.Say("%s: it violated the rule for %s, and nothing is reported of that.", what,
			m.Long(now))
		return
	}
	told.Reported = answer.Resolved
	if told.Message = m.Message; m.Message == "" {
		told.Message = r.Name()
		if message := r.Message(); message != nil {
			told.Message = messageOf(r, message.Explain(stateOf(then), x.caches))
		}
	}
	x.Say("%s: the violation %s ends, which is reported to the outputs that got it, with its message: %q.",
		what, m.Began(now), told.Message)
	when := ""
	if unseen {
		when = looking
	}
	x.verdict("rule " + r.Name() + ": its violation ends" + when + ": resolved")
	if b := x.messages(); b != nil {
		report := x.reportOf(r, told.Message, false)
		report.Since, report.Severity = m.Since, m.Severe(r.Severity(), x.listener.Outputs)
		ended := b.Rule(e, x.at, report)
		x.sendEndTo(m.To, m.Waiting, &ended)
	}
}

// sendEndTo is send for the end of a violation that some outputs have, and a report of which is on
// its way to others, or waits.
func (x *explained) sendEndTo(have, waiting []string, ended *sink.Message) {
	var outputs []*answer.Output
	var ends []decision
	for _, o := range x.outputs {
		end, name := decide(o, ended), o.Config.Name
		told := &answer.Output{Name: name, Takes: "no"}
		if o.Config.Alertmanager != nil { // an alert keeps its labels, which are not known here
			end.made = nil
		}
		switch {
		case slices.Contains(waiting, name) && end.takes:
			told.Takes = "perhaps"
			told.Why = name + " takes it behind the report of the violation that is on its way, if that arrives"
		case !slices.Contains(have, name) && !slices.Contains(waiting, name):
			told.Why, end = name+" has no report of the violation, and does not get its end either", decision{}
		case end.fails:
			told.Why, told.Fails = end.not, true
		case !end.takes:
			told.Why = name + " has the violation and does not take its end"
		default:
			told.Takes = "yes"
		}
		outputs, ends = append(outputs, told), append(ends, end)
	}
	x.headline("The report of its end", outputs)
	for i, o := range x.outputs {
		x.when(outputs[i], "when, of its end:", ends[i])
		x.yields(outputs[i], o, ends[i].made)
	}
}
