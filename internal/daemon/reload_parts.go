package daemon

import (
	"slices"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/changes"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/plan"
)

// isAnother reports whether a plan's listener is about another resource. Then nothing of what it
// has fits.
func (s *setup) isAnother(planned *plan.Listener) bool {
	return s.Config.Informer().Resource != planned.Config.Informer().Resource
}

// handlerDiffers reports whether the file of a listener's handler, or a value that it is given, has
// changed.
func (r *reload) handlerDiffers(running *setup, planned *plan.Listener) bool {
	if running.module == nil {
		return false
	}
	reader := &handlers.Reader{Section: plan.SectionOf(r.config, planned.Config),
		Persist: r.persist}
	spec, err := reader.Spec()
	return err != nil || spec == nil || specDigest(spec) != running.module.digest
}

// opened returns what is behind the listener's outputs, by name.
func (s *setup) opened() map[string]*opened {
	all := map[string]*opened{}
	for _, o := range s.outputs {
		all[o.name] = o.opened
	}
	return all
}

// opened returns what is behind the outputs of a listener; nil for those that are not open yet.
func (o outputs) opened(l *plan.Listener) map[string]*opened {
	all := map[string]*opened{}
	for _, name := range l.Config.Outputs {
		all[name] = o[name].opened
	}
	return all
}

// changes returns what the reload changes, in the order of the configuration.
func (r *reload) changes() (all admin.Changes) {
	for _, planned := range r.plan.Listeners {
		i := slices.IndexFunc(r.parts, func(p part) bool {
			return p.setup.Config.Name == planned.Config.Name
		})
		if i < 0 {
			continue
		}
		c := admin.Change{Kind: "listener", Name: planned.Config.Name, Action: "changed",
			Fields: r.parts[i].fields}
		switch p := r.parts[i]; {
		case p.was == nil:
			c.Action = "added"
		case p.restart:
			c.Action = "restarted"
		case len(p.fields) == 0:
			continue
		}
		all = append(all, c)
	}
	for _, l := range r.current() {
		if r.config.Listeners[l.name] == nil {
			all = append(all, admin.Change{Kind: "listener", Name: l.name, Action: "removed"})
		}
	}
	return append(all, changes.Others(r.runtime.plan, r.plan)...)
}
