package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// worker is one goroutine of a route.
type worker struct {
	route *Route
	stages

	// The buffers of the current turn, used again by the next one.
	taken    []informer.Delivery
	wanted   []wanted      // those taken that are for the handler and the outputs
	events   []event.Event // the same, for the handler
	finished []*wanted     // those of which it is known what goes to the outputs
	going    []going       // what that is, by output
	asOf     time.Time     // when conditions of the present event are decided, see arrival
	memory   int64         // bytes that the guest had after its last call
	crowded  bool          // an outbox has little room, which is not for objects that fail
	// waiting ends when the worker is to end: it waits with that for events, for room and in
	// pauses.
	waiting context.Context
	// step is when the present step began, in ns since 1970; 0 if the worker has none.
	step atomic.Int64
}

// stages are a worker's evaluators and handler instance for a pipeline.
type stages struct {
	pipeline  *Pipeline
	selector  *filters.Evaluator
	earlier   *filters.Evaluator // of Before; nil without one
	matcher   *filters.Evaluator
	judge     *rules.Evaluator
	outputs   []outputStage
	guest     guest // nil without a handler
	nextBatch int   // size of the handler's next batch; 0: the largest allowed
}

// wanted is an event that is for the handler and the outputs.
type wanted struct {
	*informer.Delivery
	event event.Event // as the select has it
	rest  progress
	trace *tracing.Trace // nil if it is not traced
}

// open makes the pipeline the worker's. With an error, the worker has none.
func (w *worker) open(ctx context.Context, p *Pipeline) (err error) {
	s := stages{pipeline: p, selector: p.evaluator(p.Select), matcher: p.evaluator(p.Filter)}
	if p.Before != nil {
		s.earlier = p.evaluator(p.Before.Select)
	}
	if p.Rules != nil {
		s.judge = p.Rules.Evaluator(p.Caches)
	}
	w.decideAsOf(s.matcher)
	for _, out := range p.Outputs {
		stage := out.stage()
		w.decideAsOf(stage.when)
		s.outputs = append(s.outputs, stage)
	}
	if p.newGuest != nil {
		if s.guest, err = p.newGuest(ctx); err != nil {
			return fmt.Errorf("listener %q: %w", w.route.name, err)
		}
		if g, ok := s.guest.(metered); ok {
			w.hasMemory(g.Stats().Memory)
		}
		w.route.stats.handled.any.Store(true)
	}
	w.stages, w.going = s, make([]going, len(p.destinations))
	return nil
}

// evaluator returns an evaluator of the expression, nil if there is none.
func (p *Pipeline) evaluator(f *filters.Filter) *filters.Evaluator {
	if f == nil {
		return nil
	}
	e := f.Evaluator()
	e.Caches = p.Caches
	return e
}

// decideAsOf has a condition count ages to asOf, unless it has a time of its own.
func (w *worker) decideAsOf(e *filters.Evaluator) {
	if e != nil && e.Clock == nil {
		e.Clock = func() time.Time { return w.asOf }
	}
}

// arrival returns when an event arrived or, if it is of a list, when the listener got it. Conditions
// are decided as of then: how long a receiver is away must not decide what is filtered.
func arrival(e *informer.Entry) time.Time {
	if at := cmp.Or(e.Arrived, e.Since); at != 0 {
		return at.Time()
	}
	return time.Now()
}

// close leaves the worker without a pipeline.
func (w *worker) close() {
	g := w.guest
	w.stages = stages{}
	w.hasMemory(0)
	if g == nil {
		return
	}
	// Not the ctx of Run, which may be done.
	if err := g.Close(context.Background()); err != nil {
		w.route.log.Warn("cannot close the handler's instance", "error", err)
	}
}

// run works on events, as one of so many workers.
func (w *worker) run(ctx context.Context, workers int) error {
	r := w.route
	for {
		if err := ctx.Err(); err != nil {
			return err // what there is may not count as tried
		}
		r.breaker.Rest(w.waiting, r.subscription.Stopped())
		w.awaitRoom()
		d, err := r.subscription.Next(w.waiting)
		switch {
		case errors.Is(err, informer.ErrStopped):
			return nil
		case err != nil:
			return ctx.Err() // nil: it is paused
		}
		r.busy.working.Add(1)
		w.step.Store(time.Now().UnixNano())
		w.taken = append(w.taken[:0], d)
		if size := w.batchSize(); size > 1 && w.waiting.Err() == nil {
			size = w.pipeline.room(size)
			w.taken = r.subscription.More(w.taken, size-1, workers)
		}
		w.turn(ctx)
		w.step.Store(0)
		r.busy.working.Add(-1)
	}
}

