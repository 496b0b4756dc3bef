package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
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
		out.Line(0, "\noutput %s, %s", name, destination(o.Config))
		var users []string
		for _, l := range p.Listeners {
			if slices.Contains(l.Config.Outputs, name) {
				users = append(users, l.Config.Name)
			}
		}
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
	}
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

// destination returns where an output sends messages. It shows no URL, which may be a secret.
func destination(o *config.Output) string {
	switch {
	case o.File != nil:
		return "the file " + o.File.Path
	case o.Webhook != nil:
		return "a webhook, mode " + o.Webhook.Mode
	case o.NATS != nil && o.NATS.Stream != "":
		return "NATS, the stream " + o.NATS.Stream
	case o.NATS != nil:
		return "NATS"
	case o.Kafka != nil:
		return "Kafka, the topic " + o.Kafka.Topic
	case o.KubernetesEvent != nil:
		return "Events on the API server"
	case o.Patch != nil && o.Patch.DryRun:
		return "patches of type " + o.Patch.Type + ", without effect"
	case o.Patch != nil:
		return "patches of type " + o.Patch.Type
	case o.Slack != nil:
		return "Slack"
	case o.Alertmanager != nil:
		return "an Alertmanager"
	}
	return "standard output"
}
