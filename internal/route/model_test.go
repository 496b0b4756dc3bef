package route

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer"
)

// TestModel: a route between a subscription, receivers and a store of dead letters with every kind
// of trouble, whose pipeline changes. Whatever happens, nothing is lost, everything comes in order,
// rules alternate, and the counters say how each event ended.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		var wrong []string
		synctest.Test(t, func(t *testing.T) { wrong = p.run(t) })
		if len(wrong) > 0 {
			rt.Fatalf("%s\n%s", p, strings.Join(wrong, "\n"))
		}
	})
}

// plan is a route, and what happens to it.
type plan struct {
	buffer  Buffer
	workers int
	first   shape
	steps   []step
	// grace is how long the route may drain, with receivers as they are; 0: until all is delivered,
	// by receivers that take everything.
	grace time.Duration
}

// step is something that happens.
type step struct {
	what string
	do   func(*modelRun)
}

// shape is what a version of the pipeline is drawn from.
type shape struct {
	filter, outputs int
	rules, handler  bool
	batch           int
}

func drawShape(t *rapid.T) shape {
	return shape{filter: rapid.IntRange(0, len(modelFilters)-1).Draw(t, "filter"),
		outputs: rapid.IntRange(1, 3).Draw(t, "outputs"),
		rules:   rapid.Bool().Draw(t, "rules"), handler: rapid.Bool().Draw(t, "handler"),
		batch: rapid.IntRange(1, 3).Draw(t, "batch")}
}

func (p *plan) String() string {
	text := fmt.Sprintf("%+v, %d workers, %+v, drained within %v", p.buffer, p.workers, p.first,
		p.grace)
	for _, s := range p.steps {
		text += "\n" + s.what
	}
	return text
}

func drawPlan(t *rapid.T) *plan {
	p := &plan{workers: rapid.IntRange(1, 3).Draw(t, "workers"), first: drawShape(t),
		buffer: drawBuffer(t), grace: rapid.SampledFrom([]time.Duration{0, 0, 0, time.Second,
			10 * time.Second}).Draw(t, "grace")}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		p.steps = append(p.steps, drawStep(t))
	}
	return p
}

func drawBuffer(t *rapid.T) Buffer {
	return Buffer{Capacity: rapid.IntRange(1, 6).Draw(t, "capacity"),
		Overflow: rapid.SampledFrom([]informer.Overflow{informer.OverflowLatest,
			informer.OverflowLatest, informer.OverflowBlock, informer.OverflowDrop}).Draw(t,
			"overflow")}
}

// The names of the objects, what filters want, what handlers do, and what receivers do.
var (
	modelNames   = []string{"a", "b", "c"}
	modelFilters = []string{"true", `object.spec.in in ["all", "even"]`,
		`object.spec.in in ["all", "odd"]`}
	modelWants = []string{"all", "all", "even", "odd", "none"}
	modelDoes  = []string{"as", "as", "one", "three", "none", "refuse", "crash", "again"}
	modelMoods = []string{"takes", "takes", "fails", "refuses", "differs", "hangs", "asks"}
)

func drawStep(t *rapid.T) step {
	what := rapid.SampledFrom([]string{"event", "event", "event", "event", "event", "event",
		"mood", "mood", "time", "time", "use", "store", "replay", "replay", "run"}).Draw(t, "what")
	switch what {
	case "mood":
		n := rapid.IntRange(0, 2).Draw(t, "output")
		mood := rapid.SampledFrom(modelMoods).Draw(t, "mood")
		return step{fmt.Sprintf("out%d %s", n, mood), func(r *modelRun) { r.mood(n, mood) }}
	case "time":
		d := rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, 11 * time.Second,
			3 * time.Minute}).Draw(t, "after")
		return step{d.String(), func(*modelRun) { time.Sleep(d) }}
	case "use":
		s, b, workers := drawShape(t), drawBuffer(t), rapid.IntRange(1, 3).Draw(t, "workers")
		exchanged := rapid.Bool().Draw(t, "exchanged")
		return step{fmt.Sprintf("use %+v %+v, %d workers, other sinks: %t", s, b, workers,
			exchanged), func(r *modelRun) { r.use(s, b, workers, exchanged) }}
	case "store":
		works := rapid.Bool().Draw(t, "works")
		return step{fmt.Sprint("store works: ", works), func(r *modelRun) { r.storeWorks(works) }}
	case "replay":
		which := rapid.IntRange(0, 5).Draw(t, "which")
		return step{fmt.Sprint("replay ", which), func(r *modelRun) { r.replay(which) }}
	case "run":
		return step{"Run ends, and begins again", (*modelRun).again}
	}
	name := rapid.SampledFrom(modelNames).Draw(t, "name")
	in := rapid.SampledFrom(modelWants).Draw(t, "in")
	does := rapid.SampledFrom(modelDoes).Draw(t, "does")
	phase := rapid.SampledFrom([]string{"Pending", "Running"}).Draw(t, "phase")
	gone := rapid.IntRange(0, 6).Draw(t, "gone") == 0
	return step{fmt.Sprintf("%s: in %s, handler: %s, %s, gone: %t", name, in, does, phase, gone),
		func(r *modelRun) { r.change(name, in, does, phase, gone) }}
}

// run has everything happen, and returns what was wrong.
func (p *plan) run(t *testing.T) []string {
	r := newModelRun(t, p)
	r.start()
	for _, step := range p.steps {
		step.do(r)
		synctest.Wait()
		r.checkCounters()
	}
	r.end(p.grace)
	return r.wrong
}
