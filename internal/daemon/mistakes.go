package daemon

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/filters"
)

// Mistakes finds what is wrong in the expressions and handlers' files of a configuration that has
// other mistakes, for config.Loading, and if the kubeconfig it names is used, whether that can be
// opened. Of one without mistakes Check finds them.
func Mistakes(schemas Schemas, kubeconfig bool) func(*config.Config) config.Errors {
	return func(cfg *config.Config) config.Errors {
		var all config.Errors
		if kubeconfig {
			all = kubeconfigMistakes(cfg)
		}
		for _, l := range cfg.ListenersInOrder() {
			b := &builder{config: cfg, cfg: l, schemas: schemas, log: slog.New(slog.DiscardHandler),
				field: "listeners." + l.Name}
			b.known()
			b.expression(".select", l.Select, filters.KindSelect)
			b.expression(".filter", l.Filter, filters.KindFilter)
			b.everyRule()
			if l.Handler != nil && l.Handler.Wasm != "" {
				if _, err := os.Stat(cfg.Path(l.Handler.Wasm)); err != nil {
					b.mistake(".handler.wasm",
						fmt.Errorf("listener %q: cannot read the handler: %w", l.Name, err))
				}
			}
			all = append(all, b.mistakes...)
		}
		return all
	}
}

// everyRule compiles the expressions of rules that may have other mistakes.
func (b *builder) everyRule() {
	for i, r := range b.cfg.Rules {
		below := fmt.Sprintf(".rules[%d]", i)
		deny, message := b.source(r.Deny, filters.KindDeny),
			b.source(r.Message, filters.KindMessage)
		for _, member := range []struct {
			name   string
			source filters.Expression
		}{{".deny", deny}, {".message", message}} {
			member.source.Rule = r.Name
			if member.source.Text == "" {
				continue
			}
			if _, err := filters.Compile(member.source); err != nil {
				b.wrong(below+member.name, err)
			}
		}
	}
}
