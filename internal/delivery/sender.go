package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// sender is one goroutine of an outbox.
type sender struct {
	outbox *Outbox
	crew   *crew

	// The buffers of the current turn, used again by the next one.
	taken    []informer.Delivery
	done     []*informer.Delivery // those that have ended, and that the queue does not know of yet
	parcels  []parcel
	live     []*parcel // those of which the current write has a message
	messages []sink.Message
}

func (s *sender) run(ctx context.Context) error {
	o := s.outbox
	for {
		d, err := o.queue.Next(ctx)
		if errors.Is(err, informer.ErrStopped) {
			return nil
		}
		if err != nil {
			return err
		}
		o.senders.begin()
		s.taken = append(s.taken[:0], d)
		out := o.output.Load()
		if s.crew.leave(out.pace.Writes) {
			s.taken[0].Attempt-- // it is not tried
			s.taken[0].Retry(0)
			o.senders.end()
			return nil
		}
		s.crew.grow(out.pace.Writes)
		s.fill(ctx, out.pace)
		for i := range s.taken {
			d := &s.taken[i]
			w := d.Progress.(*waiting)
			if tried := w.has().tried; tried > 0 {
				d.Attempt, w.rare.tried = d.Attempt+int(tried), 0
			}
			s.parcels = append(s.parcels, parcel{Delivery: d, entry: w})
		}
		s.turn(ctx, out)
		s.flush()
		o.senders.end()
		// A sender that waits refers to no objects.
		n := len(s.taken) // no buffer has had more in it
		clear(s.taken)
		clear(s.parcels)
		clear(s.live[:min(n, cap(s.live))])
		clear(s.messages[:min(n, cap(s.messages))])
		s.parcels = s.parcels[:0]
		if o.cfg.OnRoom != nil {
			o.cfg.OnRoom()
		}
	}
}

// flush has the queue know of the deliveries that have ended, all at once since that takes its
// lock. It comes before anything that may take a while, so that nobody waits for that.
func (s *sender) flush() {
	if len(s.done) > 0 {
		s.outbox.queue.DoneAll(s.done)
		clear(s.done)
		s.done = s.done[:0]
	}
}

// fill takes further entries, up to a batch. If the sink is worth waiting for them, it waits.
func (s *sender) fill(ctx context.Context, pace sink.Pace) {
	queue := s.outbox.queue
	if pace.Batch > 1 {
		s.taken = queue.More(s.taken, pace.Batch-len(s.taken), pace.Writes)
	}
	if pace.Wait <= 0 || len(s.taken) >= pace.Batch {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pace.Wait)
	defer cancel()
	for len(s.taken) < pace.Batch {
		d, err := queue.Next(ctx)
		if err != nil { // the time is over, or the outbox stops
			return
		}
		s.taken = queue.More(append(s.taken, d), pace.Batch-len(s.taken)-1, pace.Writes)
	}
}

// turn sends the parcels. While the output is paused it waits, and of a trial there is one parcel.
func (s *sender) turn(ctx context.Context, out *Output) {
	for rest := s.parcels; len(rest) > 0; {
		s.flush()
		change := s.outbox.change.Load().done
		if reason, err := s.outbox.givesUp(); reason != "" {
			s.expire(ctx, &rest[0], reason, err)
			rest = rest[1:]
			continue
		}
		if out != s.outbox.output.Load() {
			s.allBack(rest)
			return
		}
		if out.breaker.Troubled() && ctx.Err() == nil {
			if rest = s.sendable(ctx, rest); len(rest) == 0 {
				return
			}
		}
		entered, trial := s.enter(ctx, out, rest, change)
		if !entered { // something else has changed, or is over
			if s.overdue(&rest[0]) {
				s.expire(ctx, &rest[0], deadletter.Expired, cmp.Or(out.breaker.Cause(), errAway))
				rest = rest[1:]
			}
			continue
		}
		n := len(rest)
		if trial {
			n = 1
			best := freshest(rest)
			rest[0], *best = *best, rest[0]
		}
		if !out.use.enter() {
			out.breaker.Leave(trial)
			select {
			case <-change:
			case <-ctx.Done():
				s.allBack(rest)
				return
			}
			continue
		}
		s.send(ctx, out, rest[:n], trial)
		out.use.leave()
		if rest = rest[n:]; len(rest) > 0 && s.away(ctx, out) {
			s.allBack(rest) // older ones may have to be given up before the next pause is over
			return
		}
	}
}

// errRemoved is the error of what waited for an output that a listener has no more, and errLeaving
// of what waited for one when the time of a removed listener was over.
var (
	errRemoved = errors.New("the listener does not use the output any more")
	errLeaving = errors.New("the listener was removed, and the output did not take this within shutdown.drain")
)

