package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/plan/reach"
	"github.com/informerd/informerd/internal/plan/shown"
	openapi "github.com/informerd/informerd/internal/schema"
)

// sends returns what a listener sends, and where: outputs that get the same are together.
func (p *Listener) sends(plan *Plan) (all []shown.Sends) {
	for _, name := range p.Config.Outputs {
		what := p.sendsTo(plan, plan.Outputs[name])
		i := slices.IndexFunc(all, func(s shown.Sends) bool { return slices.Equal(s.What, what) })
		if i < 0 {
			all = append(all, shown.Sends{What: what})
			i = len(all) - 1
		}
		all[i].Outputs = append(all[i].Outputs, name)
	}
	slices.SortStableFunc(all, func(a, b shown.Sends) int { // nothing comes last
		return cmp.Compare(strings.Count(a.What[0], "nothing"), strings.Count(b.What[0], "nothing"))
	})
	return all
}

// sendsTo returns what a listener sends to an output.
func (p *Listener) sendsTo(plan *Plan, o *Output) []string {
	if p.Before.Never {
		return []string{shown.NoEvent}
	}
	m := plan.missed(p, o)
	if m.All {
		return []string{shown.NotWanted}
	}
	pager := o.Config.Alertmanager != nil // it gets no events
	var what []string
	switch {
	case pager:
	case p.Config.Handler != nil && !m.Handled:
		what = append(what, shown.Handled)
	case p.Config.Handler == nil && !p.Quiet && m.Some:
		what = append(what, shown.Events)
	}
	switch rules := len(p.Config.Rules); {
	case rules == len(m.Rules):
	case rules == len(m.Rules)+len(m.Ends):
		what = append(what, shown.Violations)
	default:
		what = append(what, shown.Reports)
	}
	if len(what) == 0 {
		return []string{shown.NoReport}
	}
	return what
}

// writeSends writes what a listener sends, and where.
func (p *Listener) writeSends(out *Lines, plan *Plan) {
	for i, s := range p.sends(plan) {
		out.Item(2, []string{"sends to", ""}[min(i, 1)],
			strings.Join(s.Outputs, ", ")+": "+strings.Join(s.What, "; "))
	}
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
	gets := map[string]bool{}
	for _, l := range p.Listeners {
		if slices.Contains(l.Config.Outputs, c.Name) {
			for _, what := range l.sendsTo(p, o) {
				gets[what] = true
			}
		}
	}
	var all []string
	if gets[shown.Handled] {
		all = append(all, "what the handler makes, or the object and old")
	} else if gets[shown.Events] {
		all = append(all, "the object and old")
	}
	if gets[shown.Reports] || gets[shown.Violations] {
		all = append(all, "a report's rule, message and object")
	}
	return strings.Join(all, "; ")
}
