package complete

import (
	"regexp"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/resourcename"
)

// Names are those of a configuration, sorted.
type Names struct{ Listeners, Outputs []string }

// name matches what may be a name in a configuration. Nothing else is shown: a configuration with
// mistakes may have anything there.
var name = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// Read returns the names in configurations, nil if none can be read. It reads regular files alone.
func Read(paths ...string) (all *Names) {
	for _, path := range paths {
		cfg := read(path)
		if cfg == nil {
			continue
		}
		if all == nil {
			all = &Names{}
		}
		for listener, l := range cfg.Listeners {
			described := listener
			if l != nil && l.Policy == "" && l.InformerRef.Inline != nil &&
				resourcename.Pattern.MatchString(l.InformerRef.Inline.Resource) {
				described += "\t" + l.InformerRef.Inline.Resource
			}
			if name.MatchString(listener) {
				all.Listeners = append(all.Listeners, described)
			}
		}
		for output := range cfg.Outputs {
			if name.MatchString(output) {
				all.Outputs = append(all.Outputs, output)
			}
		}
	}
	if all != nil {
		slices.Sort(all.Listeners)
		slices.Sort(all.Outputs)
	}
	return all
}

// read returns a configuration, or what could be read of one with mistakes.
func read(path string) *config.Config {
	if path == "" || path == "-" {
		return nil
	}
	var wrong *config.Config
	more := func(c *config.Config) config.Errors {
		wrong = c
		return nil
	}
	cfg, err := config.Loading{Policies: true, Regular: true, More: more}.Load(path)
	if err != nil {
		return wrong
	}
	return cfg
}
