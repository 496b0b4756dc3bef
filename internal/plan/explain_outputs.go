package plan

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/delivery"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/slack"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// outputsOf compiles the expressions of a listener's outputs.
func outputsOf(cfg *config.Config, l *config.Listener, schemas Schemas,
	mistakes *config.Errors) (all []*Output) {
	for _, name := range l.Outputs {
		c := newOutputCompiler(cfg, cfg.Outputs[name], schemas)
		all = append(all, c.output(cfg.Outputs[name]))
		*mistakes = append(*mistakes, c.Mistakes...)
	}
	return all
}

// goes writes where an event goes that the listener passes on. What begins the sentence.
func (x *explained) goes(what string, e event.Event) {
	if h := x.listener.Handler; h != nil {
		x.Line(0, "%s goes to the handler %s. What that emits goes to %s; to see it: informerd plugin run -c %s -l %s --event OBJECT",
			what, h.Wasm, outputNames(x.listener.Outputs), x.file, x.listener.Name)
		x.verdict(x.named(e) + " -> the handler")
		return
	}
	x.verdict(x.named(e))
	if b := x.messages(); b != nil {
		m := b.Event(e, time.Now())
		x.send(what, &m)
	}
}

// named returns the op of the event that a listener gets, with the one that it was.
func (x *explained) named(e event.Event) string {
	if e.Op != x.op {
		return e.Op.String() + " by " + x.op.String()
	}
	return e.Op.String()
}

// outputNames returns the names of outputs, with what they are.
func outputNames(names []string) string {
	switch len(names) {
	case 0:
		return "no output"
	case 1:
		return "the output " + names[0]
	}
	return "the outputs " + strings.Join(names, ", ")
}

// messages returns what makes the listener's messages, nil if it cannot be made.
func (x *explained) messages() *cloudevent.Builder {
	resource := strings.ToLower(x.listener.Informer().Resource)
	if set, err := openapi.Builtin(); err == nil {
		if known, ok := set.Find(resource); ok {
			if resource = known.Resource; known.Group != "" {
				resource += "." + known.Group
			}
		}
	}
	b, err := cloudevent.NewBuilder(sink.Origin{Cluster: x.cluster, Listener: x.listener.Name,
		Resource: resource, Kind: x.object.Kind()})
	if err != nil && x.Err == nil {
		x.Err = err
	}
	return b
}

// decision is what an output makes of a message.
type decision struct {
	when  *filters.Explanation // nil without one
	takes bool
	fails bool
	not   string // why it does not take it
	made  []made
}

// made is what one of an output's expressions yields.
type made struct {
	field, text string
	err         error
}

// decide returns what an output makes of a message.
func decide(o *Output, m *sink.Message) (d decision) {
	name := o.Config.Name
	if o.Config.Alertmanager != nil && m.Report == nil {
		d.not = name + " takes only reports of rules"
		return d
	}
	var view filters.Message
	delivery.View(&view, m)
	if o.When != nil {
		when := o.When.ExplainMessage(&view)
		switch d.when = &when; {
		case when.Err != nil:
			d.fails, d.not = true, "the when of "+name+" fails, which makes a dead letter"
			return d
		case !when.Matched:
			d.not = name + " does not take it"
			return d
		}
	}
	d.made = makes(o, &view, m)
	for _, made := range d.made {
		if made.err != nil {
			d.fails, d.not = true, "the "+made.field+" of "+name+" fails, which makes a dead letter"
			return d
		}
	}
	d.takes = true
	return d
}

// makes returns what an output's expressions make of a message.
func makes(o *Output, view *filters.Message, m *sink.Message) (all []made) {
	add := func(field string, f *filters.Filter,
		yields func(*filters.Evaluator, *filters.Message) (string, error)) {
		if f != nil {
			text, err := yields(f.Evaluator(), view)
			all = append(all, made{field, text, err})
		}
	}
	add("data", o.Data, (*filters.Evaluator).JSONOf)
	add("nats.subject", o.Subject, (*filters.Evaluator).TextOf)
	add("patch.patch", o.Patch, (*filters.Evaluator).JSONOf)
	add("slack.text", o.Text, (*filters.Evaluator).TextOf)
	if o.Config.Slack != nil && o.Text == nil {
		all = append(all, made{field: "the text for Slack", text: slack.Text(m)})
	}
	for _, name := range slices.Sorted(maps.Keys(o.Labels)) {
		add("alertmanager.labels."+name, o.Labels[name], (*filters.Evaluator).TextOf)
	}
	return all
}

