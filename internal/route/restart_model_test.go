package route

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// TestModelOfRestarts: whatever is cut, and whenever the process stops or is killed, nothing is
// lost, each object's messages come in order, rules alternate, and twice comes only what a killed
// process had done since its last cut. The server may be restored from a backup at any time.
func TestModelOfRestarts(t *testing.T) {
	again := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := restartPlan{capacity: rapid.SampledFrom([]int{1, 2, 5, 1000}).Draw(rt, "capacity"),
			workers: rapid.IntRange(1, 3).Draw(rt, "workers"),
			handler: rapid.Bool().Draw(rt, "handler"), backup: rapid.Bool().Draw(rt, "backup"),
			seed: rapid.Uint64().Draw(rt, "seed")}
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			p.steps = append(p.steps, rapid.SampledFrom([]string{"a Pending", "a Running",
				"b Pending", "b Running", "c Pending", "a gone", "b gone", "a Pending", "a Running",
				"a Failed", "a Failed", "b Failed", "back 1", "back 3", "back 9",
				"takes 0", "fails 0", "hangs 1", "takes 1", "differs 1", "fails 2", "takes 2",
				"cut", "cut", "whole", "late cut", "stop", "drain", "crash", "crash", "append",
				"stop behind", "drain behind", "crash behind", "hear",
				"use 2", "use 3", "1ms", "1s", "11s"}).Draw(rt, "step"))
		}
		var wrong []string
		synctest.Test(t, func(t *testing.T) {
			r := newRestarting(t, p)
			for _, step := range p.steps {
				r.do(step)
				synctest.Wait()
				r.mu.Lock()
				r.quiet = len(r.heard)
				r.mu.Unlock()
			}
			r.finish()
			wrong, again = r.wrong, again+r.again
		})
		if len(wrong) > 0 {
			rt.Fatalf("%+v\n%s", p, strings.Join(wrong, "\n"))
		}
	})
	if again == 0 && !testing.Short() {
		t.Error("nothing came twice: this test says nothing")
	}
}

// restartPlan is what happens to a route.
type restartPlan struct {
	capacity, workers int
	handler, backup   bool
	seed              uint64
	steps             []string
}

// life is what there is of a route until its process ends.
type life struct {
	route  *Route
	queue  *informer.Subscription
	book   *rules.Book
	cancel func()
	ended  chan error
	dead   bool    // nothing is kept any more
	from   *wanted // whose From is that of all events
}

// onDisk is what the last cut has, and what an informer's store had.
type onDisk struct {
	cuts   []recordtest.Cut
	told   map[string]*object.Object
	stored map[string]*object.Object
	events int // that there had been
	backs  int
	heard  int // messages that it knows of
}

// restarting is a route that goes on in another process.
type restarting struct {
	*modelWorld
	t    *testing.T
	plan restartPlan
	life
	rule    *rules.Rule
	outputs int
	uid     int
	cutting chan struct{} // has one while nobody cuts

	// guarded by the world's mu
	disk    onDisk
	acked   map[string]*object.Object // what the subscription's objects were when they were done
	stored  map[string]*object.Object
	changes []event.Event
	states  []map[string]*object.Object // after each change, which a backup has
	backs   int                         // how often the server was restored from one
	excused map[string]int              // objects of which receivers may know what a killed process took with it
	ahead   map[string]int              // how often versions may come again once others have gone back
	covered map[string]bool             // versions that a later one stands for
	free    map[string]int              // how often versions may come again
	unknown map[string]bool             // versions whose end a killed process may not have known to be due
	heard   []restartHeard
	quiet   int // how many of them the route knows of
	shaky   map[string]bool
	known   map[string]bool // violations, by output and object
	again   int
	crashed bool
	behind  bool // the informer has heard of nothing since the restart
}

// restartHeard is a message that an output took.
type restartHeard struct {
	output  int
	name    string
	op      event.Op
	version string
	part    string // the message's type, if a handler made it
}

func (h restartHeard) String() string {
	return fmt.Sprintf("out%d %s %v@%s%s", h.output, h.name, h.op, h.version, h.part)
}

func newRestarting(t *testing.T, p restartPlan) *restarting {
	t.Helper()
	r := &restarting{modelWorld: newModelWorld(t), t: t, plan: p, outputs: 2,
		cutting: make(chan struct{}, 1), acked: map[string]*object.Object{},
		stored: map[string]*object.Object{}, covered: map[string]bool{},
		free: map[string]int{}, unknown: map[string]bool{}, shaky: map[string]bool{}, known: map[string]bool{},
		excused: map[string]int{}, ahead: map[string]int{}}
	d := pending(10 * time.Second)
	d.Deny.Kind = filters.KindDeny
	var err error
	if r.rule, err = rules.Compile(d); err != nil {
		t.Fatal(err)
	}
	r.disk.told, r.disk.stored = map[string]*object.Object{}, map[string]*object.Object{}
	r.cutting <- struct{}{}
	r.begin(&Saved{})
	return r
}

