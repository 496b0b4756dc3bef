package route

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// leavePlan is what happens to a listener with a select.
type leavePlan struct {
	capacity, workers int
	overflow          informer.Overflow
	seed              uint64
	steps             []string
}

// TestModelOfSelectsAndKills: whenever the process is killed, wherever it goes on, and whatever
// happens to the objects meanwhile, each output ends with the objects that are selected, and with
// no other ones. Without a kill, nothing ends that an output does not have.
func TestModelOfSelectsAndKills(t *testing.T) {
	kills, needless, needed, dir := 0, 0, 0, t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		p := leavePlan{capacity: rapid.SampledFrom([]int{1, 2, 100}).Draw(rt, "capacity"),
			workers: rapid.IntRange(1, 2).Draw(rt, "workers"),
			overflow: rapid.SampledFrom([]informer.Overflow{informer.OverflowLatest,
				informer.OverflowBlock, informer.OverflowSpill}).Draw(rt, "overflow"),
			seed: rapid.Uint64().Draw(rt, "seed")}
		for range rapid.IntRange(10, 120).Draw(rt, "steps") {
			p.steps = append(p.steps, rapid.SampledFrom([]string{"a in", "a out", "a in", "a out",
				"b in", "b out", "a other", "b other", "a gone", "b gone", "c in", "c out", "cut",
				"cut", "whole", "late cut", "wait", "wait", "wait", "kill", "kill", "kill compacted",
				"stop", "forget", "begin", "begin", "begin", "begin", "begin another", "bookmark",
				"takes 0", "hangs 0", "fails 0", "takes 0", "takes 1", "hangs 1", "takes 1"}).Draw(rt, "step"))
		}
		var wrong []string
		synctest.Test(t, func(t *testing.T) {
			w := newLeaveWorld(t, p, dir)
			for _, step := range p.steps {
				w.do(step)
			}
			w.finish()
			if wrong = w.wrong; len(wrong) > 0 {
				wrong = append(wrong, w.heard...)
			}
			kills, needless, needed = kills+w.kills, needless+w.needless, needed+w.doubted
		})
		if len(wrong) > 0 {
			rt.Fatalf("%+v\n%s", p, strings.Join(wrong, "\n"))
		}
	})
	t.Logf("%d kills, %d ends that were in doubt and needed, %d needless ones", kills, needed, needless)
	if !testing.Short() && (kills < 100 || needed == 0) {
		t.Errorf("%d kills, %d ends that were in doubt and needed, %d needless ones", kills, needed,
			needless)
	}
}

// What the model has found once: an object that enters a select after its end was handed over, and is
// deleted while nothing runs.
func TestAnEndAfterAnEarlierOneIsNotLost(t *testing.T) {
	steps := strings.Split("a in;a out;a in;wait;a out;late cut;kill compacted;begin;a gone;wait;stop", ";")
	dir := t.TempDir()
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			w := newLeaveWorld(t, leavePlan{capacity: 1, workers: 1, overflow: informer.OverflowSpill,
				seed: seed, steps: steps}, dir)
			for _, step := range steps {
				w.do(step)
			}
			if w.finish(); len(w.wrong) > 0 {
				t.Error(seed, w.wrong)
			}
		})
	}
}

// leaveWorld is a listener that is killed all the time, with its informer and its outputs.
type leaveWorld struct {
	t        *testing.T
	plan     leavePlan
	folder   string
	server   *leaveServer
	selects  [2]*filters.Filter
	selected int // which of them is used
	life     leaveLife

	mu                       sync.Mutex
	random                   *rand.Rand
	wrong                    []string
	moods                    [2]string
	dead                     bool // the process is
	kept                     keptPods
	cuts                     []recordtest.Cut
	by                       int  // the select of the cuts
	killed                   bool // something may have been delivered after the last cut
	asked                    bool // the informer has begun with what was kept
	has                      [2]map[string]string
	heard                    []string
	kills, needless, doubted int
}

// leaveLife is a process.
type leaveLife struct {
	factory *informer.Factory
	queue   *informer.Subscription
	route   *Route
	cancel  context.CancelFunc
	running sync.WaitGroup
	alive   bool
	newest  [2]map[string]int // of names, what outputs got of selected objects
}

func newLeaveWorld(t *testing.T, p leavePlan, folder string) *leaveWorld {
	w := &leaveWorld{t: t, plan: p, folder: folder, server: newLeaveServer(),
		random: rand.New(rand.NewPCG(p.seed, 1)), moods: [2]string{"takes", "takes"}}
	for i, text := range []string{`object.status.phase == "in"`,
		`object.status.phase in ["in", "other"]`} {
		w.selects[i] = expression(t, text, filters.KindSelect)
		w.has[i] = map[string]string{}
	}
	w.begin()
	return w
}

