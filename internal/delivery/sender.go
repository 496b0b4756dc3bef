package delivery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
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
	pending  []*Pending
	live     []*Pending // those of which the current write has a message
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
			s.taken[0].Untried(0)
			o.senders.end()
			return nil
		}
		s.crew.grow(out.pace.Writes)
		s.fill(ctx, out.pace)
		for i := range s.taken {
			p := s.taken[i].Progress.(*Pending)
			p.delivery = &s.taken[i]
			s.pending = append(s.pending, p)
		}
		s.turn(ctx, out)
		s.flush()
		o.senders.end()
		// A sender that waits refers to no objects.
		n := len(s.taken) // no buffer has had more in it
		clear(s.taken)
		clear(s.pending)
		clear(s.live[:min(n, cap(s.live))])
		clear(s.messages[:min(n, cap(s.messages))])
		s.pending = s.pending[:0]
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

// turn sends the entries. While the output is paused it waits, and of a trial there is one entry.
func (s *sender) turn(ctx context.Context, out *Output) {
	for rest := s.pending; len(rest) > 0; {
		s.flush()
		change := *s.outbox.change.Load()
		if reason, err := s.outbox.givesUp(); reason != "" {
			s.expire(ctx, rest[0], reason, err)
			rest = rest[1:]
			continue
		}
		if out != s.outbox.output.Load() {
			s.allBack(rest, 0)
			return
		}
		if out.breaker.Troubled() && ctx.Err() == nil {
			if rest = s.sendable(ctx, rest); len(rest) == 0 {
				return
			}
		}
		entered, trial := s.enter(ctx, out, rest, change)
		if !entered { // something else has changed, or is over
			if s.overdue(rest[0]) {
				s.expire(ctx, rest[0], deadletter.Expired, cmp.Or(out.breaker.Cause(), errAway))
				rest = rest[1:]
			}
			continue
		}
		n := len(rest)
		if trial {
			n = 1
			best := freshest(rest)
			rest[0], rest[best] = rest[best], rest[0]
		}
		if !out.use.enter() {
			out.breaker.Leave(trial)
			select {
			case <-change:
			case <-ctx.Done():
				s.allBack(rest, 0)
				return
			}
			continue
		}
		s.send(ctx, out, rest[:n], trial)
		out.use.leave()
		if rest = rest[n:]; len(rest) > 0 && s.away(ctx, out) {
			s.allBack(rest, 0) // older ones may have to be given up before the next pause is over
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

// send writes the messages of entries, of each the first one, then of each the second one, and so
// on, and finishes each entry.
func (s *sender) send(ctx context.Context, out *Output, pending []*Pending, trial bool) {
	s.live = append(s.live, pending...)
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
			s.allBack(s.live, 0)
			s.live = s.live[:0]
		}
	}
	if !settled { // nothing was written
		out.breaker.Leave(true)
	}
}

// collect puts the next message of each live entry into messages, and finishes those that have
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
		if trace := p.extra().Trace; trace != nil {
			p.try = trace.Send(s.outbox.name, time.Since(p.offeredAt()), p.delivery.Attempt)
			s.messages[n].TraceParent = p.try.Parent()
		}
		s.live[n] = p
		n++
	}
	s.live = s.live[:n]
}

