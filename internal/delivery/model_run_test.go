package delivery

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// TestModel: an outbox, receivers and a store of dead letters with every kind of trouble. Whatever
// happens, each entry ends once, in order, and the counters say how.
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

// step is something that happens.
type step struct {
	what string
	do   func(*run)
}

// plan is an outbox, and what happens to it.
type plan struct {
	seed     uint64
	overflow informer.Overflow
	capacity int
	pace     sink.Pace
	policy   Policy
	steps    []step
	retired  bool
}

func (p *plan) String() string {
	text := fmt.Sprintf("overflow %v, capacity %d, %+v, %+v, retired in the end: %t", p.overflow,
		p.capacity, p.pace, p.policy, p.retired)
	for _, s := range p.steps {
		text += "\n" + s.what
	}
	return text
}

func drawPace(t *rapid.T) sink.Pace {
	return sink.Pace{Batch: rapid.IntRange(0, 4).Draw(t, "batch"),
		Writes: rapid.IntRange(0, 3).Draw(t, "writes"),
		Wait:   time.Duration(rapid.IntRange(0, 1).Draw(t, "wait")) * 20 * time.Millisecond}
}

func drawPolicy(t *rapid.T) Policy {
	return Policy{MinBackoff: 10 * time.Millisecond, MaxBackoff: time.Second,
		GiveUpAfter: rapid.SampledFrom([]time.Duration{0, 0, 0, 30 * time.Second}).Draw(t,
			"give up")}
}

func drawPlan(t *rapid.T) *plan {
	p := &plan{seed: rapid.Uint64().Draw(t, "seed"), capacity: rapid.IntRange(1, 8).Draw(t,
		"capacity"), pace: drawPace(t), policy: drawPolicy(t),
		overflow: rapid.SampledFrom([]informer.Overflow{informer.OverflowLatest,
			informer.OverflowBlock, informer.OverflowDrop}).Draw(t, "overflow"),
		retired: rapid.IntRange(0, 4).Draw(t, "retired") == 0}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		p.steps = append(p.steps, drawStep(t))
	}
	return p
}

func drawStep(t *rapid.T) step {
	what := rapid.SampledFrom([]string{"offer", "offer", "offer", "offer", "offer", "mood", "mood",
		"time", "store", "again", "use", "resize", "replay", "configure", "cut", "restart"}).Draw(t,
		"what")
	switch what {
	case "mood":
		mood := rapid.SampledFrom(moods).Draw(t, "mood")
		return step{"it " + mood, func(r *run) { r.set(&r.receiver.mood, mood) }}
	case "store":
		does := rapid.SampledFrom([]string{"works", "full", "fails"}).Draw(t, "store")
		return step{"store: " + does, func(r *run) { r.set(&r.store, does) }}
	case "time":
		d := rapid.SampledFrom([]time.Duration{time.Millisecond, 15 * time.Millisecond, time.Second,
			time.Minute}).Draw(t, "after")
		return step{d.String(), func(*run) { time.Sleep(d) }}
	case "again":
		return step{what, func(r *run) {
			r.cancel()
			<-r.ended
			r.start()
		}}
	case "cut":
		return step{what, func(r *run) { r.cuts = appendCut(r.cuts, r.outbox) }}
	case "restart":
		capacity := rapid.IntRange(1, 8).Draw(t, "capacity")
		return step{fmt.Sprint("restart ", capacity), func(r *run) { r.restart(capacity) }}
	case "configure":
		return step{what, func(r *run) { r.configure() }}
	case "use":
		pace, policy := drawPace(t), drawPolicy(t)
		return step{fmt.Sprintf("use %+v %+v", pace, policy), func(r *run) { r.use(pace, policy) }}
	}
	if what == "resize" {
		capacity := rapid.IntRange(1, 8).Draw(t, "capacity")
		return step{fmt.Sprint("resize ", capacity), func(r *run) {
			if err := r.outbox.Resize(capacity, r.overflow); err != nil {
				r.say("resize: %v", err)
			}
		}}
	}
	name := rapid.SampledFrom(names).Draw(t, "name")
	if what == "replay" {
		return step{"replay " + name, func(r *run) { r.replay(name, true) }}
	}
	wanted := rapid.IntRange(0, 4).Draw(t, "wanted") > 0
	violated := [2]bool{rapid.Bool().Draw(t, "violated"), rapid.Bool().Draw(t, "violated too")}
	made := 0
	if wanted {
		made = rapid.IntRange(0, 2).Draw(t, "made")
	}
	return step{fmt.Sprintf("offer %s, wanted: %t, violated: %v, made: %d", name, wanted, violated,
		made), func(r *run) { r.offer(name, wanted, violated, made) }}
}

