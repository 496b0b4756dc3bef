package plan

import (
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/delivery"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
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
		x.Line(0, "%s goes to the handler %s.", what, h.Wasm)
		return
	}
	if x.outputs == nil {
		x.Line(0, "%s goes to the outputs %s.", what, strings.Join(x.listener.Outputs, ", "))
		return
	}
	if b := x.messages(); b != nil {
		m := b.Event(e, time.Now())
		x.send(what, &m)
	}
}

// report writes which outputs take the report of a violation.
func (x *explained) report(r *rules.Rule, e event.Event, message string) {
	asked := false // else all of them take it, which goes without saying
	for _, o := range x.outputs {
		asked = asked || o.When != nil || o.Data != nil
	}
	b := x.messages()
	if !asked || b == nil {
		return
	}
	now := time.Now()
	if r.For() > 0 { // it is reported since time has passed
		e.Op, e.Old = 0, nil
	}
	m := b.Rule(e, now, sink.Report{Rule: r.Name(), Severity: r.Severity(), Message: message,
		Violated: true, Since: now.Add(-r.For())})
	x.send("The report", &m)
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
		Resource: resource})
	if err != nil && x.Err == nil {
		x.Err = err
	}
	return b
}

// send writes which outputs take a message, and how their expressions evaluate it.
func (x *explained) send(what string, m *sink.Message) {
	var view filters.Message
	delivery.View(&view, m)
	var to, not []string
	whens := map[*Output]filters.Explanation{}
	for _, o := range x.outputs {
		name := o.Config.Name
		if o.Config.Alertmanager != nil && m.Report == nil {
			not = append(not, name+" takes only reports of rules")
			continue
		}
		if o.When == nil {
			to = append(to, name)
			continue
		}
		switch whens[o] = o.When.ExplainMessage(&view); {
		case whens[o].Err != nil:
			not = append(not, "the when of "+name+" fails, which makes a dead letter")
		case whens[o].Matched:
			to = append(to, name)
		default:
			not = append(not, name+" does not take it")
		}
	}
	goes := "to no output"
	if len(to) > 0 {
		goes = "to the outputs " + strings.Join(to, ", ")
	}
	x.Line(0, "%s goes %s.", what, strings.Join(append([]string{goes}, not...), "; "))
	for _, o := range x.outputs {
		when, asked := whens[o]
		if asked {
			x.Line(0, "\noutput %s, when:", o.Config.Name)
			if x.Err == nil {
				x.Err = when.Write(x)
			}
		}
		takes := !asked && (m.Report != nil || o.Config.Alertmanager == nil) ||
			asked && when.Err == nil && when.Matched
		if o.Data != nil && takes {
			x.data(o, &view)
		}
	}
}

// maxShownData is how much of an output's data is shown, in characters.
const maxShownData = 1000

// data writes what an output sends of a message.
func (x *explained) data(o *Output, m *filters.Message) {
	x.Line(0, "\noutput %s, data:", o.Config.Name)
	text, err := o.Data.Evaluator().JSONOf(m)
	if err != nil {
		x.Line(0, "error: %v\nThe message becomes a dead letter.", err)
		return
	}
	if all := []rune(text); len(all) > maxShownData {
		text = string(all[:maxShownData]) + "…"
	}
	x.Line(0, "%s", text)
}
