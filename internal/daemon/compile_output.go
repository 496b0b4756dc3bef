package daemon

import (
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// outputPlan is one output of a plan.
type outputPlan struct {
	cfg         *config.Output
	field       string // of the output in the configuration
	when, data  *filters.Filter
	subject     *filters.Filter            // of nats
	patch       *filters.Filter            // of patch
	text        *filters.Filter            // of slack
	labels      map[string]*filters.Filter // of alertmanager
	expressions []compiledExpression       // all of them
}

// newOutputCompiler returns a compiler of an output's expressions. If the listeners that use the
// output are not about the same objects, expressions may read any field.
func newOutputCompiler(cfg *config.Config, o *config.Output, schemas Schemas) *compiler {
	c := &compiler{section: section{config: cfg, field: "outputs." + o.Name},
		events: filters.Expression{Output: o.Name, Cluster: cfg.Cluster.Name}}
	var informers []*config.Informer
	var on event.OpSet
	reports := false
	for _, l := range cfg.ListenersInOrder() {
		if slices.Contains(l.Outputs, o.Name) && l.Informer() != nil {
			informers = append(informers, l.Informer())
			reports = reports || len(l.Rules) > 0
			for _, op := range l.On {
				on = on.With(op)
			}
		}
	}
	if !reports { // a rule reports whatever happens
		c.events.On = on
	}
	if len(informers) == 0 {
		return c
	}
	first := informers[0]
	if !slices.ContainsFunc(informers, func(inf *config.Informer) bool {
		return inf.Resource != first.Resource || inf.Scope().Drop != first.Scope().Drop ||
			inf.KeepManagedFields != first.KeepManagedFields
	}) {
		c.events.Dropped, c.events.Schema = droppedBy(first), schemaOf(first, schemas)
	}
	return c
}

// output compiles all expressions of an output.
func (c *compiler) output(o *config.Output) *outputPlan {
	p := &outputPlan{cfg: o, field: c.field,
		when: c.expression(".when", o.When, filters.KindWhen),
		data: c.expression(".data", o.Data, filters.KindData),
	}
	if o.NATS != nil {
		p.subject = c.expression(".nats.subject", o.NATS.Subject, filters.KindText)
	}
	if o.Patch != nil {
		p.patch = c.expression(".patch.patch", o.Patch.Patch, filters.KindData)
	}
	if o.Slack != nil {
		p.text = c.expression(".slack.text", o.Slack.Text, filters.KindText)
	}
	if o.Alertmanager != nil {
		p.labels = make(map[string]*filters.Filter, len(o.Alertmanager.Labels))
		for _, name := range slices.Sorted(maps.Keys(o.Alertmanager.Labels)) {
			p.labels[name] = c.expression(".alertmanager.labels."+name,
				o.Alertmanager.Labels[name], filters.KindText)
		}
	}
	p.expressions = c.expressions
	return p
}
