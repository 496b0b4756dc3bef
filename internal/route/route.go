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
	"github.com/informerd/informerd/pkg/filters/rules"
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
	Select   *filters.Filter  // nil: every object is selected
	On       event.OpSet      // the events that go on to the filter, once Select has made of them what they mean; 0: all
	Filter   *filters.Filter  // nil: every event matches
	Rules    *rules.Book      // of the selected objects; nil: there are none
	Quiet    bool             // only what rules tell goes out, no events
	Handler  *plugins.Handler // nil: events go to the outputs as they are
	Caches   filters.Caches   // what expressions may look up of other informers; may be nil
	Messages *cloudevent.Source
	Outputs  []Output
	Retry    Retry
	Workers  int // 0 means 1
	Log      *slog.Logger

	stats stats

	mu sync.Mutex
	// unsent is what outputs have yet to take of events that wait for a retry.
	unsent map[event.Key]unsent
	// failures limits the log to a few lines about failing filters, however many events there are.
	failures rate.Sometimes
}

// unsent is what came of an event and how far it got. First come the messages of its rules, then those of the event.
type unsent struct {
	messages []sink.Message
	next     int           // index into messages × outputs, messages first
	last     bool          // these are the event's own
	again    time.Duration // when the rules want the object again, from the end of this event on; 0: not
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

// worker is one goroutine of a route, with evaluators and a handler instance of its own.
type worker struct {
	route    *Route
	selector *filters.Evaluator
	matcher  *filters.Evaluator
	judge    *rules.Evaluator
	instance *plugins.Instance
}

func (w *worker) open(ctx context.Context) (err error) {
	w.selector, w.matcher = w.evaluator(w.route.Select), w.evaluator(w.route.Filter)
	if w.route.Rules != nil {
		w.judge = w.route.Rules.Evaluator(w.route.Caches)
	}
	if w.route.Handler != nil {
		w.instance, err = w.route.Handler.NewInstance(ctx)
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
	if d.Attempt == 1 && !d.Recalled {
		r.stats.received(d.Op)
	}
	left, resumed := r.resume(d.Object.Key())
	e, selected := event.Event{}, false
	if !left.last {
		e, selected = w.selected(d)
	}
	if w.judge != nil && !resumed {
		left.messages, left.again = w.judged(e, selected)
	}
	if err := r.send(ctx, &left); err != nil {
		r.failed(ctx, d, left, err)
		return
	}
	if !left.last && selected && w.wants(d, e) {
		left = unsent{last: true, again: left.again}
		e.Object = e.Object.Plain() // from here on it is read more than once
		var err error
		if left.messages, err = w.handle(ctx, e); err != nil {
			r.failed(ctx, d, unsent{again: left.again}, err)
			return
		}
		if err := r.send(ctx, &left); err != nil {
			r.failed(ctx, d, left, err)
			return
		}
	}
	done(d, left)
}

// done acknowledges an event.
func done(d *informer.Delivery, left unsent) {
	if left.again > 0 {
		d.Again(left.again)
		return
	}
	d.Done()
}

// resume gives what a delivery of the object that failed has left, if there is any.
func (r *Route) resume(key event.Key) (left unsent, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left, ok = r.unsent[key]
	delete(r.unsent, key)
	return left, ok
}

// keep is the reverse of resume.
func (r *Route) keep(key event.Key, left unsent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsent == nil {
		r.unsent = map[event.Key]unsent{}
	}
	r.unsent[key] = left
}

// wants tells whether the event is one for the handler and the outputs.
func (w *worker) wants(d *informer.Delivery, e event.Event) bool {
	if r := w.route; d.Recalled || r.Quiet || r.On != 0 && !r.On.Has(e.Op) {
		return false
	}
	return w.matches(e)
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
		r.expressionFailed(e, "the filter failed, so the event does not match", err)
	case !ok:
		r.stats.filtered.Add(1)
	}
	return ok && err == nil
}

// expressionFailed gives up what an expression had to decide: its answer would not be another one if it was asked again.
func (r *Route) expressionFailed(e event.Event, what string, err error) {
	r.stats.deadLetters.Add(1)
	r.failures.Do(func() {
		r.Log.Error(what, "op", e.Op, "object", quoted(e.Object.Key()), "error", err)
	})
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

// failed decides between a retry, which goes on with what is left, and giving up.
func (r *Route) failed(ctx context.Context, d *informer.Delivery, left unsent, err error) {
	key := d.Object.Key()
	if left.last || r.Rules != nil {
		r.keep(key, left)
	}
	if ctx.Err() != nil {
		// Being stopped is nobody's failure. The event goes back, and is not done.
		d.Retry(0)
		return
	}
	if d.Attempt < r.Retry.Attempts && !sink.IsPermanent(err) {
		delay := r.Retry.delay(d.Attempt)
		r.stats.retried.Add(1)
		r.Log.Warn("event failed, will try again", "op", d.Op, "object", quoted(key), "attempt", d.Attempt, "in", delay.Round(time.Millisecond), "error", err)
		d.Retry(delay)
		return
	}
	r.resume(key)
	r.stats.deadLetters.Add(1)
	r.Log.Error("event given up", "op", d.Op, "object", quoted(key), "resourceVersion", d.Object.ResourceVersion(), "attempts", d.Attempt, "error", err)
	done(d, left)
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
