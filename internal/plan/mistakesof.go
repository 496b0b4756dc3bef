package plan

import (
	"slices"

	"github.com/informerd/informerd/internal/config"
)

// MistakesOf returns what is wrong with the expressions of a listener, and of its outputs, if
// objects have the fields of other schemas than those that the configuration was compiled with.
func MistakesOf(cfg *config.Config, l *config.Listener, schemas Schemas) config.Errors {
	c := newCompiler(cfg, l, schemas)
	c.listener()
	all := c.Mistakes
	for _, name := range slices.Compact(slices.Sorted(slices.Values(l.Outputs))) {
		o := newOutputCompiler(cfg, cfg.Outputs[name], schemas)
		o.output(cfg.Outputs[name])
		all = append(all, o.Mistakes...)
	}
	return InOrder(cfg, all)
}
