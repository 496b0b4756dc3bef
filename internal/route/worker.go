package route

import (
	"context"
	"errors"
	"fmt"

	"github.com/informerd/informerd/internal/sink"
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
	events   []event.Event // the same
	messages []sink.Message
}

// stages are a worker's evaluators and handler instance for a pipeline.
type stages struct {
	pipeline *Pipeline
	selector *filters.Evaluator
	matcher  *filters.Evaluator
	judge    *rules.Evaluator
	guest    guest // nil without a handler
	// batcher is the output if it is the only one, takes several messages at once, and there is no
	// handler; else nil.
	batcher   sink.Sink
	nextBatch int // size of the handler's next batch; 0: the largest allowed
}

// wanted is an event that is for the handler and the outputs.
type wanted struct {
	*informer.Delivery
	rest unsent
}

// open makes the pipeline the worker's. With an error, the worker has none.
func (w *worker) open(ctx context.Context, p *Pipeline) (err error) {
	w.close()
	s := stages{pipeline: p, selector: p.evaluator(p.Select), matcher: p.evaluator(p.Filter)}
	if p.Rules != nil {
		s.judge = p.Rules.Evaluator(p.Caches)
	}
	if p.newGuest != nil {
		if s.guest, err = p.newGuest(ctx); err != nil {
			return fmt.Errorf("listener %q: %w", w.route.name, err)
		}
	} else if len(p.Outputs) == 1 {
		if out := p.Outputs[0].Sink; out.Pace().Batch > 1 {
			s.batcher = out
		}
	}
	w.stages = s
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

// close leaves the worker without a pipeline.
func (w *worker) close() {
	g := w.guest
	w.stages = stages{}
	if g == nil {
		return
	}
	// Not the ctx of Run, which may be done.
	if err := g.Close(context.Background()); err != nil {
		w.route.log.Warn("cannot close the handler's instance", "error", err)
	}
}

func (w *worker) run(ctx context.Context) error {
	r := w.route
	for {
		r.breaker.rest(ctx, r.subscription.Stopped())
		d, err := r.subscription.Next(ctx)
		if errors.Is(err, informer.ErrStopped) {
			return nil
		}
		if err != nil {
			return err
		}
		w.taken = append(w.taken[:0], d)
		if p := r.pipeline.Load(); p != w.pipeline {
			if err := w.open(ctx, p); err != nil {
				w.taken[0].Retry(0)
				return err
			}
		}
		if size := w.batchSize(); size > 1 {
			w.taken = r.subscription.More(w.taken, size-1, r.workers)
		}
		w.turn(ctx)
	}
}

// turn takes events through the pipeline, and acknowledges them.
func (w *worker) turn(ctx context.Context) {
	for i := range w.taken {
		w.prepare(ctx, &w.taken[i])
	}
	if w.guest != nil {
		w.handle(ctx)
	} else {
		w.passOn(ctx)
	}
	// A worker that waits refers to no objects.
	clear(w.taken)
	clear(w.wanted)
	clear(w.events)
	w.wanted, w.events = w.wanted[:0], w.events[:0]
}

// prepare takes one event up to the handler. It is acknowledged, or among those that are wanted.
func (w *worker) prepare(ctx context.Context, d *informer.Delivery) {
	r := w.route
	if d.Attempt == 1 && !d.Recalled {
		r.stats.received(d.Op)
	}
	rest := r.retained.release(d)
	if rest.last {
		w.sendLast(ctx, d, &rest)
		return
	}
	rest.pipeline = w.pipeline
	e, selected := w.selected(d, &rest)
	if w.judge != nil {
		if err := w.judged(ctx, d, e, selected, &rest); err != nil {
			r.failed(ctx, d, &rest, err)
			return
		}
	}
	wants, err := w.wants(d, e, selected)
	switch {
	case err != nil:
		r.failed(ctx, d, &rest, err)
		return
	case !wants:
		r.done(d, &rest)
		return
	}
	if w.guest != nil {
		// a handler reads it more than once; outputs only write it
		e.Object = e.Object.Plain()
	}
	w.wanted = append(w.wanted, wanted{d, rest})
	w.events = append(w.events, e)
}

// finish sends what came of an event that was wanted, and acknowledges it.
func (w *worker) finish(ctx context.Context, d *wanted, messages []sink.Message, err error) {
	if err != nil {
		w.route.failed(ctx, d.Delivery, &d.rest, err)
		return
	}
	d.rest.messages, d.rest.last = messages, true
	w.sendLast(ctx, d.Delivery, &d.rest)
}

// sendLast sends what came of an event, or the rest of that, and acknowledges the event.
func (w *worker) sendLast(ctx context.Context, d *informer.Delivery, rest *unsent) {
	if err := w.route.send(ctx, rest); err != nil {
		w.route.failed(ctx, d, rest, err)
		return
	}
	w.route.done(d, rest)
}

// wants reports whether the event is for the handler and the outputs. With an error that is not
// known.
func (w *worker) wants(d *informer.Delivery, e event.Event, selected bool) (bool, error) {
	p := w.pipeline
	if !selected || p.Quiet || p.On != 0 && !p.On.Has(e.Op) {
		return false, nil
	}
	if d.Recalled && (e.Op == event.Resync || d.Op == event.Delete) {
		return false, nil // nothing has happened, or it was refused before the buffer
	}
	return w.matches(e)
}

func (w *worker) matches(e event.Event) (bool, error) {
	if w.matcher == nil {
		return true, nil
	}
	r := w.route
	ok, err := w.matcher.Match(e)
	switch {
	case err != nil:
		r.stats.filterErrors.Add(1)
		err = fmt.Errorf("the filter failed: %w", err)
		if !looksAround(w.pipeline.Filter) {
			return false, sink.Permanent(err) // it would fail again
		}
		return false, err
	case !ok:
		r.stats.filtered.Add(1)
	}
	return ok, nil
}
