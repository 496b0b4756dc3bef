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
)

// Source gives events and takes their acknowledgement. It never has two events of one object out at the same time.
// informer.Listener is one.
type Source interface {
	// Next waits for an event. It fails with ctx's error, or with informer.ErrStopped when no more will come.
	Next(ctx context.Context) (informer.Delivery, error)
	// More appends what is ready beside it, without waiting: at most n events, and no more than a share of one of so many
	// workers.
	More(got []informer.Delivery, n, workers int) []informer.Delivery
	// Stopped gives a channel that is closed when no new events come in, though there may be some left.
	Stopped() <-chan struct{}
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
	Name    string
	Source  Source
	Select  *filters.Filter  // nil: every object is selected
	On      event.OpSet      // the events that go on to the filter, once Select has made of them what they mean; 0: all
	Filter  *filters.Filter  // nil: every event matches
	Rules   *rules.Book      // of the selected objects; nil: there are none
	Quiet   bool             // only what rules tell goes out, no events
	Handler *plugins.Handler // nil: events go to the outputs as they are
	Batch   int              // the most events that a handler which takes several gets at once; 0 means 1
	// PauseAfter is how many crashes of the handler in a row, whichever worker has them, make the workers pause; 0: they never do.
	PauseAfter int
	Caches     filters.Caches // what expressions may look up of other informers; may be nil
	Messages   *cloudevent.Source
	Outputs    []Output
	Retry      Retry
	Workers    int // 0 means 1
	Log        *slog.Logger

	stats   stats
	breaker breaker
	// What Handler does, or something else in tests; guests is nil if there is no handler.
	guests  func(context.Context) (guest, error)
	batches func() bool
	// failures limits the log to a few lines about failing filters, however many events there are.
	failures rate.Sometimes
}

// unsent is what came of an event and how far it got. First come the messages of its rules, then those of the event. While
// the event waits for a retry, its delivery carries this as Progress, so that no other event of the object can take it up.
type unsent struct {
	messages []sink.Message
	next     int           // index into messages × outputs, messages first
	last     bool          // these are the event's own
	again    time.Duration // when the rules want the object again, from the end of this event on; 0: not
}

// Run works on events until the source has stopped and is empty (then the result is nil), or ctx is done.
func (r *Route) Run(ctx context.Context) error {
	r.failures = rate.Sometimes{First: 3, Interval: 10 * time.Second}
	r.breaker.after = r.PauseAfter
	if r.guests == nil && r.Handler != nil {
		r.guests = func(ctx context.Context) (guest, error) { return r.Handler.NewInstance(ctx) }
		r.batches = r.Handler.Batches
	}
	workers := make([]*worker, r.workers())
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

func (r *Route) workers() int { return cmp.Or(r.Workers, 1) }

// done acknowledges an event.
func done(d *informer.Delivery, left unsent) {
	if left.again > 0 {
		d.Again(left.again)
		return
	}
	d.Done()
}

// expressionFailed gives up what an expression had to decide: its answer would not be another one if it was asked again.
func (r *Route) expressionFailed(e event.Event, what string, err error) {
	r.stats.deadLetters.Add(1)
	r.failures.Do(func() {
		r.Log.Error(what, "op", e.Op, "object", quoted(e.Object.Key()), "error", err)
	})
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
		d.Progress = left
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