// turn takes events through the pipeline, and acknowledges them.
func (w *worker) turn(ctx context.Context) {
	w.crowded = slices.ContainsFunc(w.pipeline.destinations,
		func(to *destination) bool { return to.Crowded() })
	for i := range w.taken {
		w.prepare(ctx, &w.taken[i])
	}
	if w.guest != nil {
		w.handle(ctx)
	} else {
		w.passOn()
	}
	// A worker that waits refers to no objects.
	clear(w.taken)
	clear(w.wanted)
	clear(w.events)
	w.wanted, w.events = w.wanted[:0], w.events[:0]
}

// prepare takes one event up to the handler. It is acknowledged, or among those that are wanted.
func (w *worker) prepare(ctx context.Context, d *informer.Delivery) {
	r, again := w.route, false
	if p, _ := d.Progress.(*progress); p != nil {
		switch {
		case p.replay != nil:
			w.replay(ctx, d, p.replay)
			return
		case !p.failed.IsZero():
			again = true
		case p.stored == nil:
			w.handOver(d, p)
			return
		case p.stored(d.Object.Key()):
			d.Done() // it has come back, and its events wait for this delivery
			return
		}
	}
	if w.crowded && w.pipeline.fails(d.Object.Key()) {
		d.Untried(untilRoom)
		return
	}
	if d.Attempt == 1 && !d.Recalled && !again {
		r.stats.received(d.Op)
	}
	rest := progress{pipeline: w.pipeline}
	began, trace := w.begin(d)
	e, selected := w.selected(d, &rest)
	if w.judge != nil {
		if err := w.judged(ctx, d, e, selected, &rest, trace); err != nil {
			trace.End(outcomeFailed, err)
			if w.waiting.Err() != nil {
				d.Untried(0)
			} else {
				d.Retry(r.retry.Load().delay(d.Attempt))
			}
			return
		}
	}
	wants, err := w.wants(ctx, d, e, selected)
	trace.Stage("filter", began, err)
	switch {
	case errors.Is(err, errUnsettled):
		trace.End(outcomeFailed, err)
		d.Progress = cmp.Or(d.Progress, informer.Progress(&progress{failed: time.Now()}))
		d.Untried(time.Until(e.Arrived.Time().Add(settling)))
		return
	case err != nil:
		trace.End(outcomeFailed, err)
		r.failed(ctx, d, &rest, err)
		return
	case !wants:
		trace.End(outcomeFiltered, nil)
		r.done(d, &rest)
		return
	}
	r.stats.matched.Add(1)
	w.wanted = append(w.wanted, wanted{d, e, rest, trace})
	if w.guest != nil {
		// a handler reads it more than once; outputs only write it
		e.Object = e.Object.Plain()
		w.events = append(w.events, e)
	}
}

// untilRoom is how long an event waits in the subscription, where events of its object can be
// merged, while those before it fail and a crowded outbox has no room for more of them.
const untilRoom = time.Second

// fails reports whether an object's entry waits for its retry in an outbox that is crowded.
func (p *Pipeline) fails(key event.Key) bool {
	return slices.ContainsFunc(p.destinations,
		func(to *destination) bool { return to.Crowded() && to.Fails(key) })
}

// wants reports whether the event is for the handler and the outputs. With an error that is not
// known.
func (w *worker) wants(ctx context.Context, d *informer.Delivery, e event.Event,
	selected bool) (bool, error) {
	p := w.pipeline
	switch {
	case !selected || p.Quiet || p.On != 0 && !p.On.Has(e.Op):
		return false, nil
	case d.Recalled && (e.Op == event.Resync || d.Op == event.Delete):
		return false, nil // nothing has happened, or it was refused before the buffer
	}
	w.asOf = arrival(&d.Entry)
	if matches, err := w.matches(e); err != nil || !matches {
		return false, err
	}
	if p.Own != nil && e.Op == event.Update && p.Own.Own(ctx, &d.Event) {
		w.route.stats.own.Add(1)
		return false, nil
	}
	return true, nil
}

// settling is how long an event waits for what its filter looks up and does not find: objects that
// are made together come from two informers, of which one may be ahead.
const settling = time.Second

var errUnsettled = errors.New("the filter looks up what may not have come yet")

func (w *worker) matches(e event.Event) (bool, error) {
	if w.matcher == nil {
		return true, nil
	}
	r := w.route
	ok, err := w.matcher.Match(e)
	if w.matcher.Missed() && e.Arrived != 0 && e.Op != event.Delete &&
		time.Since(e.Arrived.Time()) < settling {
		return false, errUnsettled
	}
	if err == nil {
		r.stats.filters.Worked()
	}
	if err != nil {
		r.stats.filterErrors.Add(1)
		r.stats.filters.Failed(err)
	}
	switch onError := w.pipeline.OnError; {
	case err != nil && onError == "pass":
		return true, nil
	case err != nil && onError != "skip":
		// If it only reads the event, it would fail again.
		return false, fault{reasonFilter, fmt.Errorf("the filter failed: %w", err),
			!w.pipeline.Filter.LooksAround()}
	case !ok:
		r.stats.filtered.Add(1)
	}
	return ok, nil
}
