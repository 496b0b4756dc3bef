package delivery

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/sink"
)

// errAway is the error of what waited for a trial of the output.
var errAway = errors.New("the output is away")

// enter waits until the output is not paused, and reports whether the parcels may be sent. If not,
// the output has changed, or the first parcel is to be given up.
func (s *sender) enter(ctx context.Context, out *Output, rest []parcel,
	change <-chan struct{}) (entered, trial bool) {
	if !out.breaker.Troubled() || ctx.Err() != nil {
		return true, false
	}
	waiting := ctx
	if limit := s.outbox.policy.Load().GiveUpAfter; limit > 0 {
		slices.SortStableFunc(rest, func(a, b parcel) int {
			return a.entry.offeredAt().Compare(b.entry.offeredAt())
		})
		var cancel func()
		waiting, cancel = context.WithDeadline(ctx, rest[0].entry.offeredAt().Add(limit))
		defer cancel()
	}
	s.outbox.senders.wait()
	entered, trial = out.breaker.EnterRanked(waiting, change, freshest(rest).Attempt)
	s.outbox.senders.goOn()
	return entered || ctx.Err() != nil, trial
}

// freshest returns the parcel that was tried least: it says most about the output.
func freshest(parcels []parcel) *parcel {
	best := &parcels[0]
	for i := range parcels {
		if parcels[i].Attempt < best.Attempt {
			best = &parcels[i]
		}
	}
	return best
}

// overdue reports whether a parcel that waits for a paused output is to be given up.
func (s *sender) overdue(p *parcel) bool {
	limit := s.outbox.policy.Load().GiveUpAfter
	return limit > 0 && time.Since(p.entry.offeredAt()) >= limit
}

// away reports whether the output is paused since the parcels may be sent, or at its trial, because
// of another sender.
func (s *sender) away(ctx context.Context, out *Output) bool {
	return ctx.Err() == nil && out.breaker.Away()
}

// sendable returns the parcels of which there is something to send. The others are finished, or put
// back: they need not wait for the output, and may not keep others from a trial.
func (s *sender) sendable(ctx context.Context, parcels []parcel) []parcel {
	var m sink.Message
	return slices.DeleteFunc(parcels, func(p parcel) bool { return !s.next(ctx, &p, &m) })
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
		if away == nil || sink.AskedDelay(err) > sink.AskedDelay(away) {
			away = err
		}
	}
	if ctx.Err() != nil || away == nil {
		out.breaker.Leave(trial)
		return
	}
	out.failed(trial, away)
}

// allBack puts parcels back that have not failed.
func (s *sender) allBack(parcels []parcel) {
	for i := range parcels {
		s.untried(&parcels[i])
	}
}

// awaitRetry is how long the parcels of a write wait that was put off because of an error of Await.
const awaitRetry = time.Second

// await waits until it is on disk that the reports of the current write may have been taken. If
// that fails, it puts the live parcels back, and returns false.
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
	for _, p := range s.live {
		p.Attempt--
		s.back(p, delay)
	}
	s.live = s.live[:0]
	return false
}

// lastKnown returns when rules had noted the last one of the current write's reports, zero if it
// has none.
func (s *sender) lastKnown() (last time.Time) {
	for _, p := range s.live {
		if p.report != nil && p.entry.rare.known.After(last) {
			last = p.entry.rare.known
		}
	}
	return last
}

// untried puts a parcel back that has not failed, to be sent at once.
func (s *sender) untried(p *parcel) {
	p.Attempt--
	s.back(p, 0)
}
