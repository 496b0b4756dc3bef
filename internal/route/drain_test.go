package route

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// answering is a sink that does with each message what the function does.
type answering func(name string) error

func (answering) Pace() sink.Pace             { return sink.Pace{Writes: 4} }
func (answering) Close(context.Context) error { return nil }

func (a answering) Write(ctx context.Context, messages []sink.Message) []error {
	return sinktest.Each(ctx, messages, func(_ context.Context, m sink.Message) error {
		return a(m.Object.Name())
	})
}

// A drain waits for what may still be delivered within its time, and for nothing else.
func TestDrainWaitsForNothingInVain(t *testing.T) {
	const grace = 25 * time.Second
	down := errors.New("connection refused")
	later := func() answering { // it is down, and comes back after a while
		back := time.Now().Add(13 * time.Second)
		return func(string) error {
			if time.Now().Before(back) {
				return sink.RetryAfter(down, 10*time.Second)
			}
			return nil
		}
	}
	for name, c := range map[string]struct {
		outputs  []answering
		events   int
		backoff  time.Duration // of what fails
		atLeast  time.Duration // that the drain takes
		atMost   time.Duration
		err      error
		written  int
		buffered int // events that stay in the subscription, at least
	}{
		"all is taken": {events: 5, outputs: []answering{func(string) error { return nil }},
			atMost: time.Second, written: 5},
		"a pause ends too late": {events: 5, outputs: []answering{func(string) error {
			return sink.RetryAfter(down, time.Hour)
		}}, backoff: time.Second, atMost: time.Second, err: ErrLate},
		"a pause ends in time": {events: 5, outputs: []answering{later()}, backoff: time.Second,
			atLeast: 10 * time.Second, atMost: 24 * time.Second, written: 5},
		"one object is tried again too late": {
			events: 5, outputs: []answering{func(n string) error {
				if n == "p0" {
					return sink.Alone(sink.RetryAfter(down, time.Hour))
				}
				return nil
			}}, backoff: time.Second, atMost: time.Second, err: ErrLate, written: 4},
		"a write takes its time, another output is away": {events: 1, outputs: []answering{
			func(string) error { time.Sleep(9 * time.Second); return nil },
			func(string) error { return sink.RetryAfter(down, time.Hour) },
		}, backoff: time.Second, atLeast: 8 * time.Second, atMost: 10 * time.Second, err: ErrLate,
			written: 1},
		"there is no room for all": {events: 3000, outputs: []answering{func(string) error {
			return sink.RetryAfter(down, time.Hour)
		}}, backoff: time.Second, atMost: time.Second, err: ErrLate, buffered: 1900},
		"it is tried until the time is over": {events: 5, outputs: []answering{
			func(string) error { return sink.Alone(down) }}, backoff: 50 * time.Millisecond,
			err: context.DeadlineExceeded, atLeast: grace, atMost: grace},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if name == "a pause ends in time" {
					c.outputs[0] = later() // by the clock of the bubble
				}
				r, source := draining(t, c.outputs, c.events, c.backoff, &letters{})
				ended := make(chan error, 1)
				go func() { ended <- r.Run(t.Context()) }()
				time.Sleep(500 * time.Millisecond)
				ctx, cancel := context.WithTimeout(t.Context(), grace)
				defer cancel()
				begun := time.Now()
				err := r.Drain(ctx)
				<-ended
				if took := time.Since(begun); !errors.Is(err, c.err) || took < c.atLeast ||
					took > c.atMost {
					t.Errorf("drained with %v after %v", err, took)
				}
				s := r.Stats()
				waiting := 0
				for _, out := range s.Outputs {
					waiting += int(out.Waiting)
				}
				rest := source.Waiting()
				if rest < c.buffered {
					t.Errorf("%d events are in the subscription, want %d", rest, c.buffered)
				}
				if sent := c.events * len(c.outputs); int(s.Written) != c.written ||
					c.written+waiting+rest*len(c.outputs) != sent {
					t.Errorf("%d written, %d waiting, %d in the subscription: want %d of %d",
						s.Written, waiting, rest, c.written, sent)
				}
			})
		})
	}
}

