package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
)

// sinceNow notes that since, if an output looks at that of the message, is not when the violation
// began, and what it is taken to be.
func (x *explained) sinceNow(m *sink.Message, as string) {
	var view filters.Message
	delivery.View(&view, m)
	uses := func(e Expression) bool {
		return sinceWord.MatchString(e.ExplainMessage(&view).Root.Text)
	}
	if slices.Contains(x.since, as) || !slices.ContainsFunc(x.outputs, func(o *Output) bool {
		return slices.ContainsFunc(o.Expressions, uses)
	}) {
		return
	}
	x.since = append(x.since, as)
	x.Note(fmt.Sprintf("since is taken to be %s: when the violation began is not known.", as))
}

var sinceWord = regexp.MustCompile(`\bsince\b`)

// send explains which outputs take a message, and how their expressions evaluate it. What begins
// the sentence.
func (x *explained) send(what string, m *sink.Message) {
	outputs, decisions := x.decide(m)
	x.headline(what, outputs)
	x.shows(outputs, decisions)
}

// decide returns what the outputs make of a message.
func (x *explained) decide(m *sink.Message) (outputs []*answer.Output, decisions []decision) {
	for _, o := range x.outputs {
		d := decide(o, m)
		told := &answer.Output{Name: o.Config.Name, Takes: "no", Why: d.not, Fails: d.fails}
		if d.takes {
			told.Takes = "yes"
		}
		decisions, outputs = append(decisions, d), append(outputs, told)
	}
	return outputs, decisions
}

// shows has the expressions of the outputs.
func (x *explained) shows(outputs []*answer.Output, decisions []decision) {
	for i, o := range x.outputs {
		x.when(outputs[i], "when:", decisions[i])
		x.yields(outputs[i], o, decisions[i].made)
	}
}

// sendEnd is send for the end of a violation, which only outputs get that took the violation. Both
// are judged here by what is known: the violation by the state before its end, and by each event
// that may have begun it.
func (x *explained) sendEnd(began []sink.Message, ended *sink.Message) {
	var outputs []*answer.Output
	var begins, ends []decision
	for _, o := range x.outputs {
		begin, same := decide(o, &began[0]), true
		for i := range began[1:] {
			same = same && decide(o, &began[i+1]).takes == begin.takes
		}
		end := decide(o, ended)
		name := o.Config.Name
		told := &answer.Output{Name: name, Takes: "no"}
		switch {
		case same && !begin.takes:
			told.Why = name + " does not take the violation, and does not get its end either"
		case end.fails:
			told.Why, told.Fails = end.not, true
		case !end.takes && same:
			told.Why = name + " has the violation and does not take its end"
		case !end.takes:
			told.Why = name + " does not take it"
		case !same:
			told.Takes = "perhaps"
			told.Why = name + " takes it if it has the violation, which depends on the event that began it"
			begin.takes = true
		default:
			told.Takes = "yes"
		}
		if o.Config.Alertmanager != nil { // an alert keeps its labels
			end.made = begin.made
		}
		begins, ends = append(begins, begin), append(ends, end)
		outputs = append(outputs, told)
	}
	x.headline("The report of its end", outputs)
	for i, o := range x.outputs {
		if !begins[i].takes {
			x.when(outputs[i], "when, of the violation:", begins[i])
			continue
		}
		x.when(outputs[i], "when, of its end:", ends[i])
		x.yields(outputs[i], o, ends[i].made)
	}
}

// headline says who takes a message, and who does not.
func (x *explained) headline(what string, outputs []*answer.Output) {
	x.goesTo(what, outputs)
	x.Verdicts[len(x.Verdicts)-1] += answer.Goes(outputs)
}

func (x *explained) goesTo(what string, outputs []*answer.Output) {
	var to, not []string
	for _, o := range outputs {
		if o.Takes == "yes" {
			to = append(to, o.Name)
		} else {
			not = append(not, o.Why)
		}
	}
	text := strings.Join(append([]string{"to " + answer.Names(to)}, not...), "; ")
	x.Say("%s goes %s.", what, text)
	x.Sends(outputs)
}

// when has how an output's when evaluates a message.
func (x *explained) when(o *answer.Output, field string, d decision) {
	if d.when != nil {
		x.Line("\noutput %s, %s", o.Name, field)
		x.When(o, *d.when)
		x.written.Read(d.when.Root)
		x.before.Read(d.when.Root)
	}
}

// yields has what an output's expressions yield.
func (x *explained) yields(told *answer.Output, o *Output, all []made) {
	for _, m := range all {
		x.Line("\noutput %s, %s:", o.Config.Name, m.field)
		field, text := cmp.Or(m.as, m.field), m.text
		if m.err != nil {
			told.Yields(field, map[string]string{"error": m.err.Error()})
			x.Line("error: %v\nThe message becomes a dead letter.", m.err)
			continue
		}
		if m.of != nil {
			told.Yields(field, m.of)
		} else if m.json {
			told.Yields(field, json.RawMessage(cmp.Or(text, "null")))
		} else {
			told.Yields(field, text)
		}
		switch {
		case text == "" && strings.HasPrefix(m.field, "alertmanager.labels."):
			text = "(nothing: the alert does not have this label)"
		case text == "":
			text = "(nothing: the value is nil or an empty text)"
		}
		x.Line("%s", answer.Shown(text))
	}
}
