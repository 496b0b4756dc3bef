package delivery

import (
	"context"
	"log/slog"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/sink"
)

// failed deals with a message that was not taken, and reports whether its parcel goes on with the
// next one. If not, the parcel is finished.
func (s *sender) failed(ctx context.Context, out *Output, p *parcel, m *sink.Message,
	err error) (goesOn bool) {
	o, policy := s.outbox, s.outbox.policy.Load()
	switch {
	case ctx.Err() != nil:
		s.untried(p) // being stopped is not a failure
		return false
	case sink.IsPermanent(err):
		o.stats.refused.Add(1)
		return s.giveUp(ctx, p, m, deadletter.Refused, err)
	}
	if o.stats.failed.Add(1); policy.GiveUpAfter > 0 &&
		time.Since(p.entry.offeredAt()) >= policy.GiveUpAfter {
		s.expire(ctx, p, deadletter.Expired, err)
		return false
	}
	delay := policy.delay(p, err)
	o.stats.retried.Add(1)
	o.cfg.Log.Failure(slog.LevelWarn, p.Delivery, "event failed, will try again", err,
		slog.String("output", o.name), slog.Int("attempt", p.Attempt),
		slog.Duration("in", delay.Round(time.Millisecond)))
	s.back(p, delay)
	if reason, _ := o.givesUp(); reason != "" || o.output.Load() != out {
		o.queue.RetryNow() // the delay was for the output that there was
	}
	return false
}

// delay returns how long a parcel waits that has failed: no longer than it is to be tried, unless
// the receiver asked for that. An error about one message that says when to try again is no sign of
// a busy receiver.
func (policy *Policy) delay(p *parcel, err error) time.Duration {
	b := backoff.Backoff{Min: policy.MinBackoff, Max: policy.MaxBackoff}
	asked := sink.AskedDelay(err)
	delay := b.AtLeast(0, asked)
	if !sink.IsAlone(err) || asked <= 0 {
		delay = b.AtLeast(backoff.Full(b.Delay(p.Attempt)), asked)
	}
	if policy.GiveUpAfter > 0 {
		remaining := time.Until(p.entry.offeredAt().Add(policy.GiveUpAfter))
		delay = min(delay, max(remaining, asked))
	}
	return delay
}

// expire gives up the rest of a parcel, and finishes it.
func (s *sender) expire(ctx context.Context, p *parcel, reason string, err error) {
	for {
		var m sink.Message
		_, ok := p.next(&m)
		if !ok {
			s.finish(p)
			return
		}
		if !s.giveUp(ctx, p, &m, reason, err) {
			return
		}
	}
}

// giveUp makes a dead letter of the parcel's current message, and reports whether the parcel goes
// on. If the letter cannot be stored, the parcel is put back.
func (s *sender) giveUp(ctx context.Context, p *parcel, m *sink.Message, reason string,
	cause error) (goesOn bool) {
	o := s.outbox
	l := withMessage(Describe(deadletter.Letter{
		Output: o.name, Reason: reason, Error: cause.Error(), Attempts: p.Attempt,
		First: p.entry.offeredAt(), Last: time.Now(),
	}, m.Origin, eventOf(m)), *m)
	replay := p.entry.has().replay
	if replay != nil {
		l.ID = replay.Letter
	}
	s.flush() // it may take a while
	id, err := Store(ctx, o.cfg.Letters, l)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		s.untried(p)
		return false
	default:
		delay := backoff.Full(o.policy.Load().MaxBackoff)
		o.cfg.Log.Failure(slog.LevelError, p.Delivery,
			"a dead letter cannot be stored, will try again", err,
			slog.String("output", o.name), slog.Duration("in", delay.Round(time.Millisecond)))
		s.back(p, delay)
		return false
	}
	if err := replay.replaced(o.cfg.Letters); err != nil {
		o.cfg.Log.Failure(slog.LevelError, p.Delivery,
			"a dead letter that another one replaces cannot be removed", err)
	}
	o.letters.Add(1)
	o.cfg.Log.GivenUp(p.Delivery, cause, reason, id, slog.String("output", o.name))
	if p.report != nil {
		p.report.Refused(time.Now())
	}
	if p.report == nil || replay != nil {
		p.entry.own().refused = cause
	}
	p.pass()
	return true
}