// send writes the messages of parcels, of each the first one, then of each the second one, and so
// on, and finishes each parcel.
func (s *sender) send(ctx context.Context, out *Output, parcels []parcel, trial bool) {
	for i := range parcels {
		s.live = append(s.live, &parcels[i])
	}
	settled := !trial
	for len(s.live) > 0 {
		s.collect(ctx)
		if len(s.live) == 0 {
			break
		}
		s.flush()
		if !s.await(ctx) {
			break
		}
		errs := s.write(ctx, out)
		s.note(ctx, out, errs, trial && !settled)
		settled = true
		s.settle(ctx, out, errs)
		if s.away(ctx, out) {
			for _, p := range s.live {
				s.untried(p)
			}
			s.live = s.live[:0]
		}
	}
	if !settled { // nothing was written
		out.breaker.Leave(true)
	}
}

// collect puts the next message of each live parcel into messages, and finishes those that have
// none.
func (s *sender) collect(ctx context.Context) {
	s.messages = s.messages[:0]
	n := 0
	for _, p := range s.live {
		s.messages = append(s.messages, sink.Message{})
		if !s.next(ctx, p, &s.messages[n]) {
			s.messages = s.messages[:n]
			continue
		}
		if trace := p.entry.has().trace; trace != nil {
			p.try = trace.Send(s.outbox.name, time.Since(p.entry.offeredAt()), p.Attempt)
			s.messages[n].TraceParent = p.try.Parent()
		}
		s.live[n] = p
		n++
	}
	s.live = s.live[:n]
}

// next sets m to a parcel's next message that can be sent. If there is none, the parcel is
// finished, or put back.
func (s *sender) next(ctx context.Context, p *parcel, m *sink.Message) (ok bool) {
	for {
		failed, ok := p.next(m)
		reason := deadletter.FilterFailed
		if errors.Is(failed, errRemoved) {
			reason = deadletter.OutputRemoved
		}
		switch {
		case !ok:
			s.finish(p)
			return false
		case failed == nil:
			return true
		case !s.giveUp(ctx, p, m, reason, failed):
			return false
		}
		*m = sink.Message{}
	}
}

// settle deals with the results of a write. The parcels that go on stay live.
func (s *sender) settle(ctx context.Context, out *Output, errs []error) {
	n := 0
	for i, p := range s.live {
		var err error
		if errs != nil {
			err = errs[i]
		}
		p.try.End(err)
		if err == nil {
			s.outbox.stats.written.Add(1)
			s.took(p, &s.messages[i])
			p.pass()
		} else if out.isClosed(err) { // another one takes it
			s.untried(p)
			continue
		} else if !s.failed(ctx, out, p, &s.messages[i], err) {
			continue
		}
		s.live[n] = p
		n++
	}
	s.live = s.live[:n]
}

// took notes that the output has taken a message.
func (s *sender) took(p *parcel, m *sink.Message) {
	if p.report != nil {
		p.report.Took(time.Now())
		p.entry.rare.reported = true
		s.outbox.stats.reports.Add(1)
	}
	notes := s.outbox.cfg.Notes
	if notes == nil || notes.Empty() {
		return
	}
	d := deadletter.Delivery{
		Output: s.outbox.name, Resource: m.Origin.Resource, Namespace: m.Object.Namespace(),
		Name: m.Object.Name(), ResourceVersion: m.ResourceVersion, Delete: m.Op == event.Delete,
	}
	if m.Report != nil {
		d.Rule = m.Report.Rule
	}
	if replay := p.entry.has().replay; replay != nil {
		d.Letter = replay.Letter
	}
	notes.Delivered(d)
}

// finish ends a parcel of which everything was taken or refused.
func (s *sender) finish(p *parcel) {
	s.outbox.end(p.entry)
	s.done = append(s.done, p.Delivery)
}

// end counts an entry that has ended.
func (o *Outbox) end(w *waiting) {
	o.keeping.end(w)
	if size := w.size(); size > 0 {
		o.made.Add(-size)
	}
	has := w.has()
	if has.replay != nil {
		switch {
		case has.refused != nil:
			has.replay.End(Failed, has.refused)
		case w.superseded:
			has.replay.End(Superseded, nil)
		default:
			has.replay.End(Delivered, nil)
		}
	}
	switch {
	case has.refused != nil && w.wanted:
		o.stats.deadLettered.Add(1)
		o.cfg.Ledger.End(w.mark, ledger.DeadLetter)
	case w.wanted && has.replay != nil:
		o.stats.delivered.Add(1)
		o.cfg.Ledger.Replayed(w.mark)
	case w.wanted:
		o.stats.delivered.Add(1)
		o.cfg.Ledger.End(w.mark, ledger.Delivered)
	}
	// what rules report is late as well
	if arrived := w.event.Arrived; arrived != 0 && has.replay == nil &&
		(has.reported || w.wanted && has.refused == nil) {
		o.lag.Observe(time.Duration(event.Now() - arrived))
	}
}

// back puts a parcel back, to be sent after a delay.
func (s *sender) back(p *parcel, after time.Duration) {
	p.Progress = p.entry
	s.outbox.keeping.tried(p.entry, p.Attempt)
	p.Retry(after)
}

// wrapped returns an error, if it is one, with the name of the output.
func (o *Outbox) wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("output %q: %w", o.name, err)
}
