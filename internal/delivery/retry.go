package delivery

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/sink"
)

// failed deals with a message that was not taken, and reports whether its entry goes on with the
// next one. If not, the entry is finished.
func (s *sender) failed(ctx context.Context, out *Output, p *Pending, m *sink.Message,
	err error) (goesOn bool) {
	o, policy := s.outbox, s.outbox.policy.Load()
	switch {
	case ctx.Err() != nil:
		s.untried(p, 0) // being stopped is not a failure
		return false
	case sink.IsMoot(err):
		o.stats.moot.Add(1)
		o.cfg.Log.Failure(slog.LevelInfo, p.delivery, "not sent, as what it is about is going", err,
			slog.String("output", o.name))
		if p.reporting {
			p.settler().Refused(time.Now())
		}
		p.pass()
		return true
	case sink.IsPermanent(err):
		o.stats.refused.Add(1)
		return s.giveUp(ctx, p, m, deadletter.Refused, err)
	}
	if o.stats.failed.Add(1); policy.GiveUpAfter > 0 &&
		time.Since(p.offeredAt()) >= policy.GiveUpAfter {
		s.expire(ctx, p, deadletter.Expired, err)
		return false
	}
	delay := policy.delay(p, err)
	o.stats.retried.Add(1)
	o.cfg.Log.Failure(slog.LevelWarn, p.delivery, "event failed, will try again", err,
		slog.String("output", o.name), slog.Int("attempt", p.delivery.Attempt),
		slog.Duration("in", delay.Round(time.Millisecond)))
	s.back(p, delay)
	if reason, _ := o.givesUp(); reason != "" || o.output.Load() != out {
		o.queue.RetryNow() // the delay was for the output that there was
	}
	return false
}

// delay returns how long an entry waits that has failed: no longer than it is to be tried, unless
// the receiver asked for that. An error about one message that says when to try again is no sign of
// a busy receiver.
func (policy *Policy) delay(p *Pending, err error) time.Duration {
	b := backoff.Backoff{Min: policy.MinBackoff, Max: policy.MaxBackoff}
	asked := backoff.RetryAfter(err)
	delay := b.AtLeast(0, asked)
	if !sink.IsAlone(err) || asked <= 0 {
		delay = b.AtLeast(backoff.Full(b.Delay(p.delivery.Attempt)), asked)
	}
	if policy.GiveUpAfter > 0 {
		remaining := time.Until(p.offeredAt().Add(policy.GiveUpAfter))
		delay = min(delay, max(remaining, asked))
	}
	return delay
}

// expire gives up the rest of an entry, and finishes it.
func (s *sender) expire(ctx context.Context, p *Pending, reason string, err error) {
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

// giveUp makes a dead letter of the entry's current message, and reports whether the entry goes
// on. If the letter cannot be stored, the entry is put back.
func (s *sender) giveUp(ctx context.Context, p *Pending, m *sink.Message, reason string,
	cause error) (goesOn bool) {
	o := s.outbox
	l := withMessage(Describe(deadletter.Letter{
		Output: o.name, Reason: reason, Error: cause.Error(), Attempts: p.delivery.Attempt,
		First: p.offeredAt(), Last: time.Now(),
	}, m.Origin, eventOf(m)), *m)
	replay := p.extra().Replay
	if replay != nil {
		l.ID = replay.Letter
	}
	s.flush() // it may take a while
	id, err := Store(ctx, o.cfg.Letters, l)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		s.untried(p, 0)
		return false
	default:
		o.Output().lost.Failed(err)
		delay := backoff.Full(o.policy.Load().MaxBackoff)
		o.cfg.Log.Failure(slog.LevelError, p.delivery,
			"a dead letter cannot be stored, will try again", err,
			slog.String("output", o.name), slog.Duration("in", delay.Round(time.Millisecond)))
		s.back(p, delay)
		return false
	}
	if err := replay.replaced(o.cfg.Letters); err != nil {
		o.cfg.Log.Failure(slog.LevelError, p.delivery,
			"a dead letter that another one replaces cannot be removed", err)
	}
	o.letters.Add(1)
	if !errors.Is(cause, errRemoved) && !errors.Is(cause, errLeaving) {
		o.Output().lost.Failed(cause)
	}
	o.cfg.Log.GivenUp(p.delivery, cause, reason, id, slog.String("output", o.name))
	if p.reporting {
		p.settler().Refused(time.Now())
	}
	if !p.reporting || replay != nil {
		p.own().refused = cause
	}
	p.pass()
	return true
}

// errAway is the error of what waited for a trial of the output.
var errAway = errors.New("the output is away")

