package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// Source gives events and takes their acknowledgement. It never has two events of one object out at the same time.
// informer.Listener is one.
type Source interface {
	// Next waits for an event. It fails with ctx's error, or with informer.ErrStopped when no more will come.
	Next(ctx context.Context) (informer.Delivery, error)
}

// Output is a sink and the name the configuration gives it.
type Output struct {
	Name string
	Sink sink.Sink
}

// Retry says how often and when a failed event is tried again.
type Retry struct {
	Attempts               int           // in all; at least 1
	MinBackoff, MaxBackoff time.Duration // the pause doubles from the one to the other
}

// Route is one listener's way from its source to its outputs. Set the fields, then call Run once.
type Route struct {
	Name     string
	Source   Source
	Filter   *filters.Filter  // nil: every event matches
	Handler  *plugins.Handler // nil: events go to the outputs as they are
	Messages *cloudevent.Source
	Outputs  []Output
	Retry    Retry
	Workers  int // 0 means 1
	Log      *slog.Logger

	stats stats

	mu sync.Mutex
	// unsent is what outputs have yet to take of events that wait for a retry.
	unsent map[event.Key]*unsent
	// failures limits the log to a few lines about failing filters, however many events there are.
	failures rate.Sometimes
}

// unsent is what came of an event and how far it got.
type unsent struct {
	messages []sink.Message
	next     int // index into messages × outputs, messages first
}

