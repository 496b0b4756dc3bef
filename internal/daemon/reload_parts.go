package daemon

import (
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/internal/plan"
)

// needRestart returns a mistake for each setting of the whole process that differs.
func needRestart(before, after *config.Config) (mistakes config.Errors) {
	for _, setting := range []struct {
		field         string
		before, after any
	}{
		{"cluster", before.Cluster, after.Cluster}, {"http", before.HTTP, after.HTTP},
		{"health", before.Health, after.Health}, {"state", before.State, after.State},
		{"leaderElection", before.LeaderElection, after.LeaderElection},
		{"tracing", before.Tracing, after.Tracing},
		{"tracing", before.Tracing, after.Tracing},
	} {
		if plan.Digest(setting.before) != plan.Digest(setting.after) {
			mistakes = append(mistakes, after.ErrorAt(setting.field,
				setting.field+" has changed, which needs a restart",
				"restart informerd, or leave it as it was"))
		}
	}
	kept := slices.ContainsFunc(before.ListenersInOrder(),
		func(l *config.Listener) bool { return l.Checkpoint })
	for _, l := range after.ListenersInOrder() {
		what := " has changed"
		switch was := before.Listeners[l.Name]; {
		case was == nil && l.Checkpoint && !kept:
			what = " is the first one"
		case was == nil || was.Checkpoint == l.Checkpoint:
			continue
		}
		field := "listeners." + l.Name + ".checkpoint"
		mistakes = append(mistakes, after.ErrorAt(field, field+what+
			", which needs a restart", "restart informerd, or leave it as it was"))
	}
	return mistakes
}

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

// opened returns what is behind the listener's outputs.
func (s *setup) opened() (all []*opened) {
	for _, o := range s.outputs {
		all = append(all, o.opened)
	}
	return all
}

// opened returns what is behind the outputs of a listener; nil for those that are not open yet.
func (o outputs) opened(l *plan.Listener) (all []*opened) {
	for _, name := range l.Config.Outputs {
		all = append(all, o[name].opened)
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
	before := r.runtime.plan.Digests
	all = append(all, compared("informer", "informers.", before.Informers,
		r.plan.Digests.Informers)...)
	all = append(all, compared("output", "", before.Outputs, r.plan.Digests.Outputs)...)
	return append(all, settings(r.runtime.plan.Config, r.config)...)
}

// settings returns how what is no listener, informer or output differs.
func settings(before, after *config.Config) (all admin.Changes) {
	add := func(kind string, differs map[string]bool) {
		maps.DeleteFunc(differs, func(_ string, does bool) bool { return !does })
		if len(differs) > 0 {
			all = append(all, admin.Change{Kind: kind, Action: "changed",
				Fields: slices.Sorted(maps.Keys(differs))})
		}
	}
	letters, stop := before.DeadLetters, before.Shutdown
	add("deadLetters", map[string]bool{"age": letters.Age != after.DeadLetters.Age,
		"bytes":    letters.Bytes != after.DeadLetters.Bytes,
		"whenFull": letters.WhenFull != after.DeadLetters.WhenFull})
	add("shutdown", map[string]bool{"close": stop.Close != after.Shutdown.Close,
		"drain": stop.Drain != after.Shutdown.Drain})
	return all
}

// compared returns how parts of one kind differ. Only those whose names begin with a prefix are
// compared, and shown without it.
func compared(kind, prefix string, before, after map[string]string) (all admin.Changes) {
	names := slices.Concat(slices.Collect(maps.Keys(before)), slices.Collect(maps.Keys(after)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		shown, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		was, had := before[name]
		is, has := after[name]
		switch {
		case !had:
			all = append(all, admin.Change{Kind: kind, Name: shown, Action: "added"})
		case !has:
			all = append(all, admin.Change{Kind: kind, Name: shown, Action: "removed"})
		case was != is:
			all = append(all, admin.Change{Kind: kind, Name: shown, Action: "changed"})
		}
	}
	return all
}
