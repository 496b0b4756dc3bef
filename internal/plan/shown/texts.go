package shown

import (
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
)

// Texts returns the expressions of an output, in the order in which they are evaluated.
func Texts(o *config.Output) (all []Setting) {
	add := func(name string, x config.Expression) {
		if !x.IsZero() {
			all = append(all, Setting{name, x.Text})
		}
	}
	add("when", o.When)
	add("data", o.Data)
	switch {
	case o.NATS != nil:
		add("subject", o.NATS.Subject)
	case o.Patch != nil:
		add("patch", o.Patch.Patch)
	case o.Slack != nil:
		add("text", o.Slack.Text)
	case o.Alertmanager != nil:
		for _, name := range slices.Sorted(maps.Keys(o.Alertmanager.Labels)) {
			add("label "+name, o.Alertmanager.Labels[name])
		}
	}
	return all
}