// pipeline returns a pipeline to so many outputs.
func (r *restarting) pipeline() *Pipeline {
	p := &Pipeline{Rules: r.book, RuleSet: []*rules.Rule{r.rule}, Messages: newMessages(r.t),
		Filter: expressionOf(r.t, filters.KindFilter, `object.status.phase != "Failed" || op == "delete"`),
		On:     event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete)}
	for _, name := range r.names() {
		n := len(p.Outputs)
		to := delivery.NewOutput(name, &restartReceiver{r, n}, slog.New(slog.DiscardHandler))
		p.Outputs = append(p.Outputs, Output{To: to})
	}
	if r.plan.handler {
		p.Batch, p.batches = 3, func() bool { return true }
		p.newGuest = func(context.Context) (guest, error) { return restartGuest{}, nil }
	}
	return p
}

func (r *restarting) names() []string { return []string{"out0", "out1", "out2"}[:r.outputs] }

// begin begins a life with what an earlier one has kept.
func (r *restarting) begin(s *Saved) {
	queue, err := informer.NewSubscription(informer.SubscriptionConfig{Name: "l", Capacity: 1000})
	if err != nil {
		r.t.Fatal(err)
	}
	r.life = life{queue: queue, ended: make(chan error, 1), from: &wanted{Delivery: &informer.Delivery{}}}
	r.from.From = newOf(r.from.From)
	from := r.from.From
	if all := []*rules.Rule{r.rule}; s.Rules() != nil {
		r.book = rules.Restore(all, r.names(), s.Rules(), time.Now())
	} else {
		r.book = rules.NewBook(all, r.outputs)
	}
	r.route, err = New(Config{Name: "l", Subscription: noted{queue, r.done, r.from},
		Retry:   Retry{Attempts: 2, MinBackoff: time.Second, MaxBackoff: time.Minute},
		Buffer:  Buffer{Capacity: r.plan.capacity, Overflow: informer.OverflowBlock},
		Letters: r.store, Workers: r.plan.workers, Log: slog.New(slog.DiscardHandler),
		Keep: true, Await: r.await, Rewound: from.Rewound.Load})
	if err == nil {
		err = r.route.Use(r.pipeline())
	}
	if err == nil {
		err = r.route.Restore(s)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	r.cancel = cancel
	go func(l life) { l.ended <- l.route.Run(ctx) }(r.life)
}

// goOn begins a life with what is on disk, and has the subscription say what has happened since.
func (r *restarting) goOn(crashed, behind bool) {
	s := saved(r.t, r.disk.cuts...)
	r.mu.Lock()
	r.crashed = r.crashed || crashed
	if crashed {
		again, heard := map[string]int{}, map[restartHeard]int{}
		for _, h := range r.heard[r.disk.heard:] {
			heard[h]++
			again[h.version] = max(again[h.version], heard[h])
		}
		for _, out := range r.names() {
			for _, name := range modelNames {
				r.shaky[out+name] = true
			}
		}
		for _, e := range r.changes[r.disk.events:] {
			again[e.Object.ResourceVersion()]++
		}
		for _, e := range r.changes[:r.disk.events] {
			version := e.Object.ResourceVersion()
			if r.newer(version, r.disk.told[e.Object.Name()], r.disk.events) {
				r.unknown[version] = true
				r.ahead[version]++
			}
		}
		for version, n := range again {
			r.free[version] += n
		}
	}
	r.acked, r.behind = maps.Clone(r.disk.told), true
	r.mu.Unlock()
	if r.begin(s); !behind {
		r.hear()
	}
}

// hear has the subscription say what has happened since the last cut before the restart.
func (r *restarting) hear() {
	r.mu.Lock()
	if !r.behind {
		r.mu.Unlock()
		return
	}
	r.behind = false
	stored, events := r.disk.stored, r.disk.events
	if r.backs > r.disk.backs { // then there is nothing to watch from, and a list
		stored, events = maps.Clone(r.stored), len(r.changes)
		r.from.From.Rewound.Store(true)
	}
	for _, e := range r.changes[:events] {
		name, version := e.Object.Name(), e.Object.ResourceVersion()
		was, is := r.disk.told[name], stored[name]
		if !r.newer(version, was, events) {
			continue
		}
		if r.crashed && was == is { // it has gone back to what the informer had said of it
			r.excused[name] = events
		}
		r.covered[version] = r.covered[version] || is == nil || is.ResourceVersion() != version
	}
	r.mu.Unlock()
	for _, name := range modelNames {
		was, is := r.disk.told[name], stored[name]
		if was != nil && (is == nil || is.UID() != was.UID()) {
			if r.crashed { // receivers may know of a later state
				r.free[was.ResourceVersion()]++
			}
			r.offer(event.Event{Op: event.Delete, Object: was, FinalStateUnknown: true})
			was = nil
		}
		switch {
		case is == nil:
		case was == nil:
			r.offer(event.Event{Op: event.Add, Object: is})
		case was != is:
			r.offer(event.Event{Op: event.Update, Object: is, Old: was})
		}
	}
	for _, e := range r.changes[events:] {
		r.offer(e)
	}
	r.rescan()
	if err := r.route.EndAbsent(r.t.Context(), r.isStored); err != nil {
		r.say("EndAbsent: %v", err)
	}
}

// newer reports whether a version came after an object's, which may be nil, in the first changes. The
// caller holds mu.
func (r *restarting) newer(version string, o *object.Object, first int) bool {
	if o == nil {
		return true
	}
	came := false
	for _, e := range r.changes[:first] {
		is := e.Object.ResourceVersion()
		if came && is == version {
			return true
		}
		came = came || is == o.ResourceVersion()
	}
	return false
}

func number(version string) (n int) {
	_, _ = fmt.Sscan(version, &n)
	return n
}

func (r *restarting) isStored(key event.Key) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stored[key.Name] != nil
}

