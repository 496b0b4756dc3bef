package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/informerd/informerd/bench/contender"
	"github.com/informerd/informerd/bench/report"
	"github.com/informerd/informerd/bench/trial"
)

// keptListeners are the numbers of listeners with which the cost of a checkpoint is measured. All
// of them get each event.
var keptListeners = []int{1, 50}

// Labels of the trials around a restart.
const (
	listedAgain = "list, no checkpoint"
	listedFirst = "list, new checkpoint"
	resumed     = "restart with it"
)

func keptLabel(listeners int, checkpoint bool) string {
	label := "1 listener"
	if listeners > 1 {
		label = fmt.Sprintf("%d listeners", listeners)
	}
	if checkpoint {
		label += ", checkpoint"
	}
	return label
}

// keptActs are the same listeners without a checkpoint and with one, and then in reverse, so that
// neither has the better half of a round.
func (r *runner) keptActs() (acts []act) {
	for i, order := range [][]bool{{false, true}, {true, false}} {
		for _, n := range keptListeners {
			for _, checkpoint := range order {
				a := act{contender: contender.Listeners, protocol: "h1", burst: r.events,
					others: n - 1, label: keptLabel(n, checkpoint), checkpoint: checkpoint}
				if i == 0 && n == 1 {
					a.paced = r.paced
				}
				acts = append(acts, a)
			}
		}
	}
	return acts
}

// restartActs are a list without a checkpoint, a list that makes one, and a restart with that.
func (r *runner) restartActs() []act {
	made := act{contender: contender.Listeners, protocol: "h1", burst: r.restartBurst(),
		label: listedFirst, checkpoint: true}
	again, restart := made, made
	again.label, again.checkpoint = listedAgain, false
	restart.label, restart.restart, restart.burst = resumed, true, 0
	return []act{again, made, restart}
}

// restartBurst is so small that the log stays smaller than the snapshot: only then does the folder
// grow by what the changes wrote.
func (r *runner) restartBurst() int { return min(r.events, r.restarts/5) }

// performCheckpoints measures what a checkpoint costs and what it saves.
func (r *runner) performCheckpoints(ctx context.Context) error {
	if err := r.scene(ctx, sceneCheckpoints, r.spec("pods", r.objects, r.size), r.keptActs(),
		r.rounds, false); err != nil {
		return err
	}
	// After a restart there is no list, in which objects could match.
	spec := stageSpec{kind: "pods", objects: r.restarts, size: r.size,
		events: r.restartBurst() + maxAttempts*missed}
	return r.scene(ctx, sceneCheckpoints, spec, r.restartActs(), r.rounds, true)
}

// checkpoints assembles the tables of the scene.
func (r *runner) checkpoints(results *report.Results) (tables []report.Titled) {
	all := r.trials[sceneCheckpoints+"/h1"]
	of := func(label string) report.Figures {
		return report.Summarize(slices.DeleteFunc(slices.Clone(all), func(t trial.Result) bool {
			return t.Contender != label
		}))
	}
	for _, n := range keptListeners {
		cost := report.CheckpointCost{Listeners: n, Without: of(keptLabel(n, false)),
			With: of(keptLabel(n, true))}
		if cost.Measured() {
			results.Checkpoints = append(results.Checkpoints, cost)
		}
	}
	if len(results.Checkpoints) > 0 {
		tables = append(tables, report.Titled{
			Title: fmt.Sprintf("checkpoints, %d pods of %d KB, %d events to each listener",
				r.objects, r.size>>10, r.events),
			Table: report.CheckpointCosts(results.Checkpoints)})
	}
	restart := report.Restart{List: of(listedAgain), Made: of(listedFirst), Resumed: of(resumed)}
	if restart.Measured() {
		results.Restart = restart
		tables = append(tables, report.Titled{
			Title: fmt.Sprintf("a restart with a checkpoint, %d pods of %d KB", r.restarts,
				r.size>>10),
			Table: report.Restarts(restart)})
	}
	return tables
}
