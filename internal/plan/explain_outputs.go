package plan

import (
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
		x.Line(0, "%s goes to the handler %s.", what, h.Wasm)
		return
	}
	if b := x.messages(); b != nil {
		m := b.Event(e, time.Now())
		x.send(what, &m)
	}
}

// report writes which outputs take what a rule reports. What begins the sentence.
func (x *explained) report(what string, e event.Event, r sink.Report) {
	if b := x.messages(); b != nil {
		m := b.Rule(e, time.Now(), r)
		x.send(what, &m)
	}
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
		if takes {
			x.makes(o, &view)
		}
	}
}

// maxShownText is how much is shown of what an output's expression yields, in characters.
const maxShownText = 1000

// makes writes what an output's expressions make of a message.
func (x *explained) makes(o *Output, m *filters.Message) {
	x.made(o, "data", o.Data, (*filters.Evaluator).JSONOf, m)
	x.made(o, "nats.subject", o.Subject, (*filters.Evaluator).TextOf, m)
	x.made(o, "patch.patch", o.Patch, (*filters.Evaluator).JSONOf, m)
	x.made(o, "slack.text", o.Text, (*filters.Evaluator).TextOf, m)
	for _, name := range slices.Sorted(maps.Keys(o.Labels)) {
		x.made(o, "alertmanager.labels."+name, o.Labels[name], (*filters.Evaluator).TextOf, m)
	}
}

// made writes what one of an output's expressions yields, if it has it.
func (x *explained) made(o *Output, field string, f *filters.Filter,
	yields func(*filters.Evaluator, *filters.Message) (string, error), m *filters.Message) {
	if f == nil {
		return
	}
	x.Line(0, "\noutput %s, %s:", o.Config.Name, field)
	text, err := yields(f.Evaluator(), m)
	if err != nil {
		x.Line(0, "error: %v\nThe message becomes a dead letter.", err)
		return
	}
	if all := []rune(text); len(all) > maxShownText {
		text = string(all[:maxShownText]) + "…"
	}
	if text == "" {
		text = "(nothing: the value is nil or an empty text)"
	}
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		text = strconv.Quote(text)
	}
	x.Line(0, "%s", text)
}