// next sets m to an entry's next message that can be sent. If there is none, the entry is
// finished, or put back.
func (s *sender) next(ctx context.Context, p *Pending, m *sink.Message) (ok bool) {
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

// settle deals with the results of a write. The entries that go on stay live.
func (s *sender) settle(ctx context.Context, out *Output, errs []error) {
	n := 0
	for i, p := range s.live {
		var err error
		if errs != nil {
			err = errs[i]
		}
		p.extra().try.End(err)
		if err == nil {
			s.outbox.stats.written.Add(1)
			out.lost.Worked()
			s.took(p, &s.messages[i])
			p.pass()
		} else if out.isClosed(err) { // another one takes it
			s.untried(p, 0)
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
func (s *sender) took(p *Pending, m *sink.Message) {
	if p.reporting {
		p.settler().Took(time.Now())
		p.reported = true
		s.outbox.stats.reports.Add(1)
	}
	notes := s.outbox.cfg.Notes
	if notes == nil || notes.Empty() {
		return
	}
	d := deadletter.Delivery{
		Output: s.outbox.name, Cluster: m.Origin.Cluster, Resource: m.Origin.Resource,
		Namespace: m.Object.Namespace(), Name: m.Object.Name(), ResourceVersion: m.ResourceVersion, Delete: m.Op == event.Delete,
	}
	if m.Report != nil {
		d.Rule = m.Report.Rule
	}
	if replay := p.extra().Replay; replay != nil {
		d.Letter = replay.Letter
	}
	notes.Delivered(d)
}

// finish ends an entry of which everything was taken or refused.
func (s *sender) finish(p *Pending) {
	s.outbox.end(p)
	s.done = append(s.done, p.delivery)
}

// end counts an entry that has ended.
func (o *Outbox) end(p *Pending) {
	o.keeping.end(p)
	if size := p.size(); size > 0 {
		o.made.Add(-size)
	}
	has := p.extra()
	if has.Replay != nil {
		switch {
		case has.refused != nil:
			has.Replay.End(Failed, has.refused)
		case p.extra().superseded:
			has.Replay.End(Superseded, nil)
		default:
			has.Replay.End(Delivered, nil)
		}
	}
	switch {
	case has.refused != nil && p.Wanted:
		o.stats.deadLettered.Add(1)
	case p.Wanted:
		o.stats.delivered.Add(1)
	}
	// what rules report is late as well
	if arrived := p.event.Arrived; arrived != 0 && has.Replay == nil &&
		(has.reported || p.Wanted && has.refused == nil) {
		o.lag.Observe(time.Duration(event.Now() - arrived))
	}
}

// back puts back what has failed, to be sent after a delay.
func (s *sender) back(p *Pending, after time.Duration) {
	d := p.delivery
	p.delivery = nil // from here on it may be another sender's
	s.outbox.keeping.tried(p, d.Attempt)
	d.Retry(after)
}

// untried puts back what has not failed.
func (s *sender) untried(p *Pending, after time.Duration) {
	d := p.delivery
	p.delivery = nil
	s.outbox.keeping.tried(p, d.Attempt-1)
	d.Untried(after)
}

// wrapped returns an error, if it is one, with the name of the output.
func (o *Outbox) wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("output %q: %w", o.name, err)
}

// crew is the senders of a Run. There are as many as the output has use for, also when that is
// another one than before; but an outbox to which nothing comes has one.
type crew struct {
	ctx     context.Context
	outbox  *Outbox
	senders atomic.Int32
	group   sync.WaitGroup

	mu   sync.Mutex // guards what follows
	errs []error
}

// work has the first sender work, and returns when all have ended.
func (c *crew) work() error {
	c.senders.Store(1)
	c.send()
	c.group.Wait()
	return errors.Join(c.errs...)
}

func (c *crew) send() {
	if err := (&sender{outbox: c.outbox, crew: c}).run(c.ctx); err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.errs = append(c.errs, err)
	}
}

// grow starts a sender, unless there are as many as there may be.
func (c *crew) grow(most int) {
	for n := c.senders.Load(); int(n) < most; n = c.senders.Load() {
		if c.senders.CompareAndSwap(n, n+1) {
			c.group.Go(c.send)
			return
		}
	}
}

// leave reports whether there are more senders than there may be. Then the caller has to end.
func (c *crew) leave(most int) bool {
	for n := c.senders.Load(); int(n) > most; n = c.senders.Load() {
		if c.senders.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}

// CrashesBeforeLetter is with how many crashes of the sink a message is a dead letter.
const CrashesBeforeLetter = 5

// write writes the messages of the live entrys. When the sink crashes, each is written once more,
// by itself, so that only those fail that make it crash. If the output is paused by then, they are
// tried again later.
func (s *sender) write(ctx context.Context, out *Output) []error {
	errs, crash := write(ctx, out.Sink, s.messages)
	if crash == nil {
		return errs
	}
	errs = make([]error, len(s.messages))
	for i := range s.messages {
		if len(s.messages) > 1 {
			if s.away(ctx, out) {
				errs[i] = sink.Alone(errAway)
				continue
			}
			var one []error
			if one, crash = write(ctx, out.Sink, s.messages[i:i+1]); one != nil {
				errs[i] = one[0]
			}
		}
		if crash != nil {
			errs[i] = s.crashed(s.live[i], crash)
		}
	}
	return errs
}

// crashed logs a crash of the sink, and returns the error of the message it crashed with.
func (s *sender) crashed(p *Pending, c *crash) error {
	err := fmt.Errorf("the output crashed, which is a defect of it: %v", c.reason)
	s.outbox.cfg.Log.Failure(slog.LevelError, p.delivery, "an output crashed",
		s.outbox.wrapped(err), slog.String("stack", c.stack))
	if p.delivery.Attempt >= CrashesBeforeLetter {
		return sink.Permanent(err)
	}
	return sink.Alone(err)
}

// crash is a panic of a sink.
type crash struct {
	reason any
	stack  string
}

// write writes messages. The errors are nil, or there is one, or nil, for each message.
func write(ctx context.Context, to sink.Sink, messages []sink.Message) (errs []error,
	crashed *crash) {
	defer func() {
		if reason := recover(); reason != nil {
			errs, crashed = nil, &crash{reason, string(debug.Stack())}
		}
	}()
	errs = to.Write(ctx, messages)
	if errs != nil && len(errs) != len(messages) {
		// What was taken comes again.
		return sink.AllFailed(len(messages), fmt.Errorf(
			"the output returned %d results for %d messages, which is a defect of it", len(errs),
			len(messages))), nil
	}
	return errs, nil
}
