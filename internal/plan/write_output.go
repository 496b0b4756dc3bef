package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/shown"
)

// writeOutputs writes where messages go, but for standard output.
func (p *Plan) writeOutputs(out *Lines) {
	p.writeSome(out, slices.Sorted(maps.Keys(p.Outputs)))
}

func (p *Plan) writeSome(out *Lines, names []string) {
	for _, name := range names {
		o := p.Outputs[name]
		if o.Config.Stdout != nil && o.When == nil && o.Data == nil {
			continue
		}
		out.Line(0, "\noutput %s, %s", name, shown.Destination(o.Config))
		users := p.usersOf(name)
		if len(users) == 0 {
			users = []string{"no listener"}
		}
		out.Item(1, "gets messages of", strings.Join(users, ", "))
		for _, x := range o.Expressions {
			for _, w := range x.Warnings() {
				out.Item(1, "warning", fmt.Sprintf("%s:%d:%d: %s", w.Expression.File, w.Line,
					w.Column, w.Message))
			}
		}
		for _, x := range o.texts() {
			out.Expression(1, x.name, "", x.text, "")
		}
		if text := p.usualOf(o); text != "" {
			out.Item(1, "data", "none: "+text)
		}
	}
}

// usersOf returns the listeners that send to an output.
func (p *Plan) usersOf(output string) (names []string) {
	for _, l := range p.Listeners {
		if slices.Contains(l.Config.Outputs, output) {
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

// namedText is the text of an expression with its name.
type namedText struct{ name, text string }

// texts returns the expressions of an output, in the order in which they are evaluated.
func (o *Output) texts() (all []namedText) {
	add := func(name string, x config.Expression) {
		if !x.IsZero() {
			all = append(all, namedText{name, x.Text})
		}
	}
	add("when", o.Config.When)
	add("data", o.Config.Data)
	switch c := o.Config; {
	case c.NATS != nil:
		add("subject", c.NATS.Subject)
	case c.Patch != nil:
		add("patch", c.Patch.Patch)
	case c.Slack != nil:
		add("text", c.Slack.Text)
	case c.Alertmanager != nil:
		for _, name := range slices.Sorted(maps.Keys(c.Alertmanager.Labels)) {
			add("label "+name, c.Alertmanager.Labels[name])
		}
	}
	return all
}
