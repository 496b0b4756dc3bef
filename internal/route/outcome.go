package route

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// unsent is what came of an event, which outputs have taken it, and what follows when the event is
// done. While the event waits for a retry, this is its delivery's Progress, so that no other event
// of the object can take it up.
type unsent struct {
	messages []sink.Message
	next     int       // index into messages × the pipeline's outputs, messages first
	pipeline *Pipeline // what the event began with
	last     bool      // there are messages; else the retry begins with the select
	// recallAfter is when the object comes again, from the end of this event on; 0: it does not.
	recallAfter time.Duration
	member      member // what is to be remembered of the object
	gone        bool   // to the rules the object is gone
}

// recallWithin makes the object come again after some time, if not before.
func (u *unsent) recallWithin(after time.Duration) {
	if after > 0 && (u.recallAfter == 0 || after < u.recallAfter) {
		u.recallAfter = after
	}
}

// done acknowledges an event, and remembers whether its object is selected.
func (r *Route) done(d *informer.Delivery, rest *unsent) {
	if rest.pipeline.Select != nil {
		if d.Op == event.Delete {
			rest.member = member{}
		}
		r.members.put(d.Object.Key(), rest.member, rest.pipeline.moving)
	}
	if rest.recallAfter > 0 && d.Op != event.Delete {
		d.Again(rest.recallAfter)
		return
	}
	d.Done()
}

// send writes the messages that the outputs have not taken yet.
func (r *Route) send(ctx context.Context, rest *unsent) error {
	outputs := rest.pipeline.Outputs
	for ; rest.next < len(rest.messages)*len(outputs); rest.next++ {
		if err := r.write(ctx, outputs[rest.next%len(outputs)],
			rest.messages[rest.next/len(outputs)]); err != nil {
			return err
		}
	}
	return nil
}

func (r *Route) write(ctx context.Context, out Output, m sink.Message) error {
	if errs := out.Sink.Write(ctx, []sink.Message{m}); errs != nil {
		return fmt.Errorf("output %q: %w", out.Name, errs[0])
	}
	r.stats.written.Add(1)
	return nil
}

// failed decides between a retry, which goes on with the rest, and giving up.
func (r *Route) failed(ctx context.Context, d *informer.Delivery, rest *unsent, err error) {
	d.Progress = nil
	if rest.last && r.retained.retain(rest, r.stats.unkept.Add) {
		d.Progress = *rest
	}
	unreported := errors.Is(err, errUnreported)
	switch {
	case ctx.Err() != nil:
		// Being stopped is not a failure. The event goes back, and is not done.
		d.Retry(0)
	case d.Attempt < r.retry.Attempts && !sink.IsPermanent(err), unreported && rest.gone &&
		!r.stopped():
		// Only this event is sure to report the end of the violations of an object that is deleted
		// or has left the set: later events of it may be refused before the buffer.
		delay := r.retry.delay(d.Attempt)
		r.stats.retried.Add(1)
		r.logFailure(slog.LevelWarn, d, "event failed, will try again", err,
			slog.Int("attempt", d.Attempt), slog.Duration("in", delay.Round(time.Millisecond)))
		d.Retry(delay)
	default:
		if unreported {
			// it is reported when the outputs are back
			rest.recallWithin(max(r.retry.MaxBackoff, rules.FailedInterval))
		}
		if unreported && (rest.pipeline.Quiet || d.Recalled) {
			r.logFailure(slog.LevelWarn, d, "outputs do not take what rules report, will try again",
				err, slog.Duration("in", rest.recallAfter))
		} else {
			r.stats.deadLetters.Add(1)
			r.logFailure(slog.LevelError, d, "event given up", err,
				slog.String("resourceVersion", d.Object.ResourceVersion()), slog.Int("attempts",
					d.Attempt))
		}
		r.retained.release(d)
		r.done(d, rest)
	}
}

// stopped reports whether the subscription has stopped.
func (r *Route) stopped() bool {
	select {
	case <-r.subscription.Stopped():
		return true
	default:
		return false
	}
}