// enter waits until the output is not paused, and reports whether the entries may be sent. If not,
// the output has changed, or the first entry is to be given up.
func (s *sender) enter(ctx context.Context, out *Output, rest []*Pending,
	change <-chan struct{}) (entered, trial bool) {
	if !out.breaker.Troubled() || ctx.Err() != nil {
		return true, false
	}
	waiting := ctx
	if limit := s.outbox.policy.Load().GiveUpAfter; limit > 0 {
		slices.SortStableFunc(rest, func(a, b *Pending) int {
			return a.offeredAt().Compare(b.offeredAt())
		})
		var cancel func()
		waiting, cancel = context.WithDeadline(ctx, rest[0].offeredAt().Add(limit))
		defer cancel()
	}
	s.outbox.senders.wait()
	entered, trial = out.breaker.EnterRanked(waiting, change, rest[freshest(rest)].delivery.Attempt)
	s.outbox.senders.goOn()
	return entered || ctx.Err() != nil, trial
}

// freshest returns the place of what was tried least: it says most about the output.
func freshest(pending []*Pending) (best int) {
	for i, p := range pending {
		if p.delivery.Attempt < pending[best].delivery.Attempt {
			best = i
		}
	}
	return best
}

// overdue reports whether an entry that waits for a paused output is to be given up.
func (s *sender) overdue(p *Pending) bool {
	limit := s.outbox.policy.Load().GiveUpAfter
	return limit > 0 && time.Since(p.offeredAt()) >= limit
}

// away reports whether the output is paused since the entries may be sent, or at its trial, because
// of another sender.
func (s *sender) away(ctx context.Context, out *Output) bool {
	return ctx.Err() == nil && out.breaker.Away()
}

// sendable returns the entries of which there is something to send. The others are finished, or put
// back: they need not wait for the output, and may not keep others from a trial.
func (s *sender) sendable(ctx context.Context, pending []*Pending) []*Pending {
	var m sink.Message
	return slices.DeleteFunc(pending, func(p *Pending) bool { return !s.next(ctx, p, &m) })
}

// note tells the output's breaker how a write went.
func (s *sender) note(ctx context.Context, out *Output, errs []error, trial bool) {
	if errs == nil {
		out.answered(trial)
		return
	}
	var away error
	for _, err := range errs {
		if out.isClosed(err) {
			continue
		}
		if err == nil || sink.IsPermanent(err) || sink.IsAlone(err) {
			out.answered(trial)
			return
		}
		if away == nil || backoff.RetryAfter(err) > backoff.RetryAfter(away) {
			away = err
		}
	}
	if ctx.Err() != nil || away == nil {
		out.breaker.Leave(trial)
		return
	}
	out.failed(trial, away)
}

// allBack puts back what has not failed.
func (s *sender) allBack(pending []*Pending, after time.Duration) {
	for _, p := range pending {
		s.untried(p, after)
	}
}

// awaitRetry is how long the entries of a write wait that was put off because of an error of Await.
const awaitRetry = time.Second

// await waits until it is on disk that the reports of the current write may have been taken. If
// that fails, it puts the live entrys back, and returns false.
func (s *sender) await(ctx context.Context) bool {
	wait, known := s.outbox.cfg.Await, s.lastKnown()
	if wait == nil || known.IsZero() {
		return true
	}
	// What was waited for once holds for all that was known then: reports that wait for their turn
	// do not wait for the disk as well.
	if begun := s.outbox.awaited.Load(); begun != nil && known.Before(*begun) {
		return true
	}
	begun := time.Now()
	if wait(ctx) == nil {
		s.outbox.awaited.Store(&begun)
		return true
	}
	delay := awaitRetry
	if ctx.Err() != nil {
		delay = 0
	}
	s.allBack(s.live, delay)
	s.live = s.live[:0]
	return false
}

// lastKnown returns when rules had noted the last one of the current write's reports, zero if it
// has none.
func (s *sender) lastKnown() (last time.Time) {
	for _, p := range s.live {
		if p.reporting && p.known.After(last) {
			last = p.known
		}
	}
	return last
}

// senders counts those that have entries. The zero value is ready.
type senders struct {
	working atomic.Int32 // they do something with them
	waiting atomic.Int32 // for the end of a pause of the output
}

func (s *senders) begin() { s.working.Add(1) }
func (s *senders) end()   { s.working.Add(-1) }

func (s *senders) wait() {
	s.waiting.Add(1)
	s.working.Add(-1)
}

func (s *senders) goOn() {
	s.working.Add(1)
	s.waiting.Add(-1)
}

// Late reports whether nothing that waits is sent before a time: the output is paused until then,
// or all of it has failed and is tried again later. A sender that is about to do something may be
// overlooked, for a moment.
func (o *Outbox) Late(until time.Time) bool {
	switch {
	case o.queue.Waiting() == 0:
		return true
	case o.retired.Load() || o.leaving.Load() || o.senders.working.Load() > 0:
		return false
	}
	if pause, _ := o.Output().Pause(); pause.End.After(until) {
		return true
	}
	return o.senders.waiting.Load() == 0 && o.queue.Ready() == 0 && !o.queue.RetriesBefore(until)
}
