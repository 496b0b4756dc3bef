package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

// Source gives events and takes their acknowledgement. It never has two events of one object out at
// the same time. informer.Subscription is one.
type Source interface {
	// Next waits for an event. It fails with ctx's error, or with informer.ErrStopped when no more
	// will come.
	Next(ctx context.Context) (informer.Delivery, error)
	// More appends what is ready beside it, without waiting: at most n events, and no more than a
	// share of one of so many workers.
	More(got []informer.Delivery, n, workers int) []informer.Delivery
	// Stopped gives a channel that is closed when no new events come in, though there may be some
	// left.
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

// Route is one listener's way from its source to its outputs. Set the fields, then call Run.
type Route struct {
	Name   string
	Source Source
	Select *filters.Filter // nil: every object is selected
	// the events that go on to the filter, once Select has made of them what they mean; 0: all
	On      event.OpSet
	Filter  *filters.Filter  // nil: every event matches
	Rules   *rules.Book      // of the selected objects; nil: there are none
	Quiet   bool             // only what rules tell goes out, no events
	Handler *plugins.Handler // nil: events go to the outputs as they are
	// the most events that a handler which takes several gets at once; 0 means 1
	Batch int
	// PauseAfter is how many crashes of the handler in a row, whichever worker has them, make the
	// workers pause; 0: they never do.
	PauseAfter int
	Caches     filters.Caches // what expressions may look up of other informers; may be nil
	Messages   *cloudevent.Builder
	Outputs    []Output
	Retry      Retry
	Workers    int // 0 means 1
	Log        *slog.Logger

	stats   stats
	breaker breaker
	members members
	kept    kept
	// complaints limits the log to a few lines about what fails, however many events there are.
	complaints complaints
	// What Handler does, or something else in tests; guests is nil if there is no handler.
	guests  func(context.Context) (guest, error)
	batches func() bool
}

// unsent is what came of an event, how far it got, and what follows when it is done. While the
// event waits for a retry, its delivery carries this as Progress, so that no other event of the
// object can take it up.
type unsent struct {
	messages []sink.Message
	next     int           // index into messages × outputs, messages first
	last     bool          // there are messages; else the retry begins again
	again    time.Duration // when the object is wanted again, from the end of this event on; 0: not
	member   member        // what is to be remembered of it
	gone     bool          // to the rules the object is gone
}

// sooner makes the object come again after a while, if not before.
func (u *unsent) sooner(after time.Duration) {
	if after > 0 && (u.again == 0 || after < u.again) {
		u.again = after
	}
}

// Run works on events until the source has stopped and is empty (then the result is nil), or ctx is
// done. If instances of the handler cannot be started, it fails without having taken an event, and
// may be called again. Do not call it otherwise.
func (r *Route) Run(ctx context.Context) error {
	r.breaker.after = r.PauseAfter
	r.members.moving = looksAround(r.Select)
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

// done acknowledges an event. What it made of its object holds from here on.
func (r *Route) done(d *informer.Delivery, left unsent) {
	if r.Select != nil {
		if d.Op == event.Delete {
			left.member = member{}
		}
		r.members.put(d.Object.Key(), left.member)
	}
	if left.again > 0 && d.Op != event.Delete {
		d.Again(left.again)
		return
	}
	d.Done()
}

// send gives the outputs what is left for them.
func (r *Route) send(ctx context.Context, left *unsent) error {
	for ; left.next < len(left.messages)*len(r.Outputs); left.next++ {
		if err := r.write(ctx, r.Outputs[left.next%len(r.Outputs)],
			left.messages[left.next/len(r.Outputs)]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Route) write(ctx context.Context, out Output, m sink.Message) error {
	if err := out.Sink.Write(ctx, m); err != nil {
		return fmt.Errorf("output %q: %w", out.Name, err)
	}
	r.stats.written.Add(1)
	return nil
}

// failed decides between a retry, which goes on with what is left, and giving up.
func (r *Route) failed(ctx context.Context, d *informer.Delivery, left unsent, err error) {
	d.Progress = nil
	if left.last && r.kept.keep(&left, r.stats.unkept.Add) {
		d.Progress = left
	}
	unreported := errors.Is(err, errUnreported)
	switch {
	case ctx.Err() != nil:
		// Being stopped is nobody's failure. The event goes back, and is not done.
		d.Retry(0)
	case d.Attempt < r.Retry.Attempts && !sink.IsPermanent(err), unreported && left.gone &&
		!r.stopped():
		// Nothing but this event can be counted on to report the end of the violations of an object
		// that is deleted or has left: what happens to it outside of the set may be refused before
		// the buffer.
		delay := r.Retry.delay(d.Attempt)
		r.stats.retried.Add(1)
		r.complainOf(slog.LevelWarn, d, "event failed, will try again", err,
			slog.Int("attempt", d.Attempt), slog.Duration("in", delay.Round(time.Millisecond)))
		d.Retry(delay)
	default:
		if unreported {
			// it is reported when the outputs are back
			left.sooner(max(r.Retry.MaxBackoff, rules.FailedInterval))
		}
		if unreported && (r.Quiet || d.Recalled) {
			r.complainOf(slog.LevelWarn, d, "outputs do not take what rules report, will try again",
				err, slog.Duration("in", left.again))
		} else {
			r.stats.deadLetters.Add(1)
			r.complainOf(slog.LevelError, d, "event given up", err,
				slog.String("resourceVersion", d.Object.ResourceVersion()), slog.Int("attempts",
					d.Attempt))
		}
		r.kept.release(d)
		r.done(d, left)
	}
}

// stopped reports whether no new events come in.
func (r *Route) stopped() bool {
	select {
	case <-r.Source.Stopped():
		return true
	default:
		return false
	}
}

// delay doubles with each failed attempt, with up to half of it taken off at random.
func (t Retry) delay(attempt int) time.Duration {
	return backoff.Early(backoff.Backoff{Min: t.MinBackoff, Max: t.MaxBackoff}.Delay(attempt))
}
