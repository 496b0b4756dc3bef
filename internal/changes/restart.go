package changes

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

// NeedRestart returns a mistake for each setting of the whole process that differs.
func NeedRestart(before, after *config.Config) (mistakes config.Errors) {
	for _, setting := range []struct {
		field         string
		before, after any
	}{
		{"cluster", before.Cluster, after.Cluster}, {"http", before.HTTP, after.HTTP},
		{"health", before.Health, after.Health}, {"state", before.State, after.State},
		{"leaderElection", before.LeaderElection, after.LeaderElection},
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

// restarts returns the settings that need a restart, with the fields that differ.
func restarts(before, after *config.Config) (all []string) {
	for _, mistake := range NeedRestart(before, after) {
		below := fields(settingOf(before, mistake.Field), settingOf(after, mistake.Field))
		if strings.HasPrefix(mistake.Field, "listeners.") || len(below) == 0 {
			all = append(all, mistake.Field)
		}
		for _, name := range below {
			all = append(all, mistake.Field+"."+name)
		}
	}
	return all
}

// settingOf returns a setting of the whole process.
func settingOf(cfg *config.Config, field string) any {
	return map[string]any{"cluster": cfg.Cluster, "http": cfg.HTTP, "health": cfg.Health,
		"state": cfg.State, "leaderElection": cfg.LeaderElection, "tracing": cfg.Tracing}[field]
}

// afterRestart says what a restart goes on with, as docs/reliability.md has it.
func afterRestart(differ []string, before, after *config.Config) (lines []string) {
	begins := func(field string) bool { return slices.Contains(differ, field) }
	lease := func(e *config.LeaderElection) string {
		if e == nil {
			return ""
		}
		return e.Namespace + "/" + e.Name
	}
	var kept, others []string
	for _, l := range after.ListenersInOrder() {
		was := before.Listeners[l.Name]
		goes := l.Checkpoint && was != nil && was.Checkpoint
		if after.LeaderElection != nil {
			goes = was != nil
		}
		if goes {
			kept = append(kept, l.Name)
		} else {
			others = append(others, l.Name)
		}
	}
	switch {
	case after.LeaderElection != nil && lease(before.LeaderElection) != lease(after.LeaderElection):
		lines = append(lines, "the new lease has no progress of listeners yet")
		kept, others = nil, append(kept, others...)
	case after.LeaderElection == nil && begins("state.dir"):
		lines = append(lines, "the new folder for state has no checkpoint, no dead letters and no values of handlers, unless the old one is moved there")
		kept, others = nil, append(kept, others...)
	}
	slices.Sort(others)
	if len(kept) > 0 {
		lines = append(lines, "after the restart go on where they were, but for informers whose settings change: "+
			strings.Join(kept, ", "))
	}
	if len(others) > 0 {
		lines = append(lines, "get each object as an add, no deletes of the time between, and report again what is violated: "+
			strings.Join(others, ", "))
	}
	return lines
}
