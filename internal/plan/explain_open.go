package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// asOf compiles the rules and outputs of a listener for another time: that to which age counts.
func asOf(cfg *config.Config, l *config.Listener, schemas Schemas, at time.Time) ([]*rules.Rule,
	[]*Output) {
	c := newCompiler(cfg, l, schemas)
	c.events.Now = at
	return c.ruleList(), outputsOf(cfg, l, schemas, at, &c.Mistakes)
}

// asOf makes the explanation go on as of the time of a report, until back is called.
func (x *explained) asOf(at time.Time, r *rules.Rule) (then *rules.Rule, back func()) {
	was, outputs := x.at, x.outputs
	back = func() { x.at, x.outputs = was, outputs }
	if at.Equal(was) {
		return r, back
	}
	all, others := x.compiled(at)
	for _, o := range all {
		if o.Name() == r.Name() {
			then = o
		}
	}
	x.at, x.outputs = at, others
	return cmp.Or(then, r), back
}

// stays explains which outputs take the next repeat of a violation that is open as before. If there
// is none, it is the report that they got.
func (x *explained) stays(told *answer.Rule, r *rules.Rule, e event.Event) {
	m := told.Remembered
	at, message := cmp.Or(m.Reported, x.clock), m.Message
	repeated := !m.Next.IsZero() && len(m.Waiting) == 0
	if repeated {
		at, message = m.Next, ""
		if at.Before(x.clock) {
			at = x.clock
		}
	}
	if !x.at.Equal(x.clock) { // another one is asked for
		at = x.at
	}
	r, back := x.asOf(at, r)
	defer back()
	if f := r.Message(); f != nil && message == "" {
		x.Line("\nrule %s, message:", r.Name())
		text, decided := x.tree("message", f, stateOf(e.Object))
		if !decided {
			return
		}
		message = messageOf(r, text)
	}
	told.Message = cmp.Or(message, r.Name())
	b := x.messages()
	if b == nil {
		return
	}
	report := x.reportOf(r, told.Message, true)
	report.Since = m.Since
	if repeated {
		report.Repeats = 1 // or more
	} else {
		report.Severity = m.Severe(r.Severity(), x.listener.Outputs)
	}
	if repeated && !x.overdue(m) || !repeated && r.For() > 0 {
		e.Op, e.Old = 0, nil // it is reported since time has passed
	}
	made := b.Rule(e, at, report)
	if repeated {
		x.Say("The next repeat has the message %q.", told.Message)
		x.send("The next repeat", &made)
		return
	}
	x.Say("Its message is %q.", told.Message)
	x.sendOpen(m, &made)
}

// overdue reports whether what is due of a rule comes with the event, since it could not before.
func (x *explained) overdue(m *memory.Rule) bool {
	return m != nil && !m.Next.IsZero() && !m.Next.After(x.clock) && !x.asIf
}

// sendOpen is send for the report of a violation that outputs have or wait for. What comes of the
// event is not that report.
func (x *explained) sendOpen(m *memory.Rule, made *sink.Message) {
	outputs, decisions := x.decide(made)
	have := slices.Concat(m.To, m.Waiting)
	for _, o := range outputs {
		if o.Takes == "yes" && len(have) > 0 && !slices.Contains(have, o.Name) {
			o.Takes, o.Why = "no", o.Name+" takes such a report, and has none of this violation"
		}
	}
	x.goesTo("Such a report", outputs)
	x.shows(outputs, decisions)
}

// whoTakes returns which of the outputs of some names take a report.
func (x *explained) whoTakes(names []string, e event.Event, report sink.Report) (to []string) {
	b := x.messages()
	if b == nil {
		return nil
	}
	made := b.Rule(e, x.clock, report)
	for _, o := range x.outputs {
		if slices.Contains(names, o.Config.Name) && decide(o, &made).takes {
			to = append(to, o.Config.Name)
		}
	}
	return to
}

// join finds the outputs of a reload that get what is open. The next repeat counts from then.
func (x *explained) join(told *answer.Rule, r *rules.Rule, e event.Event) {
	m := told.Remembered
	report := x.reportOf(r, cmp.Or(m.Message, r.Name()), true)
	report.Since, report.Severity = m.Since, m.Severe(r.Severity(), x.listener.Outputs)
	told.Joins = x.whoTakes(x.known.New(x.listener.Outputs), event.Event{Object: e.Object}, report)
	if len(told.Joins) > 0 && m.Next.After(x.clock) {
		m.Next = x.clock.Add(r.Repeat())
	}
}

// joins says which outputs these are.
func (x *explained) joins(told *answer.Rule) {
	if to := strings.Join(told.Joins, ", "); to != "" {
		x.Say("The %s brings outputs, to which it is reported then: %s.", x.known.Change, to)
		x.Verdicts[len(x.Verdicts)-1] += "; with the " + x.known.Change + " reported to " + to
	}
}

// dropped explains what becomes of open violations of rules that a reload removes, with an event.
func (x *explained) dropped(e event.Event) {
	if x.onlyRules {
		return
	}
	for _, m := range x.known.Dropped(x.listener) {
		to := "no output that the listener has has it"
		if len(m.To) > 0 {
			takes := x.whoTakes(m.To, e, sink.Report{Rule: m.Rule,
				Severity: m.Severity, Message: cmp.Or(m.Message, m.Rule), Since: m.Since})
			to = "resolved -> " + cmp.Or(strings.Join(takes, ", "), "no output")
			x.Ends = x.Ends || len(takes) > 0
		}
		x.Say("The listener does not have the rule %s any more: its violation %s ends with the %s: %s.",
			m.Rule, m.Began(x.clock), x.known.Change, to)
		x.verdict("rule " + m.Rule + ": its violation ends with the " + x.known.Change + ": " + to)
	}
}
