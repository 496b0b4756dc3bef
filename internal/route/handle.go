package route

import (
	"context"
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// guest is a worker's instance of a handler.
type guest interface {
	Handle(ctx context.Context, e event.Event) (plugins.Result, error)
	HandleBatch(ctx context.Context, events []event.Event) ([]plugins.Result, error)
	Close(ctx context.Context) error
}

// most is how many events the worker may take for one turn. Whose guest has crashed gets one, then
// two, then four, and so on.
func (w *worker) most() int {
	r := w.route
	if w.batcher != nil {
		return maxPassed
	}
	if w.guest == nil || r.Batch < 2 || !r.batches() || r.breaker.troubled.Load() {
		return 1
	}
	if w.size == 0 {
		return r.Batch
	}
	return w.size
}

// grow sets the size of the next batch.
func (w *worker) grow(crashed bool) {
	if crashed {
		w.size = 1
	} else if w.size *= 2; w.size >= w.route.Batch {
		w.size = 0
	}
}

// handle has the guest handle the events that are wanted, all at once if it can, and finishes each.
// A crash on several says nothing about any of them: those without a result are given to it again,
// one by one, and what crashes alone has failed.
func (w *worker) handle(ctx context.Context) {
	r, n := w.route, len(w.events)
	together, crashed := n > 1, false
	for from := 0; from < n; {
		trial := r.breaker.enter(ctx, r.Source.Stopped())
		if together && !trial {
			handled := w.handleAll(ctx, from)
			from += handled
			together, crashed = false, crashed || from < n
			continue
		}
		crashed = !w.handleOne(ctx, from, trial) || crashed
		from++
	}
	if n > 0 {
		w.grow(crashed)
	}
}

// handleOne is false if the guest has crashed.
func (w *worker) handleOne(ctx context.Context, n int, trial bool) (ok bool) {
	r, observed := w.route, time.Now()
	r.stats.handlerCalls.Add(1)
	result, err := w.guest.Handle(ctx, w.events[n])
	switch {
	case err == nil:
		r.worked(trial)
		w.finishHandled(ctx, n, observed, result)
		return true
	case ctx.Err() != nil:
		r.breaker.left(trial)
	default:
		r.crashed(trial, err)
	}
	w.finish(ctx, w.wanted[n], nil, err)
	return ctx.Err() != nil
}

// handleAll handles the events from one on, and gives how many it has finished: if the guest
// crashes, the first ones may have results.
func (w *worker) handleAll(ctx context.Context, from int) (finished int) {
	r, observed := w.route, time.Now()
	r.stats.handlerCalls.Add(1)
	results, err := w.guest.HandleBatch(ctx, w.events[from:])
	if len(results) > 0 {
		r.worked(false)
	}
	for i, result := range results {
		w.finishHandled(ctx, from+i, observed, result)
	}
	switch {
	case err == nil:
	case ctx.Err() != nil:
		for n := from + len(results); n < len(w.events); n++ {
			w.finish(ctx, w.wanted[n], nil, err)
		}
		return len(w.events) - from
	default:
		r.stats.handlerCrashes.Add(1)
	}
	return len(results)
}

// worked tells the breaker of a good result.
func (r *Route) worked(trial bool) {
	if p, again := r.breaker.worked(trial); again {
		r.Log.Info("the handler works again", "crashes", p.Crashes, "after",
			time.Since(p.Since).Round(time.Millisecond))
	}
}

// crashed tells the breaker of a crash. While the listener stops there are no pauses.
func (r *Route) crashed(trial bool, err error) {
	r.stats.handlerCrashes.Add(1)
	select {
	case <-r.Source.Stopped():
		r.breaker.left(trial)
		return
	default:
	}
	if p, begins := r.breaker.crashed(trial, err); begins {
		r.Log.Error("the handler keeps crashing, so the listener pauses", "crashes", p.Crashes,
			"for", p.Length(), "error", err)
	}
}

// finishHandled finishes an event by the guest's verdict.
func (w *worker) finishHandled(ctx context.Context, n int, observed time.Time,
	result plugins.Result) {
	messages, err := w.route.made(w.events[n], observed, result)
	w.finish(ctx, w.wanted[n], messages, err)
}

// made gives what is to be sent of an event.
func (r *Route) made(e event.Event, observed time.Time, result plugins.Result) ([]sink.Message,
	error) {
	r.stats.emissionsRefused.Add(uint64(result.Refused))
	switch result.Verdict {
	case plugins.Done:
		return r.emitted(e, observed, result)
	case plugins.Drop:
		r.stats.dropped.Add(1)
		return nil, nil
	case plugins.Retry:
		return nil, fmt.Errorf("the handler asks for a retry%s", because(result.Message))
	default:
		return nil, sink.Permanent(fmt.Errorf("the handler refuses the event%s",
			because(result.Message)))
	}
}

func because(message string) string {
	if message == "" {
		return ""
	}
	return fmt.Sprintf(": %.200q", message)
}

// emitted: events that the handler made go out instead of the object's event, data that it made
// goes out with it. The latter keeps the type of informerd's own event, so it says who made the
// data.
func (r *Route) emitted(e event.Event, observed time.Time, result plugins.Result) ([]sink.Message,
	error) {
	message := r.Messages.Event(e, observed)
	var own []sink.Message
	for _, emission := range result.Emitted {
		if emission.Kind == abi.EmitData {
			message.Data, message.Handler = string(emission.Data), result.Handler
			continue
		}
		typ, data, err := emission.Event()
		if err != nil {
			return nil, sink.Permanent(err)
		}
		m, err := r.Messages.Emitted(e, observed, typ, len(own), string(data))
		if err != nil {
			return nil, err
		}
		own = append(own, m)
	}
	if len(own) > 0 {
		r.stats.emitted.Add(uint64(len(own)))
		return own, nil
	}
	return []sink.Message{message}, nil
}
