package plan

import (
	"cmp"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/texts"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Output is one output of a plan.
type Output struct {
	Config      *config.Output
	Field       string // of the output in the configuration
	When, Data  *filters.Filter
	Subject     *filters.Filter            // of nats
	Patch       *filters.Filter            // of patch
	Text        *filters.Filter            // of slack
	Labels      map[string]*filters.Filter // of alertmanager
	Expressions []Expression               // all of them
}

// newOutputCompiler returns a compiler of an output's expressions. If the listeners that use the
// output are not about the same objects, expressions may read any field.
func newOutputCompiler(cfg *config.Config, o *config.Output, schemas Schemas) *compiler {
	c := &compiler{Section: Section{Config: cfg, Field: "outputs." + o.Name},
		events: filters.Expression{Output: o.Name, Cluster: cfg.Cluster.Name,
			Ends: o.Alertmanager != nil}}
	var informers []*config.Informer
	var listeners []*config.Listener
	var on event.OpSet
	reports := false
	for _, l := range cfg.ListenersInOrder() {
		if slices.Contains(l.Outputs, o.Name) && l.Informer() != nil {
			informers = append(informers, l.Informer())
			listeners = append(listeners, l)
			reports = reports || len(l.Rules) > 0
			c.events.Given = append(c.events.Given, l.Select.Text, l.Filter.Text,
				l.Informer().LabelSelector, o.When.Text)
			for _, r := range l.Rules {
				c.events.Given = append(c.events.Given, r.Deny.Text)
			}
			on |= passing(cfg, l)
		}
	}
	if !reports { // a rule reports whatever happens
		c.events.On = on
	}
	c.events.NoData = len(listeners) > 0 && !slices.ContainsFunc(listeners,
		func(l *config.Listener) bool { return l.Handler != nil })
	c.events.Texts, c.events.Severities = texts.Of(listeners), texts.Severities(listeners)
	if len(informers) == 0 {
		return c
	}
	first := informers[0]
	if !slices.ContainsFunc(informers, func(inf *config.Informer) bool {
		return inf.Resource != first.Resource || inf.Scope().Drop != first.Scope().Drop ||
			inf.KeepManagedFields != first.KeepManagedFields
	}) {
		c.events.Dropped, c.events.Schema = droppedBy(first), schemaOf(first, schemas)
		c.events.Objects = kindOf(first, schemas).Kind
	}
	return c
}

// passing returns the ops of the events that a listener hands on.
func passing(cfg *config.Config, l *config.Listener) event.OpSet {
	if l.Filter.IsZero() || l.Handler != nil {
		return l.Ops()
	}
	f, err := filters.Compile(newCompiler(cfg, l, nil).source(l.Filter, filters.KindFilter))
	if err != nil { // it is reported as the listener's
		return l.Ops()
	}
	return l.Ops() & f.Conditions().Ops
}

// output compiles all expressions of an output.
func (c *compiler) output(o *config.Output) *Output {
	p := &Output{Config: o, Field: c.Field, When: c.expression(".when", o.When, filters.KindWhen)}
	if o.Patch != nil {
		if c.events.Patch = cmp.Or(o.Patch.Type, config.PatchApply); !o.Patch.Patch.IsZero() {
			p.Patch = c.expression(".patch.patch", o.Patch.Patch, filters.KindData)
			c.events.Patch = "" // then data is for nothing but what explain shows
		}
	}
	p.Data = c.expression(".data", o.Data, filters.KindData)
	c.events.Patch = ""
	if o.NATS != nil {
		p.Subject = c.textCalled("subject", "subject", ".nats.subject", o.NATS.Subject)
	}
	if o.Slack != nil {
		p.Text = c.expression(".slack.text", o.Slack.Text, filters.KindText)
	}
	if o.Alertmanager != nil {
		p.Labels = make(map[string]*filters.Filter, len(o.Alertmanager.Labels))
		for _, name := range slices.Sorted(maps.Keys(o.Alertmanager.Labels)) {
			p.Labels[name] = c.textCalled("label", name, ".alertmanager.labels."+name,
				o.Alertmanager.Labels[name])
		}
	}
	p.Expressions = c.expressions
	return p
}