// send writes which outputs take a message, and how their expressions evaluate it. What begins the
// sentence.
func (x *explained) send(what string, m *sink.Message) {
	var to, not []string
	var decisions []decision
	for _, o := range x.outputs {
		d := decide(o, m)
		if decisions = append(decisions, d); d.takes {
			to = append(to, o.Config.Name)
		} else {
			not = append(not, d.not)
		}
	}
	x.headline(what, to, not)
	for i, o := range x.outputs {
		x.when(o, "when:", decisions[i].when)
		x.yields(o, decisions[i].made)
	}
}

// sendEnd is send for the end of a violation, which only outputs get that took the violation. Both
// are judged here by what is known: the violation by the state before its end, and by each event
// that may have begun it.
func (x *explained) sendEnd(began []sink.Message, ended *sink.Message) {
	var to, not []string
	var begins, ends []decision
	for _, o := range x.outputs {
		begin, same := decide(o, &began[0]), true
		for i := range began[1:] {
			same = same && decide(o, &began[i+1]).takes == begin.takes
		}
		end := decide(o, ended)
		switch name := o.Config.Name; {
		case same && !begin.takes:
			not = append(not, name+" does not take the violation, and so not its end")
		case end.fails:
			not = append(not, end.not)
		case !end.takes && same:
			not = append(not, name+" has the violation and does not take its end")
		case !end.takes:
			not = append(not, name+" does not take it")
		case !same:
			not = append(not, name+" takes it if it has the violation, which depends on the event that began it")
			begin.takes = true
		default:
			to = append(to, name)
		}
		if o.Config.Alertmanager != nil { // an alert keeps its labels
			end.made = begin.made
		}
		begins, ends = append(begins, begin), append(ends, end)
	}
	x.headline("The report of its end", to, not)
	for i, o := range x.outputs {
		if !begins[i].takes {
			x.when(o, "when, of the violation:", begins[i].when)
			continue
		}
		x.when(o, "when, of its end:", ends[i].when)
		x.yields(o, ends[i].made)
	}
}

// headline writes who takes a message, and who does not.
func (x *explained) headline(what string, to, not []string) {
	text := strings.Join(append([]string{"to " + outputNames(to)}, not...), "; ")
	x.Line(0, "%s goes %s.", what, text)
	last := len(x.verdicts) - 1
	x.verdicts[last] += " -> " + cmp.Or(strings.Join(to, ", "), "no output")
	if len(not) > 0 {
		x.verdicts[last] += " (" + strings.Join(not, ", ") + ")"
	}
}

// when writes how an output's when evaluates a message.
func (x *explained) when(o *Output, field string, when *filters.Explanation) {
	if when == nil {
		return
	}
	x.Line(0, "\noutput %s, %s", o.Config.Name, field)
	if x.Err == nil {
		x.Err = when.Write(x)
	}
}

// maxShownText is how much is shown of what an output's expression yields, in characters.
const maxShownText = 1000

// yields writes what an output's expressions yield.
func (x *explained) yields(o *Output, all []made) {
	for _, m := range all {
		x.Line(0, "\noutput %s, %s:", o.Config.Name, m.field)
		text := m.text
		switch {
		case m.err != nil:
			x.Line(0, "error: %v\nThe message becomes a dead letter.", m.err)
			continue
		case text == "" && strings.HasPrefix(m.field, "alertmanager.labels."):
			text = "(nothing: the alert does not have this label)"
		case text == "":
			text = "(nothing: the value is nil or an empty text)"
		}
		if all := []rune(text); len(all) > maxShownText {
			text = string(all[:maxShownText]) + "…"
		}
		if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
			text = strconv.Quote(text)
		}
		x.Line(0, "%s", text)
	}
}
