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

// batchSize returns how many events the worker may take for one turn. After a crash of its guest it
// is one, and doubles from there.
func (w *worker) batchSize() int {
	p := w.pipeline
	if w.guest == nil {
		return maxPassed
	}
	if p.Batch < 2 || !p.batches() || w.route.breaker.Troubled() {
		return 1
	}
	if w.nextBatch == 0 {
		return p.Batch
	}
	return w.nextBatch
}

// grow sets the size of the next batch.
func (w *worker) grow(crashed bool) {
	if crashed {
		w.nextBatch = 1
	} else if w.nextBatch *= 2; w.nextBatch >= w.pipeline.Batch {
		w.nextBatch = 0
	}
}

// handle has the guest handle the wanted events, all at once if it can, and finishes each. If it
// crashes on several, none of them has failed yet: it gets those without a result again, one by
// one, and an event on which it then crashes has failed.
func (w *worker) handle(ctx context.Context) {
	r, n := w.route, len(w.events)
	together, crashed := n > 1, false
	for from := 0; from < n; {
		entered, trial := r.breaker.Enter(w.waiting, r.subscription.Stopped())
		if !entered && w.waiting.Err() != nil && ctx.Err() == nil {
			w.giveBack(from)
			break
		}
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

// giveBack returns the events from one on to the subscription, which were not handled.
func (w *worker) giveBack(from int) {
	for i := range w.wanted[from:] {
		d := &w.wanted[from+i]
		d.trace.End(outcomeFailed, errPaused)
		d.Untried(0)
	}
}

// handleOne has the guest handle one event, and reports whether it has not crashed.
func (w *worker) handleOne(ctx context.Context, n int, trial bool) (ok bool) {
	r, observed := w.route, time.Now()
	w.step.Store(observed.UnixNano())
	r.stats.handlerCalls.Add(1)
	result, err := w.guest.Handle(ctx, w.events[n])
	w.meter(observed)
	w.wanted[n].trace.Stage("handler", observed, err)
	switch {
	case err == nil:
		r.worked(trial)
		w.finishHandled(ctx, n, observed, result)
		w.handOverAll()
		return true
	case ctx.Err() != nil:
		r.breaker.Leave(trial)
	default:
		r.crashed(trial, err)
	}
	w.handlerFailed(ctx, n, err)
	return ctx.Err() != nil
}

// handleAll has the guest handle the events from one on at once, and returns how many are finished.
// If the guest crashes, the first ones may have results.
func (w *worker) handleAll(ctx context.Context, from int) (finished int) {
	r, observed := w.route, time.Now()
	w.step.Store(observed.UnixNano())
	r.stats.handlerCalls.Add(1)
	results, err := w.guest.HandleBatch(ctx, w.events[from:])
	w.meter(observed)
	if len(results) > 0 {
		r.worked(false)
	}
	for i, result := range results {
		w.wanted[from+i].trace.Stage("handler", observed, nil)
		w.finishHandled(ctx, from+i, observed, result)
	}
	w.handOverAll()
	switch {
	case err == nil:
	case ctx.Err() != nil:
		for n := from + len(results); n < len(w.events); n++ {
			w.handlerFailed(ctx, n, err)
		}
		return len(w.events) - from
	default:
		r.countCrash(err)
	}
	return len(results)
}

// worked counts a good result of the handler.
func (r *Route) worked(trial bool) {
	r.stats.crashes.Worked()
	if p, recovered := r.breaker.Worked(trial); recovered {
		r.log.Info("the handler works again", "crashes", p.Failures, "after",
			time.Since(p.Since).Round(time.Millisecond))
	}
}

func (r *Route) countCrash(err error) {
	r.stats.handlerCrashes.Add(1)
	r.stats.handled.crashed(err)
	r.stats.crashes.Failed(err)
}

// crashed counts a crash of the handler. While the listener stops there are no pauses.
func (r *Route) crashed(trial bool, err error) {
	r.countCrash(err)
	if r.stopped() {
		r.breaker.Leave(trial)
		return
	}
	if p, begins := r.breaker.Failed(trial, err, 0); begins {
		r.log.Error("the handler keeps crashing, so the listener pauses", "crashes", p.Failures,
			"for", p.Length(), "error", err)
	}
}

// finishHandled finishes an event according to the guest's verdict.
func (w *worker) finishHandled(ctx context.Context, n int, observed time.Time,
	result plugins.Result) {
	d := &w.wanted[n]
	messages, own, err := w.messagesOf(d.event, observed, result)
	switch {
	case err != nil:
		w.handlerFailed(ctx, n, err)
	case !own:
		w.finish(d, observed, nil)
	case len(messages) == 0:
		d.trace.End(outcomeDropped, nil)
		w.route.done(d.Delivery, &d.rest)
	default:
		w.finish(d, observed, messages)
	}
}

// handlerFailed deals with an event that the guest has not handled.
func (w *worker) handlerFailed(ctx context.Context, n int, err error) {
	d := &w.wanted[n]
	d.trace.End(outcomeFailed, err)
	w.route.failed(ctx, d.Delivery, &d.rest, err)
}

// messagesOf returns what is to be sent of an event after the guest's verdict. Own is false if that
// is the event as it is.
func (w *worker) messagesOf(e event.Event, observed time.Time, result plugins.Result) (
	messages []sink.Message, own bool, err error) {
	r := w.route
	r.stats.emissionsRefused.Add(uint64(result.Refused))
	switch result.Verdict {
	case plugins.Done:
		return w.emitted(e, observed, result)
	case plugins.Drop:
		r.stats.dropped.Add(1)
		return nil, true, nil
	case plugins.Retry:
		return nil, false, fault{reasonHandler,
			fmt.Errorf("the handler asks for a retry%s", reasonSuffix(result.Message)), false}
	default:
		return nil, false, fault{reasonRefused,
			fmt.Errorf("the handler refuses the event%s", reasonSuffix(result.Message)), true}
	}
}

// reasonSuffix returns a guest's message as the end of an error's text.
func reasonSuffix(message string) string {
	if message == "" {
		return ""
	}
	return fmt.Sprintf(": %.200q", message)
}

// emitted returns what is to be sent of an event that the guest has accepted: the events that it
// emitted instead of the object's own, or the object's own with the data that it emitted. The
// latter keeps informerd's type, so it names the handler.
func (w *worker) emitted(e event.Event, observed time.Time, result plugins.Result) (
	messages []sink.Message, own bool, err error) {
	if len(result.Emitted) == 0 {
		return nil, false, nil
	}
	builder := w.pipeline.Messages
	message := builder.Event(e, observed)
	for _, emission := range result.Emitted {
		if emission.Kind == abi.EmitData {
			message.Body, message.Data = sink.BodyData, string(emission.Data)
			message.Handler = result.Handler
			continue
		}
		typ, data, err := emission.Event()
		if err != nil {
			return nil, false, sink.Permanent(err)
		}
		m, err := builder.Emitted(e, observed, typ, len(messages), string(data))
		if err != nil {
			return nil, false, err
		}
		messages = append(messages, m)
	}
	if len(messages) > 0 {
		w.route.stats.emitted.Add(uint64(len(messages)))
		return messages, true, nil
	}
	return []sink.Message{message}, true, nil
}