func (r *restarting) rescan() {
	for _, name := range slices.Sorted(maps.Keys(r.stored)) {
		r.offer(event.Event{Op: event.Resync, Object: r.stored[name]})
	}
}

func (r *restarting) offer(e event.Event) {
	if _, err := r.queue.Offer(e, nil); err != nil {
		r.say("Offer: %v", err)
	}
}

// done notes what an event has made known.
func (r *restarting) done(e event.Event, by informer.Progress) {
	if p, _ := by.(*progress); p != nil && p.stored != nil || e.Op == event.Resync {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.acked[e.Object.Name()] = e.Object
	if e.Op == event.Delete {
		delete(r.acked, e.Object.Name())
	}
}

// cut has what has changed on disk, or everything. A late one has what happens in between.
func (r *restarting) cut(whole bool, late time.Duration) error {
	<-r.cutting
	defer func() { r.cutting <- struct{}{} }()
	l := r.life
	r.mu.Lock()
	disk := onDisk{told: maps.Clone(r.acked), stored: maps.Clone(r.stored),
		events: len(r.changes), heard: r.quiet, backs: r.backs}
	if r.behind {
		disk.stored, disk.events, disk.backs = r.disk.stored, r.disk.events, r.disk.backs
	}
	r.mu.Unlock()
	if late > 0 {
		r.hear()
		time.Sleep(late)
	}
	var cut recordtest.Cut
	if whole {
		cut = recordtest.Of(l.route.Whole)
	} else {
		cut = recordtest.Of(l.route.Cut)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return errors.New("the process is dead")
	}
	switch disk.cuts = slices.Clone(r.disk.cuts); {
	case whole:
		disk.cuts = []recordtest.Cut{cut}
	case len(cut) > 0:
		disk.cuts = append(disk.cuts, cut)
	}
	r.disk = disk
	return nil
}

// await is the route's Await.
func (r *restarting) await(ctx context.Context) error {
	r.mu.Lock()
	d := time.Duration(r.random.IntN(200)) * time.Millisecond
	r.mu.Unlock()
	select {
	case <-time.After(d):
	case <-ctx.Done():
		return ctx.Err()
	}
	return r.cut(false, 0)
}

// end ends the life that there is.
func (r *restarting) end() {
	r.cancel()
	if err := <-r.ended; err != nil && !errors.Is(err, context.Canceled) {
		r.say("Run: %v", err)
	}
	r.queue.Discard()
}

func (r *restarting) do(step string) {
	what, arg, _ := strings.Cut(step, " ")
	if d, err := time.ParseDuration(step); err == nil {
		time.Sleep(d)
		return
	}
	switch what {
	case "takes", "fails", "hangs", "differs":
		r.mood(number(arg), what)
	case "cut", "whole", "late":
		late := time.Duration(0)
		if what == "late" {
			late = 2 * time.Millisecond
		}
		if err := r.cut(what == "whole", late); err != nil {
			r.say("%v", err)
		}
	case "drain":
		ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Second)
		_ = r.route.Drain(ctx)
		cancel()
		r.stop(arg == "behind")
	case "stop":
		r.stop(arg == "behind")
	case "hear":
		r.hear()
	case "back":
		if r.plan.backup {
			r.back(number(arg))
		}
	case "append": // the same, by the state that is on disk
		r.mu.Lock()
		r.disk.cuts = []recordtest.Cut{recordtest.Of(recordtest.Apply(r.disk.cuts...).Write)}
		r.mu.Unlock()
	case "crash":
		r.mu.Lock()
		r.dead = true
		r.mu.Unlock()
		r.end()
		r.goOn(true, arg == "behind")
	case "use":
		r.outputs = number(arg)
		<-r.cutting
		if err := r.route.Use(r.pipeline()); err != nil {
			r.say("Use: %v", err)
		}
		if r.cutting <- struct{}{}; !r.behind {
			r.rescan()
		}
	default:
		r.change(what, arg)
	}
}

