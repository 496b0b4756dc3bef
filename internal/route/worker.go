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

// worker is one goroutine of a route, with evaluators and a handler instance of its own.
type worker struct {
	route    *Route
	selector *filters.Evaluator
	matcher  *filters.Evaluator
	judge    *rules.Evaluator
	guest    guest // nil without a handler
	size     int   // of the next batch; 0: the largest there may be

	// Of the turn at hand; kept, as new ones for each would be garbage.
	taken    []informer.Delivery
	wanted   []wanted      // those of them that are for the handler and the outputs
	events   []event.Event // the same
	messages []sink.Message
	// batcher is the output, without a handler and if there is no other one and it takes several
	// messages at once; else nil.
	batcher sink.Batcher
}

// wanted is an event that is for the handler and the outputs.
type wanted struct {
	*informer.Delivery
	left unsent
}

func (w *worker) open(ctx context.Context) (err error) {
	w.selector, w.matcher = w.evaluator(w.route.Select), w.evaluator(w.route.Filter)
	if w.route.Rules != nil {
		w.judge = w.route.Rules.Evaluator(w.route.Caches)
	}
	if w.route.guests != nil {
		if w.guest, err = w.route.guests(ctx); err != nil {
			w.guest = nil // and not one that is a nil pointer
		}
	} else if len(w.route.Outputs) == 1 {
		w.batcher, _ = w.route.Outputs[0].Sink.(sink.Batcher)
	}
	return err
}

func (w *worker) evaluator(f *filters.Filter) *filters.Evaluator {
	if f == nil {
		return nil
	}
	e := f.Evaluator()
	e.Caches = w.route.Caches
	return e
}

func (w *worker) close() {
	if w.guest == nil {
		return
	}
	// Not the ctx of Run, which is done by now.
	if err := w.guest.Close(context.Background()); err != nil {
		w.route.Log.Warn("cannot close the handler's instance", "error", err)
	}
}

func (w *worker) run(ctx context.Context) error {
	r := w.route
	for {
		r.breaker.rest(ctx, r.Source.Stopped())
		d, err := r.Source.Next(ctx)
		if errors.Is(err, informer.ErrStopped) {
			return nil
		}
		if err != nil {
			return err
		}
		w.taken = append(w.taken[:0], d)
		if most := w.most(); most > 1 {
			w.taken = r.Source.More(w.taken, most-1, r.workers())
		}
		w.turn(ctx)
	}
}

// turn takes events all the way, and acknowledges them.
func (w *worker) turn(ctx context.Context) {
	for i := range w.taken {
		w.prepare(ctx, &w.taken[i])
	}
	if w.guest != nil {
		w.handle(ctx)
	} else {
		w.passOn(ctx)
	}
	// A worker that waits holds on to nothing.
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
	left := r.kept.release(d)
	if left.last {
		w.sendLast(ctx, d, left)
		return
	}
	e, selected := w.selected(d, &left)
	if w.judge != nil {
		if err := w.judged(ctx, d, e, selected, &left); err != nil {
			r.failed(ctx, d, left, err)
			return
		}
	}
	wants, err := w.wants(d, e, selected)
	switch {
	case err != nil:
		r.failed(ctx, d, left, err)
		return
	case !wants:
		r.done(d, left)
		return
	}
	if w.guest != nil {
		// a handler reads it more than once; otherwise it is only written
		e.Object = e.Object.Plain()
	}
	w.wanted = append(w.wanted, wanted{d, left})
	w.events = append(w.events, e)
}

// finish sends what came of an event that was wanted, and acknowledges it.
func (w *worker) finish(ctx context.Context, d wanted, messages []sink.Message, err error) {
	if err != nil {
		w.route.failed(ctx, d.Delivery, d.left, err)
		return
	}
	d.left.messages, d.left.last = messages, true
	w.sendLast(ctx, d.Delivery, d.left)
}

// sendLast sends what came of an event, or the rest of that, and acknowledges the event.
func (w *worker) sendLast(ctx context.Context, d *informer.Delivery, left unsent) {
	if err := w.route.send(ctx, &left); err != nil {
		w.route.failed(ctx, d, left, err)
		return
	}
	w.route.done(d, left)
}

// wants reports whether the event is one for the handler and the outputs. With an error it is not
// known.
func (w *worker) wants(d *informer.Delivery, e event.Event, selected bool) (bool, error) {
	r := w.route
	if !selected || r.Quiet || r.On != 0 && !r.On.Has(e.Op) {
		return false, nil
	}
	if d.Recalled && (e.Op == event.Resync || d.Op == event.Delete) {
		return false, nil // nothing has happened, or what was refused before the buffer
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
		if !looksAround(r.Filter) {
			return false, sink.Permanent(err) // it would fail again
		}
		return false, err
	case !ok:
		r.stats.filtered.Add(1)
	}
	return ok, nil
}
