package plan

import (
	"cmp"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
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

// ofOutput returns a compiler of an output's expressions. If the listeners that use the output are
// not about the same objects, expressions may read any field.
func (c *compilation) ofOutput(o *config.Output) *compiler {
	one := &compiler{Section: Section{Config: c.config, Field: "outputs." + o.Name},
		compilation: c, events: filters.Expression{Output: o.Name,
			IsCredential: config.NamesCredential}}
	events := &one.events
	var first *config.Informer
	var listeners []*config.Listener
	var on event.OpSet
	reports, same := false, true
	for _, l := range c.users[o.Name] {
		inf := l.Informer()
		if inf == nil {
			continue
		}
		first = cmp.Or(first, inf)
		same = same && inf.Resource == first.Resource &&
			inf.KeepManagedFields == first.KeepManagedFields &&
			inf.Scope().Drop == first.Scope().Drop
		listeners = append(listeners, l)
		reports = reports || len(l.Rules) > 0
		on |= c.passes(l)
	}
	if !reports { // a rule reports whatever happens
		events.On = on
	}
	events.NoData = len(listeners) > 0 && !slices.ContainsFunc(listeners,
		func(l *config.Listener) bool { return l.Handler != nil })
	events.Texts = messageTexts(listeners)
	if first != nil && same {
		events.Dropped, events.Schema = droppedBy(first), schemaOf(first, c.schemas)
	}
	return one
}

// passes returns the ops of the events that a listener hands on.
func (c *compilation) passes(l *config.Listener) event.OpSet {
	ops, compiled := c.passing[l]
	if !compiled { // its mistakes are reported as the listener's
		ops = passing(l, c.ofListener(l).expression(".filter", l.Filter, filters.KindFilter))
		c.passing[l] = ops
	}
	return ops
}

// passing returns the ops that a listener with a filter, nil for none, hands on.
func passing(l *config.Listener, filter *filters.Filter) event.OpSet {
	if filter == nil || l.Handler != nil {
		return l.Ops()
	}
	return l.Ops() & filter.Conditions().Ops
}

// output compiles all expressions of an output.
func (c *compiler) output(o *config.Output) *Output {
	p := &Output{Config: o, Field: c.Field, When: c.expression(".when", o.When, filters.KindWhen)}
	if o.Patch != nil && !o.Patch.Patch.IsZero() {
		p.Patch = c.expression(".patch.patch", o.Patch.Patch, filters.KindData)
	}
	p.Data = c.expression(".data", o.Data, filters.KindData)
	if o.NATS != nil {
		p.Subject = c.expression(".nats.subject", o.NATS.Subject, filters.KindText)
	}
	if o.Slack != nil {
		p.Text = c.expression(".slack.text", o.Slack.Text, filters.KindText)
	}
	if o.Alertmanager != nil {
		p.Labels = make(map[string]*filters.Filter, len(o.Alertmanager.Labels))
		for _, name := range slices.Sorted(maps.Keys(o.Alertmanager.Labels)) {
			p.Labels[name] = c.expression(".alertmanager.labels."+name,
				o.Alertmanager.Labels[name], filters.KindText)
		}
	}
	p.Expressions = c.expressions
	return p
}
