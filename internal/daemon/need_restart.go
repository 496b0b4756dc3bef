package daemon

import (
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

// NeedRestart returns a mistake for each setting that differs and for which a reload is refused.
func NeedRestart(before, after *config.Config) (mistakes config.Errors) {
	was, is := processOf(before), processOf(after)
	for _, field := range slices.Sorted(maps.Keys(is)) {
		if plan.Digest(was[field]) != plan.Digest(is[field]) {
			mistakes = append(mistakes, after.ErrorAt(field, field+
				" has changed, which needs a restart", "restart informerd, or leave it as it was"))
		}
	}
	if was, is := before.Fleet(), after.Fleet(); was != is {
		field, how := "clusters", "one cluster to several"
		switch {
		case was:
			how = "several clusters to one"
		case len(after.Clusters) == 0:
			field = "clustersFrom"
		}
		mistakes = append(mistakes, after.ErrorAt(field, field+" has changed from "+how+
			", which needs a restart", "restart informerd, or leave it as it was"))
	}
	if after.Fleet() && before.Fleet() && needsHome(after) && !needsHome(before) {
		mistakes = append(mistakes, after.ErrorAt("clustersFrom", "clustersFrom.secrets are the first ones, of a cluster that is not connected, which needs a restart",
			"restart informerd, or leave it as it was"))
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
		"state": cfg.State, "leaderElection": cfg.LeaderElection, "sharding": cfg.Sharding, "tracing": cfg.Tracing}
}
