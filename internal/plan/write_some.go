package plan

import (
	"io"
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/plan/shown"
	openapi "github.com/informerd/informerd/internal/schema"
)

// WriteListeners writes the parts of some listeners, with the informers in which their events begin
// or objects are looked up, and with their outputs. Expressions are not shortened.
func (p *Plan) WriteListeners(w io.Writer, names ...string) error {
	known, err := openapi.Builtin()
	if err != nil {
		return err
	}
	out := &shown.Lines{Writer: w, Whole: true}
	first := true
	for _, g := range p.groups(known) {
		listeners, ok := g.some(names)
		if !ok {
			continue
		}
		if !first {
			out.Line(0, "")
		}
		first = false
		g.writeInformer(out)
		for _, l := range listeners {
			g.writeListener(out, l)
		}
	}
	p.writeSome(out, p.outputsOf(names), names)
	return out.Err
}

// some returns those listeners of an informer that have these names, false if the informer is not
// theirs.
func (g *group) some(names []string) (listeners []*Listener, ok bool) {
	listeners = slices.DeleteFunc(slices.Clone(g.listeners), func(l *Listener) bool {
		return !slices.Contains(names, l.Config.Name)
	})
	return listeners, len(listeners) > 0 || slices.ContainsFunc(g.lookups, func(name string) bool {
		return slices.Contains(names, name)
	})
}

// outputsOf returns the outputs of listeners.
func (p *Plan) outputsOf(listeners []string) (outputs []string) {
	for _, l := range p.Listeners {
		if slices.Contains(listeners, l.Config.Name) {
			outputs = append(outputs, l.Config.Outputs...)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(outputs)))
}

// Shown returns the plan as JSON has it, or with names the part of these listeners.
func (p *Plan) Shown(names ...string) (*shown.Plan, error) {
	known, err := openapi.Builtin()
	if err != nil {
		return nil, err
	}
	outputs := p.outputsOf(names)
	if len(names) == 0 {
		outputs = slices.Sorted(maps.Keys(p.Outputs))
		for _, l := range p.Listeners {
			names = append(names, l.Config.Name)
		}
	}
	all := &shown.Plan{Cluster: p.Config.Cluster.Name, Requests: []shown.Request{},
		Process: map[string]string{}}
	for _, s := range shown.Process(p.Config) {
		all.Process[s.Name] = s.Text
	}
	for _, g := range p.groups(known) {
		listeners, ok := g.some(names)
		if !ok {
			continue
		}
		scope := g.informer.Scope()
		inf := shown.Informer{Resource: g.informer.Resource, Known: g.builtin,
			Names: once(g.names), Namespaces: g.informer.Namespaces, Drop: g.informer.Drop,
			LabelSelector: scope.LabelSelector, FieldSelector: scope.FieldSelector,
			KeepManagedFields: g.informer.KeepManagedFields, Indexes: g.indexes,
			LookedUpBy: once(g.lookups), Again: len(g.twice) > 0, Listeners: []shown.Listener{}}
		for _, l := range listeners {
			one := l.shown()
			one.Warnings = p.warnings(l)
			one.Suggestion = g.suggestion(l)
			one.Sends, one.File = p.sends(l, l.Config.Outputs), p.fileOf(l)
			inf.Listeners = append(inf.Listeners, one)
		}
		all.Informers = append(all.Informers, inf)
	}
	for _, name := range outputs {
		o := p.Outputs[name]
		out := shown.Output{Name: name, To: shown.Destination(o.Config),
			Listeners: append([]string{}, p.usersOf(name)...), Never: p.missedBy(o, nil),
			Data: p.usualOf(o), Warnings: o.warnings(), Expressions: map[string]string{},
			Settings: map[string]string{}}
		for _, s := range shown.Connection(o.Config) {
			out.Settings[s.Name] = s.Text
		}
		for _, x := range shown.Texts(o.Config) {
			out.Expressions[x.Name] = x.Text
		}
		all.Outputs = append(all.Outputs, out)
	}
	return all, nil
}

// shown returns a listener as JSON has it.
func (p *Listener) shown() shown.Listener {
	c, b := p.Config, p.Before
	l := shown.Listener{Name: c.Name, On: words(c.Ops()), Behind: []shown.Stage{},
		Outputs: c.Outputs, EvaluatedAgain: p.again(),
		Settings: map[string]string{},
		Before:   shown.Before{On: []string{}, Never: b.Never, Complete: b.Complete}}
	for _, s := range shown.Settings(c) {
		l.Settings[s.Name] = s.Text
	}
	if c.Resync.Duration > 0 {
		l.Resync = document.Short(c.Resync.Duration)
	}
	if c.Handler != nil {
		for _, s := range shown.Handler(c.Handler) {
			l.Settings["handler "+s.Name] = s.Text
		}
		l.Handler, l.Grants = c.Handler.Wasm, shown.Grants(c.Handler.Grants)
		l.NotLoaded = p.NotLoaded
	}
	if !b.Never {
		on, list := p.before()
		l.Before.On, l.Before.Conditions = words(on), shown.Each(on, list)
		l.Before.ObjectOrOld = b.Transitions && len(list) > 0
	}
	if p.asked.selects != nil {
		l.Behind = append(l.Behind, shown.Stage{Is: "select", Expression: c.Select.Text})
	}
	for _, r := range c.Rules {
		stage := shown.Stage{Is: "rule", Name: r.Name, Severity: r.Severity,
			Expression: r.Deny.Text, Message: r.Message.Text}
		if r.For.Duration > 0 {
			stage.For = document.Short(r.For.Duration)
		}
		if r.Repeat.Duration > 0 {
			stage.Repeat = document.Short(r.Repeat.Duration)
		}
		l.Behind = append(l.Behind, stage)
	}
	if p.asked.filter != nil {
		l.Behind = append(l.Behind, shown.Stage{Is: "filter", Expression: c.Filter.Text})
	}
	return l
}

// once returns names in order, each once.
func once(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}
