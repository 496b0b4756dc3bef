package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/plan/reach"
	"github.com/informerd/informerd/internal/plan/shown"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

// writeOutputs writes where messages go.
func (p *Plan) writeOutputs(out *Lines) {
	p.writeSome(out, slices.Sorted(maps.Keys(p.Outputs)), nil)
}

// writeSome writes some outputs, with what they get of these listeners, nil for all.
func (p *Plan) writeSome(out *Lines, outputs, listeners []string) {
	for _, name := range outputs {
		o := p.Outputs[name]
		out.Line(0, "\noutput %s, %s", name, shown.Destination(o.Config))
		p.writeOutput(out, o, listeners)
	}
}

// writeOutput writes what an output gets of these listeners, nil for all, and makes of it.
func (p *Plan) writeOutput(out *Lines, o *Output, listeners []string) {
	users := p.usersOf(o.Config.Name)
	all := len(users)
	if users = some(users, listeners); all > len(users) {
		users = append(users, shown.Count(all-len(users), "other"))
	}
	if all == 0 {
		users = []string{"no listener"}
	}
	out.Item(1, "gets messages of", strings.Join(users, ", "))
	for i, text := range p.missedBy(o, listeners) {
		out.Item(1, []string{"never gets", ""}[min(i, 1)], text)
	}
	for _, setting := range shown.Connection(o.Config) {
		out.Item(1, setting.Name, setting.Text)
	}
	for _, w := range o.warnings() {
		out.Item(1, "warning", w)
	}
	for _, x := range shown.Texts(o.Config) {
		out.Expression(1, x.Name, "", x.Text, "")
	}
	if text := p.usualOf(o); text != "" {
		out.Item(1, "data", "the default: "+text)
	}
}

func (o *Output) warnings() []string { return warningsOf(filtersOf(o.Expressions)) }

// warningsOf returns the warnings about expressions, with their places.
func warningsOf(all []*filters.Filter) (texts []string) {
	for _, f := range all {
		for _, w := range f.Warnings() {
			texts = append(texts, fmt.Sprintf("%s:%d:%d: %s", w.Expression.File, w.Line, w.Column,
				w.Message))
		}
	}
	return texts
}

// missed returns what an output never gets of a listener.
func (p *Plan) missed(l *Listener, o *Output) reach.Missed {
	s := reach.Sender{Listener: l.Config, Cluster: p.Config.Cluster.Name, Never: l.Before.Never}
	if known, err := openapi.Builtin(); err == nil {
		if name, ok := known.Find(l.Config.Informer().Resource); ok {
			s.Resource = strings.TrimSuffix(name.Resource+"."+name.Group, ".")
		}
	}
	if !l.Quiet && l.Config.Handler == nil {
		s.Events = l.Config.Ops() & conditionsOf(l.Filter).Ops
	}
	return reach.Of(s, o.Config, o.When)
}

// some returns those of the names that are wanted, nil for all.
func some(names, wanted []string) []string {
	if wanted == nil {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.Contains(wanted, name)
	})
}

// missedBy returns what an output never gets of these listeners, nil for all, if they name it.
func (p *Plan) missedBy(o *Output, listeners []string) (all []string) {
	for _, l := range p.Listeners {
		if listeners != nil && !slices.Contains(listeners, l.Config.Name) {
			continue
		}
		if slices.Contains(l.Config.Outputs, o.Config.Name) {
			if text := p.missed(l, o).Text(l.Config.Name); text != "" {
				all = append(all, text)
			}
		}
	}
	return all
}

// usersOf returns the listeners that send to an output, and of which it may get something.
func (p *Plan) usersOf(output string) (names []string) {
	for _, l := range p.Listeners {
		if slices.Contains(l.Config.Outputs, output) && !p.missed(l, p.Outputs[output]).All {
			names = append(names, l.Config.Name)
		}
	}
	return names
}

// usualOf returns what an output sends that has no expression for it, "" if it has one, or sends no
// data.
func (p *Plan) usualOf(o *Output) string {
	c := o.Config
	if o.Data != nil || c.Slack != nil || c.Alertmanager != nil || c.KubernetesEvent != nil ||
		c.Patch != nil {
		return ""
	}
	var handled, events, reports bool
	for _, l := range p.Listeners {
		if slices.Contains(l.Config.Outputs, c.Name) {
			handled = handled || l.Config.Handler != nil
			events = events || l.Config.Handler == nil && !l.Quiet
			reports = reports || len(l.Rules) > 0
		}
	}
	var all []string
	if handled {
		all = append(all, "what the handler makes, or the object and old")
	} else if events {
		all = append(all, "the object and old")
	}
	if reports {
		all = append(all, "a report's rule, message and object")
	}
	return strings.Join(all, "; ")
}
