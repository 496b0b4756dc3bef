package plan

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/kubernetesevent"
	"github.com/informerd/informerd/internal/sink/slack"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// outputsOf compiles the expressions of a listener's outputs.
func outputsOf(cfg *config.Config, l *config.Listener, schemas Schemas, now time.Time,
	mistakes *config.Errors) (all []*Output) {
	for _, name := range l.Outputs {
		o := cfg.Outputs[name]
		if o == nil { // of a later configuration than the listener's
			continue
		}
		c := newOutputCompiler(cfg, o, schemas)
		c.events.Now = now
		all = append(all, c.output(o))
		*mistakes = append(*mistakes, c.Mistakes...)
	}
	return all
}

// goes explains where an event goes that the listener passes on. What begins the sentence.
func (x *explained) goes(stage *answer.Event, what string, e event.Event) {
	if h := x.listener.Handler; h != nil {
		stage.Handler = h.Wasm
		x.Say("%s goes to the handler %s. What that emits goes to %s; to see it: %s",
			what, h.Wasm, answer.Names(x.listener.Outputs),
			x.source.TryHandler(x.file, x.listener, e.Op.String(), e.Initial))
		x.verdict(x.named(e) + " -> the handler")
		return
	}
	text := x.named(e)
	if x.moves() {
		text += looking
	}
	x.verdict(text)
	if b := x.messages(); b != nil {
		m := b.Event(e, x.at)
		x.send(what, &m)
	}
}

// named returns the op of the event that a listener gets, with the one that it was.
func (x *explained) named(e event.Event) string {
	was, has := x.known.Selected, x.asIf && (x.known.Same || x.known.Change != "")
	switch {
	case has && (x.known.Same || was == nil || *was) && e.Op == x.op && !x.enters():
		x.Supposed = true // a running informerd has the object
		return "if it were added now: " + e.Op.String()
	case e.Op != x.op && !has: // else by the clock, a reload or another object
		return e.Op.String() + " by " + x.op.String()
	}
	return e.Op.String()
}

// messages returns what makes the listener's messages, nil if it cannot be made.
func (x *explained) messages() *cloudevent.Builder {
	resource := strings.ToLower(x.listener.Informer().Resource)
	if text, known := kinds.Text(resource); known {
		resource = text
	}
	b, err := cloudevent.NewBuilder(sink.Origin{Cluster: x.cluster, Listener: x.listener.Name,
		Resource: resource, Kind: x.object.Kind()})
	if err != nil && x.err == nil {
		x.err = err
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
	field string // its title in the text
	text  string
	err   error
	json  bool   // the text is JSON
	as    string // the field in JSON, if that is another
	of    any    // the value in JSON, if that is another
}

// decide returns what an output makes of a message.
func decide(o *Output, m *sink.Message) (d decision) {
	name := o.Config.Name
	switch _, shows := kubernetesevent.Show(m); {
	case o.Config.Alertmanager != nil && m.Report == nil:
		d.not = name + " takes only reports of rules"
	case !shows && o.Config.KubernetesEvent != nil:
		d.not = name + " creates no Event about an Event of informerd"
	case o.Config.Patch != nil && m.Op == event.Delete:
		d.not = name + " patches nothing, since a deleted object cannot be patched"
	}
	if d.not != "" {
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
		switch {
		case made.err != nil:
			d.fails, d.not = true, "the "+made.field+" of "+name+" fails, which makes a dead letter"
			return d
		case made.field == "patch.patch" && slices.Contains([]string{"null", "{}", "[]"}, made.text):
			d.not = name + " patches nothing: its patch is " + made.text
			return d
		}
	}
	d.takes = true
	return d
}

// makes returns what an output's expressions make of a message.
func makes(o *Output, view *filters.Message, m *sink.Message) (all []made) {
	text := func(field string, f *filters.Filter) {
		if f != nil {
			text, err := f.Evaluator().TextOf(view)
			all = append(all, made{field: field, text: text, err: err})
		}
	}
	value := func(field string, f *filters.Filter) {
		if f != nil {
			text, err := f.Evaluator().JSONOf(view)
			all = append(all, made{field: field, text: text, err: err, json: true})
		}
	}
	value("data", o.Data)
	text("nats.subject", o.Subject)
	value("patch.patch", o.Patch)
	text("slack.text", o.Text)
	with := *m // as the output sends it
	if o.Data != nil {
		if all[0].err != nil {
			return all
		}
		with.Body, with.Data = sink.BodyData, all[0].text
	}
	if o.Config.Slack != nil && o.Text == nil {
		all = append(all, made{field: "the text for Slack", text: slack.Text(&with),
			as: "slack.text"})
	}
	for _, name := range slices.Sorted(maps.Keys(o.Labels)) {
		text("alertmanager.labels."+name, o.Labels[name])
	}
	if e, ok := kubernetesevent.Show(&with); ok && o.Config.KubernetesEvent != nil {
		all = append(all, made{field: "the Event on the API server", as: "kubernetesEvent",
			text: e.String(), of: e})
	}
	return all
}
