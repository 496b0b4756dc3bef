package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/plan/clash"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/internal/plan/reach"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// sends returns what a listener sends to its outputs, in this order. Outputs that get the same are
// together.
func (p *Plan) sends(l *Listener, outputs []string) (all []shown.Sends) {
	for _, name := range outputs {
		sent := p.sendsTo(l, p.Outputs[name])
		i := slices.IndexFunc(all, func(s shown.Sends) bool { return s.Text() == sent.Text() })
		if i < 0 {
			all = append(all, sent)
			i = len(all) - 1
		}
		all[i].Outputs = append(all[i].Outputs, name)
	}
	slices.SortStableFunc(all, func(a, b shown.Sends) int { // nothing comes last
		return cmp.Compare(min(len(a.Nothing), 1), min(len(b.Nothing), 1))
	})
	return all
}

// sendsTo returns what a listener sends to an output.
func (p *Plan) sendsTo(l *Listener, o *Output) (s shown.Sends) {
	m := p.missed(l, o)
	switch {
	case p.never(l):
		s.Nothing = shown.NoEvent
	case m.All && o.Config.Patch != nil && m.Ops == event.OpSet(0).With(event.Delete):
		s.Nothing = shown.NothingToPatch
	case m.All && len(l.Config.Rules) > 0:
		s.Nothing = shown.NoViolation
	case m.All:
		s.Nothing = shown.NotWanted
	}
	if s.Nothing != "" {
		return s
	}
	s.Handled = l.Config.Handler != nil && o.Config.Alertmanager == nil && !m.Handled
	for _, op := range event.Ops {
		if m.Arrive.Has(op) {
			s.Events = append(s.Events, op.String())
		}
	}
	s.AllEvents = len(m.Events) == 0 && m.Arrive&^event.OpSet(0).With(event.Resync) == everything
	s.Partly = len(m.Partly) > 0
	for _, r := range l.Config.Rules {
		switch {
		case slices.Contains(m.Rules, r.Name):
		case slices.Contains(m.Ends, r.Name):
			s.Violations = append(s.Violations, r.Name)
		default:
			s.Reports = append(s.Reports, r.Name)
		}
	}
	if s.AllReports = len(s.Reports) == len(l.Config.Rules); !s.Handled && len(s.Events) == 0 &&
		len(s.Reports)+len(s.Violations) == 0 {
		s.Nothing = shown.NoReport
	}
	return s
}

// writeSends writes what a listener sends, and where.
func (p *Plan) writeSends(out *shown.Lines, l *Listener) {
	for i, s := range p.sends(l, out.Order(l.Config.Outputs)) {
		out.Item(2, []string{"sends to", ""}[min(i, 1)], strings.Join(s.Outputs, ", ")+": "+s.Text())
	}
}

// never reports whether nothing comes of any event of a listener.
func (p *Plan) never(l *Listener) bool { return l.never(p.untrue(l)) }

func (p *Listener) never(untrue map[string]bool) bool {
	return p.Before.Never || untrue["select"] ||
		(p.Quiet || untrue["filter"]) && len(p.kept(untrue)) == len(p.Config.Rules)
}

// untrue returns the expressions of a listener, by their fields, that are true of no event.
func (p *Plan) untrue(l *Listener) map[string]bool {
	fields := map[string]bool{"select": clash.Never(l.Select), "filter": clash.Never(l.Filter)}
	for i, r := range l.Rules {
		fields[clash.DenyField(i)] = clash.Never(r.Deny())
	}
	for _, c := range p.conflicts(l) {
		fields[c.Field] = true
	}
	return fields
}

// kept returns the rules that are never violated.
func (p *Listener) kept(untrue map[string]bool) (names []string) {
	for i, r := range p.Config.Rules {
		if untrue[clash.DenyField(i)] {
			names = append(names, r.Name)
		}
	}
	return names
}

// Sender returns a listener with what it sends.
func (p *Plan) Sender(l *Listener) reach.Sender {
	untrue := p.untrue(l)
	s := reach.Sender{Listener: l.Config, Cluster: p.Config.Cluster.Name, Never: l.never(untrue),
		Kept: l.kept(untrue), Mute: untrue["filter"]}
	denies := map[string]*filters.Filter{}
	for _, r := range l.Rules {
		denies[r.Name()] = r.Deny()
	}
	s.Facts = reach.FactsOf(clash.Scope(l.Config.Informer()), l.Select, l.Filter, denies)
	s.Resource, _ = kinds.BuiltinText(l.Config.Informer().Resource)
	ops := l.Config.Ops() & shown.Ops(conditionsOf(l.Filter))
	switch {
	case s.Mute:
	case l.Config.Handler != nil:
		s.Handles = ops
	case !l.Quiet:
		s.Events = ops
	}
	return s
}

// missed returns what an output never gets of a listener.
func (p *Plan) missed(l *Listener, o *Output) reach.Missed {
	return reach.Of(p.Sender(l), o.Config, o.When)
}

// missedBy returns what an output never gets of these listeners, nil for all, if they name it.
func (p *Plan) missedBy(o *Output, listeners []string) (all []reach.Missed) {
	for _, l := range p.Listeners {
		if listeners != nil && !slices.Contains(listeners, l.Config.Name) ||
			!slices.Contains(l.Config.Outputs, o.Config.Name) {
			continue
		}
		if m := p.missed(l, o); m.Text() != "" {
			all = append(all, m)
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
			s := p.sendsTo(l, o)
			handled, events = handled || s.Handled, events || len(s.Events) > 0
			reports = reports || len(s.Reports)+len(s.Violations) > 0
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
