package route

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// progress is what follows when an event is done, and what of it the outboxes do not have yet. While
// the event waits because the route is being stopped, this is its delivery's Progress, and so it is
// for what Replay and EndAbsent offer.
type progress struct {
	// replay is the dead letter that is replayed, nil if none is.
	replay *replaying
	// failed is when the event was first tried without success, zero if it was not. It begins with
	// the select again.
	failed time.Time
	// stored reports whether an object is there, if the event is that there is no such object any
	// more.
	stored func(event.Key) bool

	handover []leftover // none: the event begins with the select
	pipeline *Pipeline  // what the event began with
	// recallAfter is when the object comes again, from the end of this event on; 0: it does not.
	recallAfter time.Duration
	member      member // what is to be remembered of the object
}

// recallWithin makes the object come again after some time, if not before.
func (p *progress) recallWithin(after time.Duration) {
	if after > 0 && (p.recallAfter == 0 || after < p.recallAfter) {
		p.recallAfter = after
	}
}

// Forgotten implements informer.Progress.
func (p *progress) Forgotten() {
	if p.replay != nil {
		p.replay.finish(delivery.Failed, errNotTaken)
	}
}

// MergedInto implements informer.Progress.
func (p *progress) MergedInto(informer.Progress) {
	if p.replay != nil {
		p.replay.finish(delivery.Superseded, nil)
	}
}

// fault is an error of an event, and what it is called as a dead letter.
type fault struct {
	reason    string
	error          // the cause
	permanent bool // a retry cannot fix it
}

// Unwrap returns the cause.
func (f fault) Unwrap() error { return f.error }

// The reasons of the faults that a route finds.
const (
	reasonFilter  = deadletter.FilterFailed
	reasonHandler = deadletter.HandlerFailed
	reasonRefused = deadletter.HandlerRefused
	reasonRule    = deadletter.RuleFailed
)

// done acknowledges an event, and remembers whether its object is selected.
func (r *Route) done(d *informer.Delivery, rest *progress) {
	if p := rest.pipeline; p.remembers() {
		gone := d.Op == event.Delete
		if gone {
			rest.member = member{}
		}
		r.members.put(d.Object.Key(), rest.member, p.moving && rest.member.in ||
			p.Before != nil && !gone)
	}
	if rest.recallAfter > 0 && d.Op != event.Delete {
		d.Again(rest.recallAfter)
		return
	}
	d.Done()
}

// failed decides between a retry and giving up.
func (r *Route) failed(ctx context.Context, d *informer.Delivery, rest *progress, err error) {
	var f fault
	if !errors.As(err, &f) {
		f = fault{reasonHandler, err, sink.IsPermanent(err)}
	}
	last := f.permanent || d.Attempt >= r.retry.Load().Attempts
	switch {
	case ctx.Err() != nil && !(last && r.draining.Load()):
		// Being stopped is not a failure. The event goes back, and is not done.
		d.Untried(0)
		return
	case !last:
		delay := r.retry.Load().delay(d.Attempt)
		r.stats.retried.add(f.reason)
		r.log.Failure(slog.LevelWarn, d, "event failed, will try again", err,
			slog.Int("attempt", d.Attempt), slog.Duration("in", delay.Round(time.Millisecond)))
		if d.Progress == nil {
			d.Progress = &progress{failed: time.Now()}
		}
		d.Retry(delay)
		return
	}
	id, errLetter := r.letter(ctx, d, d.Event, "", f)
	if errLetter != nil {
		r.stats.retried.add(f.reason)
		d.Retry(r.retry.Load().delay(d.Attempt))
		return
	}
	r.log.GivenUp(d, err, f.reason, id)
	r.done(d, rest)
}

// lastLetter is how long storing a dead letter may take while the route is being stopped.
const lastLetter = time.Second

// letter stores a dead letter and returns its ID. With an error it is not stored, and the event
// must not be acknowledged.
func (r *Route) letter(ctx context.Context, d *informer.Delivery, e event.Event, output string,
	f fault) (id string, err error) {
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), lastLetter)
		defer cancel()
	}
	l := delivery.Describe(deadletter.Letter{
		Output: output, Reason: f.reason, Error: delivery.Shortened(f.Error()),
		Attempts: d.Attempt, First: time.Now(), Last: time.Now(),
	}, r.pipeline.Load().Messages.Origin(), e)
	if p, _ := d.Progress.(*progress); p != nil && !p.failed.IsZero() {
		l.First = p.failed
	}
	id, err = delivery.Store(ctx, r.letters, l)
	if err != nil {
		r.stats.unstored.Failed(err)
		r.log.Failure(slog.LevelError, d, "a dead letter cannot be stored, will try again", err)
		return "", err
	}
	r.stats.unstored.Worked()
	r.stats.deadLetters.add(f.reason)
	return id, nil
}

// delay returns how long an event waits after its attempt-th failure. Random delays spread the
// retries of many objects; they are not shorter than a half, so that the attempts are not used up
// within a moment.
func (t Retry) delay(attempt int) time.Duration {
	return backoff.Early(backoff.Backoff{Min: t.MinBackoff, Max: t.MaxBackoff}.Delay(attempt))
}

func (t Retry) policy() delivery.Policy {
	return delivery.Policy{MinBackoff: t.MinBackoff, MaxBackoff: t.MaxBackoff,
		GiveUpAfter: t.GiveUpAfter}
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
