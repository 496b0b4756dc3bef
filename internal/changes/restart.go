package changes

import (
	"slices"

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