// What the outputs of a removed listener do not take in time are dead letters, wherever it waits.
func TestLeaveLosesNothing(t *testing.T) {
	const grace = 25 * time.Second
	down := errors.New("connection refused")
	for name, c := range map[string]struct {
		output  answering
		events  int
		backoff time.Duration
		written int
		atLeast time.Duration
		atMost  time.Duration
	}{
		"all is taken": {func(string) error { return nil }, 5, time.Second, 5, 0, time.Second},
		"a pause ends too late": {func(string) error { return sink.RetryAfter(down, time.Hour) }, 5,
			time.Second, 0, 0, time.Second},
		"there is no room for all": {func(string) error { return sink.RetryAfter(down, time.Hour) },
			3000, time.Second, 0, 0, 2 * time.Second},
		"one object is tried again too late": {func(n string) error {
			if n == "p0" {
				return sink.Alone(sink.RetryAfter(down, time.Hour))
			}
			return nil
		}, 5, time.Second, 4, 0, time.Second},
		"it is tried until the time is over": {func(string) error { return sink.Alone(down) }, 5,
			50 * time.Millisecond, 0, grace, grace + time.Second},
		"it is tried until then, and there is no room": {func(string) error { return sink.Alone(down) },
			3000, 2 * time.Second, 0, grace, grace + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dead := &letters{}
				takes := answering(func(string) error { return nil })
				r, source := draining(t, []answering{c.output, takes}, c.events, c.backoff, dead)
				ended := make(chan error, 1)
				go func() { ended <- r.Run(t.Context()) }()
				time.Sleep(500 * time.Millisecond)
				begun := time.Now()
				err := r.Leave(t.Context(), grace)
				<-ended
				if took := time.Since(begun); err != nil || took < c.atLeast || took > c.atMost {
					t.Errorf("left with %v after %v", err, took)
				}
				for _, l := range dead.all {
					if l.Reason != deadletter.ListenerRemoved || l.Output != "out0" {
						t.Errorf("%s: %s", l.Output, l.Reason)
					}
				}
				if written := int(r.Stats().Written); written != c.events+c.written ||
					len(dead.all) != c.events-c.written || source.Waiting() != 0 {
					t.Errorf("%d of %d written, %d letters, %d in the subscription", written, 2*c.events,
						len(dead.all), source.Waiting())
				}
			})
		})
	}
}

// What a handler has when the time to drain is over is a dead letter on its last attempt, and goes
// back on any other one, which then does not count.
func TestTheLastAttemptWhileDraining(t *testing.T) {
	for attempts, want := range map[int]string{1: "done a", 2: "retry a"} {
		synctest.Test(t, func(t *testing.T) {
			h := newHandled(t, "a")
			h.source.open, h.lasts, h.Retry.Attempts = true, time.Hour, attempts
			dead := &letters{}
			h.Letters = dead
			ended := make(chan error, 1)
			go func() { ended <- h.Run(t.Context()) }()
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := h.Drain(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("drained with %v", err)
			}
			<-ended
			expectAll(t, "acknowledged", h.source.log, want)
			if s := h.Stats(); len(dead.all) != 2-attempts || s.Retried != 0 {
				t.Errorf("of %d attempts: %d letters, %+v", attempts, len(dead.all), s)
			}
			time.Sleep(time.Hour) // what went back
			h.source.mu.Lock()
			defer h.source.mu.Unlock()
			for _, d := range h.source.waiting {
				if d.Attempt != 1 {
					t.Errorf("what went back comes for the %d. time", d.Attempt)
				}
			}
			if len(h.source.waiting) != attempts-1 {
				t.Errorf("%d events went back", len(h.source.waiting))
			}
		})
	}
}

// draining returns a route with events of as many objects.
func draining(t *testing.T, outputs []answering, events int, backoff time.Duration,
	dead *letters) (*Route, *informer.Subscription) {
	source, err := informer.NewSubscription(
		informer.SubscriptionConfig{Name: "l", Capacity: events})
	if err != nil {
		t.Fatal(err)
	}
	p := &Pipeline{}
	p.Messages, err = cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	for i, out := range outputs {
		p.Outputs = append(p.Outputs, to(fmt.Sprint("out", i), out))
	}
	r, err := New(Config{Name: "l", Subscription: source, Letters: dead, Pipeline: p,
		Retry: Retry{Attempts: 1, MinBackoff: backoff, MaxBackoff: backoff},
		Log:   slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var parser object.Parser
	for i := range events {
		o, _, err := parser.ParseItem(fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d"}}`, i))
		if err == nil {
			err = source.OfferWait(t.Context(), informer.Entry{Event: event.Event{Op: event.Add, Object: o}})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return r, source
}