// run has everything happen, and returns what was wrong.
func (p *plan) run(t *testing.T) (wrong []string) {
	r := &run{world: &world{random: rand.New(rand.NewPCG(p.seed, 0))}, t: t,
		last: map[string]*object.Object{}, seen: map[string]*object.Object{},
		offered: map[string]int{}, final: map[string]int{},
		overflow: p.overflow}
	r.book = newBook(r.world)
	r.configure()
	r.open(r.use(p.pace, p.policy), p.capacity, p.policy)
	r.start()
	for _, step := range p.steps {
		step.do(r)
		s := r.outbox.Stats()
		if s.Offered != s.Delivered+s.DeadLettered+s.Dropped+s.Merged+s.Waiting {
			r.say("the counters do not add up: %+v", s)
		}
		// failed, marked, or with a sender; and after a restart, all that were
		if s.Queued > 2*8+3*4 && r.past == (Stats{}) || s.Queued > 100 {
			r.say("%d are queued", s.Queued)
		}
	}
	r.set(&r.receiver.mood, "takes")
	r.set(&r.store, "works")
	if p.retired {
		r.retired.Store(true)
		r.outbox.Retire()
	} else {
		r.recall()
		r.outbox.Stop()
	}
	select {
	case err := <-r.ended:
		if err != nil {
			r.say("Run: %v", err)
		}
	case <-time.After(time.Hour):
		r.say("Run has not returned after an hour: %+v", r.outbox.Stats())
		r.cancel()
		<-r.ended
	}
	r.cancel()
	r.check()
	if n := r.replays.Load(); n != 0 {
		r.say("%d replays have not ended", n)
	}
	if len(r.wrong) > 0 {
		r.say("heard: %+v", r.all)
	}
	return r.wrong
}

// open makes the outbox.
func (r *run) open(to *Output, capacity int, policy Policy) {
	var err error
	r.outbox, err = New(to, Config{Listener: "l", Capacity: capacity, Overflow: r.overflow,
		Policy: policy, Letters: r.world, Keep: true,
		Log: &FailureLog{Logger: slog.New(slog.DiscardHandler)}})
	if err != nil {
		r.t.Fatal(err)
	}
}

// restart goes on with another outbox, which has what was unsent. Replays end with the process.
func (r *run) restart(capacity int) {
	r.cancel()
	<-r.ended
	r.cuts = appendCut(r.cuts, r.outbox)
	before, s := r.outbox, r.outbox.Stats()
	r.past.Offered += s.Offered - s.Waiting
	r.past.Delivered += s.Delivered
	r.past.DeadLettered += s.DeadLettered
	r.past.Dropped += s.Dropped
	r.open(r.receiver.out, capacity, *before.policy.Load())
	if err := r.outbox.Restore(backlog(r.t, r.cuts...), r.maker); err != nil {
		r.t.Fatal(err)
	}
	r.book.restart()
	r.replays.Store(0)
	r.start()
}

// set sets something that others read.
func (r *run) set(what *string, to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*what = to
}

// check compares what was heard with what was offered, when all is quiet.
func (r *run) check() {
	s := r.outbox.Stats()
	s.Offered, s.Delivered = s.Offered+r.past.Offered, s.Delivered+r.past.Delivered
	s.DeadLettered, s.Dropped = s.DeadLettered+r.past.DeadLettered, s.Dropped+r.past.Dropped
	offered, known := 0, 0
	seen := map[string]bool{}
	entries, latest := map[string]int{}, map[string]int{}
	before, reports := map[string]heard{}, 0 // letters
	delivered, letters := 0, 0
	ends := map[string]bool{} // entries, and whether they have a letter
	for _, h := range r.all {
		if b := before[h.name]; h.version < b.version || h.configuration < b.configuration {
			r.say("%+v after %+v", h, b)
		}
		before[h.name] = h
		if h.part == "report" {
			if h.letter {
				reports++
			}
			continue
		}
		entry := fmt.Sprint(h.name, h.version)
		if about := fmt.Sprintf("%s %s", entry, h.part); h.part != "letter" && seen[about] {
			r.say("%s came twice", about)
		} else {
			seen[about] = true
		}
		if _, there := ends[entry]; !there {
			entries[h.name] += 1 + h.missed
		}
		ends[entry] = ends[entry] || h.letter
		latest[h.name] = h.version
	}
	for _, letter := range ends {
		if letter {
			letters++
		} else {
			delivered++
		}
	}
	for name, n := range r.offered {
		offered += n
		known += entries[name]
		if r.overflow != informer.OverflowDrop && entries[name] != n {
			r.say("%s: %d offered, %d known", name, n, entries[name])
		}
		if last := latest[name]; r.overflow != informer.OverflowDrop && last != r.final[name] {
			r.say("%s: version %d is the last, %d is known", name, r.final[name], last)
		}
	}
	if int(s.Offered) != offered || int(s.Delivered) != delivered ||
		int(s.DeadLettered) != letters || s.Waiting != 0 || s.Queued != 0 || s.Made != 0 ||
		known+int(s.Dropped) != offered {
		r.say("%d offered, %d delivered, %d letters, %d known, but %+v", offered, delivered,
			letters,
			known, s)
	}
	r.book.check(!r.retired.Load(), reports)
}

// names are those of the objects.
var names = []string{"a", "b", "c", "d"}

// recall offers what is owed until nothing is, as a route does.
func (r *run) recall() {
	for range 20 {
		time.Sleep(3 * time.Minute)
		owed := false
		for _, name := range names {
			if r.book.owes(name) {
				owed = true
				r.replay(name, false)
			}
		}
		if !owed {
			return
		}
	}
	r.say("there is still something owed")
}
