package changes

import (
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

// NeedRestart returns a mistake for each setting of the whole process that differs.
func NeedRestart(before, after *config.Config) (mistakes config.Errors) {
	was, is := processOf(before), processOf(after)
	for _, field := range slices.Sorted(maps.Keys(is)) {
		if plan.Digest(was[field]) != plan.Digest(is[field]) {
			mistakes = append(mistakes, after.ErrorAt(field, field+
				" has changed, which needs a restart", "restart informerd, or leave it as it was"))
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
	case goes && before.Config.Informer().Scope() == after.Config.Informer().Scope() &&
		before.Config.Informer().Resource == after.Config.Informer().Resource:
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
