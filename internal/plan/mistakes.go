package plan

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/filters"
)

// Mistakes returns a function that finds mistakes in the expressions and handlers' files of a
// configuration that has other mistakes, for config.Loading. If it connects, the kubeconfig that
// it names must be readable. For a configuration that could be loaded, use Check.
func Mistakes(schemas Schemas, connects bool) func(*config.Config) config.Errors {
	return func(cfg *config.Config) config.Errors {
		var all config.Errors
		if connects {
			all = KubeconfigMistakes(cfg)
		}
		whole := newCompilation(cfg, schemas)
		for _, l := range whole.listeners {
			c := whole.ofListener(l)
			c.expression(".select", l.Select, filters.KindSelect)
			whole.passing[l] = passing(l, c.expression(".filter", l.Filter, filters.KindFilter))
			for i, r := range l.Rules { // which may have other mistakes
				c.wrongParts(fmt.Sprintf(".rules[%d]", i), r)
			}
			if l.Handler != nil && l.Handler.Wasm != "" {
				path := cfg.Path(l.Handler.Wasm)
				info, err := os.Stat(path)
				if at := (*fs.PathError)(nil); errors.As(err, &at) {
					at.Op = "open" // as when it is read
				}
				if err == nil && !info.Mode().IsRegular() {
					err = fmt.Errorf("%s is not a regular file", path)
				}
				if err != nil {
					c.Mistake(".handler.wasm",
						fmt.Errorf("listener %q: cannot read the handler: %w", l.Name, err))
				}
			}
			all = append(all, c.Mistakes...)
		}
		for _, name := range slices.Sorted(maps.Keys(cfg.Outputs)) {
			if o := cfg.Outputs[name]; o != nil && o.Name != "" {
				c := whole.ofOutput(o)
				c.output(o)
				all = append(all, c.Mistakes...)
			}
		}
		return all
	}
}

// NotLoaded returns mistakes in their order, and the policy files that are not loaded because of
// them.
func NotLoaded(cfg *config.Config, mistakes config.Errors) config.Errors {
	return cfg.NotLoaded(InOrder(cfg, mistakes))
}

// InOrder sorts mistakes in the order in which loading a configuration reports its own.
func InOrder(cfg *config.Config, mistakes config.Errors) config.Errors {
	files := map[string]int{}
	own := cfg.OwnFiles()
	for i, file := range own {
		files[file] = i - len(own)
	}
	for i, l := range cfg.ListenersInOrder() {
		if l.Policy != "" {
			files[l.Policy] = i
		}
	}
	slices.SortStableFunc(mistakes, func(a, b config.Error) int {
		return cmp.Or(cmp.Compare(files[a.File], files[b.File]), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column))
	})
	return mistakes
}