// stop ends the process in order, and begins another one.
func (r *restarting) stop(behind bool) {
	r.end()
	r.mu.Lock()
	r.quiet = len(r.heard)
	r.mu.Unlock()
	if err := r.cut(false, 0); err != nil {
		r.say("%v", err)
	}
	r.checkCut()
	r.goOn(false, behind)
}

// checkCut checks that cuts add up to everything.
func (r *restarting) checkCut() {
	records := recordtest.Apply(r.disk.cuts...)
	all := recordtest.Apply(recordtest.Of(r.route.Whole))
	added, whole := saved(r.t, r.disk.cuts...), saved(r.t, recordtest.Of(r.route.Whole))
	if added.Unsent() != whole.Unsent() || !maps.Equal(added.UnsentTo(), whole.UnsentTo()) ||
		!maps.EqualFunc(records[rules.Part], all[rules.Part], func(a, b record.Record) bool {
			return bytes.Equal(a.Value, b.Value)
		}) {
		r.say("the cuts have %d for %v, and there are %d for %v", added.Unsent(), added.UnsentTo(),
			whole.Unsent(), whole.UnsentTo())
	}
}

func (r *restarting) mood(n int, mood string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moods[n] = mood
}

// change is the next event of an object.
func (r *restarting) change(name, phase string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.stored[name]
	if phase == "gone" && old == nil {
		return
	}
	uid := ""
	if old == nil {
		r.uid++
		uid = fmt.Sprint("u", r.uid)
	} else {
		uid = old.UID()
	}
	o, err := parsed(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,`+
		`"namespace":"shop","uid":%q,"resourceVersion":"%d"},"status":{"phase":%q}}`, name, uid,
		len(r.states)*1000+1000+r.backs, phase))
	if err != nil {
		r.t.Fatal(err)
	}
	e := event.Event{Op: event.Update, Object: o, Old: old}
	switch {
	case phase == "gone":
		e.Op, e.Old = event.Delete, nil
	case old == nil:
		e.Op = event.Add
	}
	if r.stored[name] = o; e.Op == event.Delete {
		delete(r.stored, name)
	}
	r.states = append(r.states, maps.Clone(r.stored))
	r.covered[o.ResourceVersion()] = phase == "Failed"
	r.happens(e)
}

// happens is a change, for the caller who holds mu.
func (r *restarting) happens(e event.Event) {
	r.changes = append(r.changes, e)
	if r.behind {
		return
	}
	if _, err := r.queue.Offer(e, nil); err != nil {
		r.sayLocked("Offer: %v", err)
	}
}

// back restores the server from a backup that lacks the last changes. Versions begin again there.
func (r *restarting) back(changes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.states = r.states[:max(0, len(r.states)-changes)]
	before := r.stored
	r.stored = map[string]*object.Object{}
	if len(r.states) > 0 {
		r.stored = maps.Clone(r.states[len(r.states)-1])
	}
	if r.backs++; !r.behind {
		r.from.From.Rewound.Store(true)
	}
	for _, name := range modelNames {
		was, is := before[name], r.stored[name]
		if was != nil && (is == nil || is.UID() != was.UID()) {
			r.happens(event.Event{Op: event.Delete, Object: was, FinalStateUnknown: true, Resumed: true})
			was = nil
		}
		switch {
		case is == nil:
		case was == nil:
			r.happens(event.Event{Op: event.Add, Object: is, Resumed: true})
		case was != is:
			r.happens(event.Event{Op: event.Update, Object: is, Old: was, Resumed: true})
		}
	}
}

// finish has everything delivered, and checks what was heard.
func (r *restarting) finish() {
	for n := range r.moods {
		r.mood(n, "takes")
	}
	time.Sleep(10 * time.Minute)
	r.stop(false)
	time.Sleep(10 * time.Minute)
	if err := r.route.Drain(r.t.Context()); err != nil {
		r.say("Drain: %v", err)
	}
	r.end()
	if err := r.cut(false, 0); err != nil {
		r.say("%v", err)
	}
	s := saved(r.t, r.disk.cuts...)
	if n := s.Unsent(); n != 0 {
		r.say("%d entries for %v are unsent", n, s.UnsentTo())
	}
	r.check()
	if err := r.store.Close(); err != nil {
		r.say("Close: %v", err)
	}
}