// Run works on events until the source has stopped and is empty (then the result is nil), or ctx is done.
func (r *Route) Run(ctx context.Context) error {
	r.failures = rate.Sometimes{First: 3, Interval: 10 * time.Second}
	workers := make([]*worker, cmp.Or(r.Workers, 1))
	for i := range workers {
		workers[i] = &worker{route: r}
		defer workers[i].close()
		if err := workers[i].open(ctx); err != nil {
			return fmt.Errorf("listener %q: %w", r.Name, err)
		}
	}
	errs := make([]error, len(workers))
	var wg sync.WaitGroup
	for i, w := range workers {
		wg.Go(func() { errs[i] = w.run(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// worker is one goroutine of a route, with an evaluator and a handler instance of its own.
type worker struct {
	route    *Route
	matcher  *filters.Evaluator
	instance *plugins.Instance
}

func (w *worker) open(ctx context.Context) (err error) {
	if w.route.Filter != nil {
		w.matcher = w.route.Filter.Evaluator()
	}
	if w.route.Handler != nil {
		w.instance, err = w.route.Handler.NewInstance(ctx)
	}
	return err
}

func (w *worker) close() {
	if w.instance == nil {
		return
	}
	// Not the ctx of Run, which is done by now.
	if err := w.instance.Close(context.Background()); err != nil {
		w.route.Log.Warn("cannot close the handler's instance", "error", err)
	}
}

func (w *worker) run(ctx context.Context) error {
	for {
		d, err := w.route.Source.Next(ctx)
		if errors.Is(err, informer.ErrStopped) {
			return nil
		}
		if err != nil {
			return err
		}
		w.work(ctx, &d)
	}
}

// work takes one event all the way, and acknowledges it.
func (w *worker) work(ctx context.Context, d *informer.Delivery) {
	r := w.route
	left := r.resume(d.Object.Key())
	if left == nil {
		if d.Attempt == 1 {
			r.stats.received(d.Op)
		}
		if !w.matches(d.Event) {
			d.Done()
			return
		}
		d.Object = d.Object.Plain() // from here on it is read more than once
		messages, err := w.handle(ctx, d.Event)
		if err != nil {
			r.failed(ctx, d, err)
			return
		}
		left = &unsent{messages: messages}
	}
	if err := r.send(ctx, left); err != nil {
		r.mu.Lock()
		if r.unsent == nil {
			r.unsent = map[event.Key]*unsent{}
		}
		r.unsent[d.Object.Key()] = left
		r.mu.Unlock()
		r.failed(ctx, d, err)
		return
	}
	d.Done()
}

// resume gives what a delivery of the object that failed at an output has left, nil if there is none.
func (r *Route) resume(key event.Key) *unsent {
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.unsent[key]
	delete(r.unsent, key)
	return left
}

func (w *worker) matches(e event.Event) bool {
	if w.matcher == nil {
		return true
	}
	r := w.route
	ok, err := w.matcher.Match(e)
	switch {
	case err != nil:
		r.stats.filterErrors.Add(1)
		r.failures.Do(func() {
			r.Log.Error("the filter failed, so the event does not match", "op", e.Op, "object", quoted(e.Object.Key()), "error", err)
		})
	case !ok:
		r.stats.filtered.Add(1)
	}
	return ok && err == nil
}

// handle gives what is to be sent of an event.
func (w *worker) handle(ctx context.Context, e event.Event) ([]sink.Message, error) {
	r, observed := w.route, time.Now()
	if w.instance == nil {
		return []sink.Message{r.Messages.Event(e, observed)}, nil
	}
	r.stats.handlerCalls.Add(1)
	result, err := w.instance.Handle(ctx, e)
	if err != nil {
		if ctx.Err() == nil {
			r.stats.handlerCrashes.Add(1)
		}
		return nil, err
	}
	switch result.Verdict {
	case plugins.Done:
		return r.emitted(e, observed, result.Emitted)
	case plugins.Drop:
		r.stats.dropped.Add(1)
		return nil, nil
	case plugins.Retry:
		return nil, fmt.Errorf("the handler asks for a retry%s", because(result.Message))
	default:
		return nil, sink.Permanent(fmt.Errorf("the handler refuses the event%s", because(result.Message)))
	}
}

func because(message string) string {
	if message == "" {
		return ""
	}
	return fmt.Sprintf(": %.200q", message)
}

// emitted: events that the handler made go out instead of the object's event, data that it made goes out with it.
func (r *Route) emitted(e event.Event, observed time.Time, emissions []plugins.Emission) ([]sink.Message, error) {
	message := r.Messages.Event(e, observed)
	var own []sink.Message
	for _, emission := range emissions {
		if emission.Kind == abi.EmitData {
			message.Data = string(emission.Data)
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

// send gives the outputs what is left for them.
func (r *Route) send(ctx context.Context, left *unsent) error {
	for ; left.next < len(left.messages)*len(r.Outputs); left.next++ {
		out := r.Outputs[left.next%len(r.Outputs)]
		if err := out.Sink.Write(ctx, left.messages[left.next/len(r.Outputs)]); err != nil {
			return fmt.Errorf("output %q: %w", out.Name, err)
		}
		r.stats.written.Add(1)
	}
	return nil
}

// failed decides between a retry and giving up.
func (r *Route) failed(ctx context.Context, d *informer.Delivery, err error) {
	if ctx.Err() != nil {
		// Being stopped is nobody's failure. The event goes back, and is not done.
		d.Retry(0)
		return
	}
	if d.Attempt < r.Retry.Attempts && !sink.IsPermanent(err) {
		delay := r.Retry.delay(d.Attempt)
		r.stats.retried.Add(1)
		r.Log.Warn("event failed, will try again", "op", d.Op, "object", quoted(d.Object.Key()), "attempt", d.Attempt, "in", delay.Round(time.Millisecond), "error", err)
		d.Retry(delay)
		return
	}
	r.resume(d.Object.Key())
	r.stats.deadLetters.Add(1)
	r.Log.Error("event given up", "op", d.Op, "object", quoted(d.Object.Key()), "resourceVersion", d.Object.ResourceVersion(), "attempts", d.Attempt, "error", err)
	d.Done()
}

// delay doubles with each failed attempt, with up to half of it taken off at random.
func (t Retry) delay(attempt int) time.Duration {
	delay := t.MaxBackoff
	if shift := attempt - 1; shift < 32 && t.MinBackoff<<shift > 0 {
		delay = min(t.MinBackoff<<shift, t.MaxBackoff)
	}
	return delay - rand.N(delay/2+1)
}

// quoted makes a name from the cluster safe to log.
func quoted(key event.Key) string { return fmt.Sprintf("%+q", key.String()) }