func (w *leaveWorld) say(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// begin begins a process with what is kept.
func (w *leaveWorld) begin() {
	w.mu.Lock()
	kept, cuts, before := w.kept.clone(), slices.Clone(w.cuts), w.by
	killed := w.killed
	w.dead, w.asked, w.killed = false, true, true
	w.mu.Unlock()
	selects := w.selects[w.selected]
	w.server.begin(number(kept.version))
	cfg := informer.SubscriptionConfig{Name: "l", Capacity: w.plan.capacity,
		Overflow: w.plan.overflow, SpillDir: w.folder, SpillBytes: 24_000, Track: true,
		Transitions: true}
	p := Pipeline{Select: selects, Messages: newMessages(w.t)}
	another := kept.joined && before != w.selected
	if another {
		p.Before = &Selection{Select: w.selects[before]}
	} else {
		cfg.Conditions = selects.Conditions().List
	}
	w.life = leaveLife{factory: informer.NewFactory(w.server, nil), alive: true}
	l := &w.life
	l.newest = [2]map[string]int{{}, {}}
	l.factory.Stored = func(informer.InformerID) *informer.Stored {
		return kept.stored("l", killed)
	}
	log := slog.New(slog.DiscardHandler)
	for n := range w.has {
		p.Outputs = append(p.Outputs, Output{To: delivery.NewOutput(fmt.Sprint("out", n),
			&leaveReceiver{w, l, n}, log)})
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	l.cancel = cancel
	l.running.Go(func() { _ = l.factory.Run(ctx) })
	var err error
	if l.queue, err = informer.NewSubscription(cfg); err != nil {
		w.t.Fatal(err)
	}
	if _, err := l.factory.Subscribe(leavePods, informer.Scope{}, informer.Shape{},
		l.queue); err != nil {
		w.t.Fatal(err)
	}
	l.route, err = New(Config{Name: "l", Subscription: l.queue,
		Retry:   Retry{Attempts: 2, MinBackoff: time.Second, MaxBackoff: time.Minute},
		Buffer:  Buffer{Capacity: w.plan.capacity, Overflow: informer.OverflowLatest},
		Letters: &letters{}, Workers: w.plan.workers, Log: log, Keep: true,
		Await: func(context.Context) error { return w.cut(false, 0) }})
	if err == nil {
		err = l.route.exchange(&p)
	}
	if err == nil {
		err = l.route.Restore(saved(w.t, cuts...))
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if l.queue.Rescan(); another {
		w.mu.Lock()
		w.by = before
		w.mu.Unlock()
	}
	if !kept.joined { // nothing is delivered before the first list is kept
		synctest.Wait()
		if err := w.cut(false, 0); err != nil {
			w.say("%v", err)
		}
	}
	l.running.Go(func() { _ = l.route.Run(ctx) })
}

var leavePods = informer.Resource{Kind: "Pod",
	GroupVersionResource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}}

// cut keeps what has changed, or everything. A late one has what happens in between.
func (w *leaveWorld) cut(whole bool, late time.Duration) error {
	l := &w.life
	var cuts []informer.InformerCut
	by := w.selected
	if whole {
		_, cuts = l.factory.CutAndWhole()
	} else {
		cuts = l.factory.Cut()
	}
	time.Sleep(late)
	w.mu.Lock()
	if w.by != by && l.queue.Rescanning() {
		by = w.by
	}
	w.mu.Unlock()
	var cut recordtest.Cut
	if whole {
		cut = recordtest.Of(l.route.Whole)
	} else {
		cut = recordtest.Of(l.route.Cut)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead {
		return errors.New("the process is dead")
	}
	for i := range cuts {
		w.kept.apply(&cuts[i])
	}
	if whole {
		w.cuts = nil
	}
	w.cuts, w.by = append(w.cuts, cut), by
	l.factory.Kept([]string{"l"})
	return nil
}

// end ends the process at once.
func (w *leaveWorld) end() {
	w.mu.Lock()
	w.dead = true
	w.mu.Unlock()
	w.life.cancel()
	w.life.running.Wait()
	w.life.queue.Discard()
	w.life.alive = false
}

// stop ends the process in order.
func (w *leaveWorld) stop() {
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Second)
	_ = w.life.route.Drain(ctx)
	cancel()
	w.life.queue.Discard()
	synctest.Wait()
	if err := w.cut(false, 0); err != nil {
		w.say("%v", err)
	}
	w.mu.Lock()
	w.killed = w.kept.killed
	w.mu.Unlock()
	w.end()
}

func (w *leaveWorld) do(step string) {
	what, arg, _ := strings.Cut(step, " ")
	l := &w.life
	switch {
	case what == "wait":
		w.mu.Lock()
		d := time.Duration(w.random.IntN(5000)) * time.Microsecond
		w.mu.Unlock()
		time.Sleep(d)
	case what == "takes" || what == "hangs" || what == "fails":
		w.mu.Lock()
		w.moods[arg[0]-'0'] = what
		w.mu.Unlock()
	case what == "bookmark":
		w.server.bookmark()
	case what == "kill" && l.alive:
		w.mu.Lock()
		w.kills++
		w.mu.Unlock()
		if w.end(); arg == "compacted" {
			w.server.compact()
		}
	case what == "stop" && l.alive:
		w.stop()
	case what == "begin" && !l.alive:
		if arg == "another" {
			w.selected = 1 - w.selected
		}
		if w.begin(); arg == "another" { // it comes to all objects before anything else happens
			w.settle()
			if err := w.cut(false, 0); err != nil {
				w.say("%v", err)
			}
		}
	case what == "forget":
		w.server.compact()
	case (what == "cut" || what == "whole") && l.alive:
		if err := w.cut(what == "whole", 0); err != nil {
			w.say("%v", err)
		}
	case what == "late" && l.alive:
		if err := w.cut(false, time.Millisecond); err != nil {
			w.say("%v", err)
		}
	case arg == "gone":
		w.server.remove(what)
	case len(what) == 1:
		w.server.put(what, arg)
	}
}

// settle has the outputs take what waits.
func (w *leaveWorld) settle() {
	w.mu.Lock()
	clear(w.moods[:])
	w.mu.Unlock()
	time.Sleep(10 * time.Minute)
}

// finish has everything delivered, and compares.
func (w *leaveWorld) finish() {
	if !w.life.alive {
		w.begin()
	}
	w.settle()
	if err := w.life.route.Drain(w.t.Context()); err != nil {
		w.say("Drain: %v", err)
	}
	w.end()
	want := map[string]string{}
	for name, p := range w.server.pods {
		if p.phase == "in" || p.phase == "other" && w.selected == 1 {
			want[p.uid] = fmt.Sprint(name, " ", p.version)
		}
	}
	for n, has := range w.has {
		maps.DeleteFunc(has, func(uid, _ string) bool { return w.server.unseen[uid] })
		if !maps.Equal(has, want) {
			w.say("out%d has %v, want %v\n%s", n, has, want, strings.Join(w.heard, "\n"))
		}
	}
}

// leaveReceiver is the sink of an output, for a process.
type leaveReceiver struct {
	*leaveWorld
	of *leaveLife
	n  int
}

func (r *leaveReceiver) Pace() sink.Pace             { return sink.Pace{Batch: 1 + r.n} }
func (r *leaveReceiver) Close(context.Context) error { return nil }

func (r *leaveReceiver) Write(ctx context.Context, messages []sink.Message) []error {
	r.mu.Lock()
	mood, lasts := r.moods[r.n], time.Duration(r.random.IntN(2000))*time.Microsecond
	r.mu.Unlock()
	if mood == "hangs" {
		lasts = time.Minute
	}
	select {
	case <-time.After(lasts):
	case <-ctx.Done():
		return sink.AllFailed(len(messages), ctx.Err())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead || mood == "fails" {
		return sink.AllFailed(len(messages), errors.New("not now"))
	}
	for i := range messages {
		r.hear(&messages[i])
	}
	return make([]error, len(messages))
}

// hear notes what a receiver has after a message. The world is locked.
func (r *leaveReceiver) hear(m *sink.Message) {
	uid, has := m.Object.UID(), r.leaveWorld.has[r.n]
	r.heard = append(r.heard, fmt.Sprintf("out%d: %v %s %s %s, unknown: %t, missed %d", r.n, m.Op,
		m.Object.Name(), uid, m.ResourceVersion, m.FinalStateUnknown, m.Missed))
	if name, version := m.Object.Name(), number(m.ResourceVersion); m.Op != event.Delete {
		if version < r.of.newest[r.n][name] {
			r.wrong = append(r.wrong, fmt.Sprintf("out%d gets %s %d after a newer state", r.n, name,
				version))
		}
		r.of.newest[r.n][name] = version
	} else if version < r.of.newest[r.n][name] && r.server.is(name, r.of.newest[r.n][name]) {
		r.wrong = append(r.wrong, fmt.Sprintf("out%d gets the end of %s %d after a newer state, which is the last one",
			r.n, name, version))
	}
	if m.Op != event.Delete {
		has[uid] = m.Object.Name() + " " + m.ResourceVersion
		return
	}
	switch _, had := has[uid]; {
	case had && m.FinalStateUnknown:
		r.doubted++
	case had || m.Missed > 0:
	case r.kills == 0:
		r.wrong = append(r.wrong, fmt.Sprintf("out%d does not have %s, which ends, and nobody was killed",
			r.n, uid))
	default:
		r.needless++
	}
	delete(has, uid)
}
