package route

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// modelRun is one run of the model.
type modelRun struct {
	*modelWorld
	t        *testing.T
	route    *Route
	queue    *informer.Subscription
	messages *cloudevent.Builder
	book     *rules.Book
	rule     *rules.Rule
	filters  []*filters.Filter
	outputs  map[string]*modelOutput // that there are
	cancel   func()
	ended    chan error
	restarts bool // there were some
	last     map[string]*object.Object
	uid      int
}

func newModelRun(t *testing.T, p *plan) *modelRun {
	t.Helper()
	r := &modelRun{modelWorld: newModelWorld(t), t: t, outputs: map[string]*modelOutput{},
		last: map[string]*object.Object{}}
	var err error
	r.queue, err = informer.NewSubscription(informer.SubscriptionConfig{Name: "l"})
	if err == nil {
		r.messages, err = cloudevent.NewBuilder(
			sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range modelFilters {
		r.filters = append(r.filters, expression(t, text, filters.KindFilter))
	}
	d := pending(10 * time.Second)
	d.Deny.Kind = filters.KindDeny
	if r.rule, err = rules.Compile(d); err != nil {
		t.Fatal(err)
	}
	r.book = rules.NewBook(nil, 1)
	pipeline := r.pipeline(p.first, false)
	r.route, err = New(Config{Name: "l", Subscription: r.queue, Pipeline: pipeline,
		Retry:  Retry{Attempts: 2, MinBackoff: time.Second, MaxBackoff: time.Minute},
		Buffer: p.buffer, Workers: p.workers, PauseAfter: 3, Letters: r.modelWorld,
		Notes: r.store.Listener("l"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r.workers, r.lossy = p.workers, p.buffer.Overflow == informer.OverflowDrop
	return r
}

// pipeline returns the next version of the pipeline.
func (r *modelRun) pipeline(s shape, exchanged bool) *Pipeline {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shapes = append(r.shapes, s)
	version := len(r.shapes) - 1
	p := &Pipeline{Filter: r.filters[s.filter], Rules: r.book, RuleSet: []*rules.Rule{},
		On:       event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete),
		Messages: r.messages, Batch: s.batch}
	if s.rules {
		p.RuleSet = append(p.RuleSet, r.rule)
	}
	if s.handler {
		p.newGuest = func(context.Context) (guest, error) {
			return modelGuest{r.modelWorld, version}, nil
		}
		p.batches = func() bool { return s.batch > 1 }
	}
	kept := map[string]*modelOutput{}
	for i := range s.outputs {
		name := fmt.Sprint("out", i)
		out := r.outputs[name]
		if out == nil {
			out = &modelOutput{known: map[string]bool{}, refused: map[string]bool{}, whole: i == 0}
			r.all = append(r.all, out)
		}
		if out.to == nil || exchanged {
			pace := sink.Pace{Batch: i, Writes: 1 + version%2}
			out.to = delivery.NewOutput(name, &modelReceiver{r.modelWorld, out, i, pace},
				slog.New(slog.DiscardHandler))
		}
		kept[name] = out
		made := Output{To: out.to}
		if i == 1 {
			made.Data = expression(r.t, fmt.Sprint(version), filters.KindData)
		}
		p.Outputs = append(p.Outputs, made)
	}
	r.outputs = kept
	return p
}

func (r *modelRun) start() {
	ctx, cancel := context.WithCancel(r.t.Context())
	r.cancel, r.ended = cancel, make(chan error, 1)
	go func(ended chan error) { ended <- r.route.Run(ctx) }(r.ended)
	synctest.Wait()
}

// again ends Run and begins another one: what was under way goes on.
func (r *modelRun) again() {
	r.cancel()
	if err := <-r.ended; !errors.Is(err, context.Canceled) {
		r.say("Run ended with %v", err)
	}
	r.restarts = true
	r.start()
}

// use has another pipeline take over. All objects are judged by its rules.
func (r *modelRun) use(s shape, b Buffer, workers int, exchanged bool) {
	synctest.Wait()
	idle := r.queue.Waiting() == 0
	p := r.pipeline(s, exchanged)
	r.mu.Lock()
	for _, d := range r.events {
		if idle {
			d.settled = true
		}
		if !d.settled {
			d.until = len(r.shapes) - 1
		}
	}
	r.lossy = r.lossy || b.Overflow == informer.OverflowDrop
	r.back += uint64(r.workers * r.shapes[r.current].batch)
	r.workers = workers
	r.mu.Unlock()
	resume := r.route.Pause()
	r.route.Tune(Tuning{*r.route.retry.Load(), b, 3, workers})
	if err := r.route.Use(p); err != nil {
		r.say("Use: %v", err)
	}
	resume()
	r.mu.Lock()
	r.current = len(r.shapes) - 1
	r.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(r.last)) {
		r.offer(event.Event{Op: event.Resync, Object: r.last[name]})
	}
}

func (r *modelRun) offer(e event.Event) {
	if _, err := r.queue.Offer(e, nil); err != nil {
		r.say("Offer: %v", err)
	}
}

// change offers the next event of an object.
func (r *modelRun) change(name, in, does, phase string, gone bool) {
	old := r.last[name]
	if gone && old == nil {
		return
	}
	if old == nil {
		r.uid++
	}
	r.mu.Lock()
	version := len(r.events) + 1
	r.mu.Unlock()
	uid := fmt.Sprint("u", r.uid)
	if old != nil {
		uid = old.UID()
	}
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod",`+
		`"metadata":{"name":%q,"namespace":"shop","uid":%q,"resourceVersion":"%d"},`+
		`"spec":{"in":%q},"status":{"phase":%q}}`, name, uid, version, in, phase))
	if err != nil {
		r.t.Fatal(err)
	}
	e := event.Event{Op: event.Update, Object: o, Old: old}
	switch {
	case gone:
		e.Op, e.Old = event.Delete, nil
	case old == nil:
		e.Op = event.Add
	}
	if r.last[name] = o; gone {
		delete(r.last, name)
	}
	r.mu.Lock()
	r.events = append(r.events, &modelEvent{event: e, in: in, does: does, from: r.current,
		until: r.current})
	r.mu.Unlock()
	r.offer(e)
}

// replay replays a letter while the rest goes on, as the daemon does.
func (r *modelRun) replay(which int) {
	var all []deadletter.Letter
	for l, err := range r.store.List(r.t.Context(), deadletter.Query{}) {
		if err != nil {
			r.say("List: %v", err)
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		return
	}
	l := all[which%len(all)]
	d := r.eventOf(l.ResourceVersion)
	if d == nil {
		return // another object of this name has ended its violation
	}
	r.mu.Lock()
	d.replayed = true
	r.replays++
	r.mu.Unlock()
	r.running.Go(func() {
		ctx, cancel := context.WithTimeout(r.t.Context(), time.Hour)
		defer cancel()
		result, err := r.route.Replay(ctx, Replay{Letter: l, Event: d.event,
			Superseded: func() bool { return r.store.Superseded(l.ID) },
			Gone:       func() bool { return !r.store.Has(l.ID) }})
		if (err != nil) != (result == delivery.Failed) {
			r.say("a replay: %v, %v", result, err)
		}
		if result == delivery.Delivered || result == delivery.Filtered {
			if _, err := r.store.Delete(l.ID); err != nil {
				r.say("Delete: %v", err)
			}
		}
	})
}

func (r *modelRun) storeWorks(works bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = !works
}

func (r *modelRun) mood(n int, mood string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moods[n] = mood
}

// end drains the route, and checks what has come of everything.
func (r *modelRun) end(grace time.Duration) {
	r.storeWorks(true)
	begun, ctx, cancel := time.Now(), r.t.Context(), func() {}
	if grace > 0 {
		ctx, cancel = context.WithTimeout(ctx, grace)
	} else {
		for n := range r.moods {
			r.mood(n, "takes")
		}
		time.Sleep(10 * time.Minute) // what was merged away and is owed comes again
	}
	defer cancel()
	err := r.route.Drain(ctx)
	<-r.ended
	// storing a last letter may take a moment
	if late := time.Since(begun) - grace; grace > 0 && late > lastLetter {
		r.say("drained for %v too long", late)
	}
	r.running.Wait() // those whose outputs are away end with their contexts
	r.cancel()
	synctest.Wait()
	r.check(err == nil, grace == 0)
	if err := r.store.Close(); err != nil {
		r.say("Close: %v", err)
	}
}
