package changes

import (
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/memory"
)

// NeedRestart returns a mistake for each setting of the whole process that differs.
func NeedRestart(before, after *config.Config) config.Errors {
	return Refused(Fixed(before), after)
}

// Fixed returns what a reload cannot change of a configuration.
func Fixed(cfg *config.Config) memory.Fixed {
	fixed := memory.Fixed{Process: map[string]string{}, Checkpoints: map[string]bool{},
		Informers: map[string]string{}, Namespaces: map[string][]string{}}
	for field, value := range processOf(cfg) {
		fixed.Process[field] = plan.Digest(value)
	}
	for _, l := range cfg.ListenersInOrder() {
		fixed.Checkpoints[l.Name], fixed.Informers[l.Name] = l.Checkpoint, watchedBy(l)
		fixed.Namespaces[l.Name] = l.Informer().Namespaces
	}
	return fixed
}

// GoesOn reports whether a listener goes on where it was after a restart with another
// configuration, which has the same folder for state.
func GoesOn(before memory.Fixed, after *config.Config, l *config.Listener) bool {
	const lease = "leaderElection"
	return before.Process[lease] == plan.Digest(processOf(after)[lease]) &&
		(after.LeaderElection != nil || l.Checkpoint && before.Checkpoints[l.Name])
}

// sameInformer reports whether a listener watches and keeps the same.
func sameInformer(before, after *plan.Listener) bool {
	return watchedBy(before.Config) == watchedBy(after.Config) &&
		before.Config.Informer().Scope().Namespaces == after.Config.Informer().Scope().Namespaces
}

// watchedBy returns a digest of what a listener's informers watch and keep, but for the namespaces:
// each has one of its own.
func watchedBy(l *config.Listener) string {
	inf := l.Informer()
	scope := inf.Scope()
	scope.Namespaces = ""
	return plan.Digest([]any{inf.Resource, scope})
}

// Lists reports whether a listener that goes on after a restart does so with a list where an object
// is, since the informer there is another one.
func Lists(before memory.Fixed, l *config.Listener, namespace string) bool {
	watched := before.Informers[l.Name]
	was, ok := informerOf(before.Namespaces[l.Name], namespace)
	is, okToo := informerOf(l.Informer().Namespaces, namespace)
	return watched != "" && (watched != watchedBy(l) || was != is || ok != okToo)
}

// informerOf returns the scope of the informer that has the objects of a namespace, "" for all, and
// whether there is one.
func informerOf(scopes []string, namespace string) (scope string, ok bool) {
	if len(scopes) == 0 {
		return "", true
	}
	return namespace, slices.Contains(scopes, namespace)
}

// Refused returns a mistake for each setting for which a reload is refused.
func Refused(before memory.Fixed, after *config.Config) (mistakes config.Errors) {
	is := processOf(after)
	for _, field := range slices.Sorted(maps.Keys(is)) {
		if before.Process[field] != plan.Digest(is[field]) {
			mistakes = append(mistakes, after.ErrorAt(field, field+
				" has changed, which needs a restart", "restart informerd, or leave it as it was"))
		}
	}
	kept := slices.Contains(slices.Collect(maps.Values(before.Checkpoints)), true)
	for _, l := range after.ListenersInOrder() {
		what := " has changed"
		switch was, there := before.Checkpoints[l.Name]; {
		case !there && l.Checkpoint && !kept:
			what = " is the first one"
		case !there || was == l.Checkpoint:
			continue
		}
		field := "listeners." + l.Name + ".checkpoint"
		mistakes = append(mistakes, after.ErrorAt(field, field+what+
			", which needs a restart", "restart informerd, or leave it as it was"))
	}
	return mistakes
}

// processOf returns the settings of the whole process, by their fields.
func processOf(cfg *config.Config) map[string]any {
	return map[string]any{"cluster": cfg.Cluster, "http": cfg.HTTP, "health": cfg.Health,
		"state": cfg.State, "leaderElection": cfg.LeaderElection, "tracing": cfg.Tracing}
}

// restarts returns the settings that need a restart, with the fields that differ.
func restarts(before, after *config.Config) (all []string) {
	was, is := processOf(before), processOf(after)
	for _, mistake := range NeedRestart(before, after) {
		below := fields(was[mistake.Field], is[mistake.Field])
		if strings.HasPrefix(mistake.Field, "listeners.") || len(below) == 0 {
			all = append(all, mistake.Field)
		}
		for _, name := range below {
			all = append(all, mistake.Field+"."+name)
		}
	}
	return all
}

// afterRestart says what a restart goes on with, as docs/reliability.md has it: each sentence with
// the listeners that it is about.
func afterRestart(differ []string, before, after *plan.Plan) (lines []string) {
	lease := func(e *config.LeaderElection) string {
		if e == nil {
			return ""
		}
		return e.Namespace + "/" + e.Name
	}
	replicas := after.Config.LeaderElection
	fresh := false
	switch {
	case replicas != nil && lease(before.Config.LeaderElection) != lease(replicas):
		lines, fresh = append(lines, "the new lease has no progress of listeners yet"), true
	case replicas == nil && slices.Contains(differ, "state.dir"):
		lines = append(lines, "the new folder for state has no checkpoint, no dead letters and no values of handlers, unless the old one is moved there")
		fresh = true
	}
	if slices.Contains(differ, "cluster.name") &&
		slices.ContainsFunc(after.Config.ListenersInOrder(), func(l *config.Listener) bool {
			return len(l.Rules) > 0
		}) {
		lines = append(lines, "reports have the new name of the cluster, ends of open violations as well: an Alertmanager takes them for other alerts, and does not end those that are open")
	}
	var texts []string
	of := map[string][]string{}
	for _, l := range after.Listeners {
		was := named(before, l.Config.Name)
		goes := was != nil && !fresh && (replicas != nil || l.Config.Checkpoint &&
			was.Config.Checkpoint)
		text := restarted(was, l, goes)
		if of[text] == nil {
			texts = append(texts, text)
		}
		of[text] = append(of[text], l.Config.Name)
	}
	for _, text := range texts {
		slices.Sort(of[text])
		lines = append(lines, text+": "+strings.Join(of[text], ", "))
	}
	return lines
}

// restarted says what a listener has after a restart, if it goes on where it was or not.
func restarted(before, after *plan.Listener, goes bool) string {
	switch {
	case goes && sameInformer(before, after):
		return "goes on where it was"
	case goes && len(after.Config.Rules) > 0:
		return "its informer is another one and begins with a list, so that deletes of the time between are missed, and what its rules know stays; " + begins(after)
	case goes:
		return "its informer is another one and begins with a list, so that deletes of the time between are missed; " + begins(after)
	case len(after.Config.Rules) > 0:
		return strings.Replace(begins(after), " is reported", " is reported again", 1)
	}
	return begins(after)
}
