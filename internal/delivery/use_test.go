package delivery

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// closing is a sink that takes 10 ms for a write, one after the other, and takes nothing once it is
// closed. If it hangs, only that ends a write.
type closing struct {
	hangs  bool
	turn   chan struct{} // taken by a write: a mutex would stop the clock
	closed chan struct{}
	took   []string // for who has the turn
	late   int      // writes after the end
}

func (c *closing) Pace() sink.Pace             { return sink.Pace{Batch: 3, Writes: 4} }
func (c *closing) Close(context.Context) error { close(c.closed); return nil }

func (c *closing) Write(_ context.Context, messages []sink.Message) []error {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	select {
	case <-c.closed:
		c.late++
		return sink.AllFailed(len(messages), fmt.Errorf("test: %w", sink.ErrClosed))
	default:
	}
	if c.hangs {
		<-c.closed
		return sink.AllFailed(len(messages), fmt.Errorf("test: %w", sink.ErrClosed))
	}
	time.Sleep(10 * time.Millisecond)
	for _, m := range messages {
		if m.Report == nil {
			c.took = append(c.took, m.Object.Name())
		}
	}
	return nil
}

// slowly is a settler that takes a moment to say that a report is owed.
type slowly struct{}

func (slowly) Confirm() bool     { time.Sleep(3 * time.Millisecond); return true }
func (slowly) Took(time.Time)    {}
func (slowly) Refused(time.Time) {}
func (slowly) Release()          {}

// exchanging is an outbox with some entries, whose outputs are exchanged while it runs.
type exchanging struct {
	*Outbox
	log   strings.Builder
	sinks []*closing
	now   *Output
	ended chan error
}

func newExchanging(t *testing.T, entries int) *exchanging {
	x := &exchanging{ended: make(chan error, 1)}
	log := slog.New(slog.NewTextHandler(&x.log, nil))
	first := x.add(log, false)
	var err error
	x.Outbox, err = New(first, Config{Listener: "l", Capacity: entries, Policy: Policy{
		MinBackoff: time.Second, MaxBackoff: time.Second}, Log: &FailureLog{Logger: log}})
	if err != nil {
		t.Fatal(err)
	}
	builder, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	var p object.Parser
	for i := range entries {
		pod, _, err := p.ParseItem(fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d"}}`, i))
		if err != nil {
			t.Fatal(err)
		}
		e := event.Event{Op: event.Add, Object: pod}
		report := builder.Event(e, time.Now())
		report.Report = &sink.Report{}
		if err := x.Offer(t.Context(), e, &Pending{Wanted: true, By: &Maker{Builder: builder},
			Extra: &Extra{Reports: []Report{{Message: report, Settler: slowly{}}}}}); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

func (x *exchanging) add(log *slog.Logger, hangs bool) *Output {
	c := &closing{hangs: hangs, closed: make(chan struct{}), turn: make(chan struct{}, 1)}
	x.sinks = append(x.sinks, c)
	x.now = NewOutput("out", c, log)
	return x.now
}

// next has another output take the rest, and closes the one before.
func (x *exchanging) next(t *testing.T, hangs bool, grace time.Duration) error {
	before, sink := x.now, x.sinks[len(x.sinks)-1]
	x.Use(x.add(before.log, hangs), *x.policy.Load())
	ctx, cancel := context.WithTimeout(t.Context(), grace)
	defer cancel()
	err := before.Retire(ctx)
	if closed := sink.Close(ctx); closed != nil {
		t.Error(closed)
	}
	return err
}

// finish expects all entries to be delivered, each once, and none of them to have failed.
func (x *exchanging) finish(t *testing.T, entries int) {
	x.Stop()
	if err := <-x.ended; err != nil {
		t.Error(err)
	}
	times := map[string]int{}
	for _, c := range x.sinks {
		if c.late > 0 {
			t.Errorf("%d writes to a sink that was closed", c.late)
		}
		for _, name := range c.took {
			times[name]++
		}
	}
	for name, n := range times {
		if n != 1 {
			t.Errorf("%s came %d times", name, n)
		}
	}
	if s := x.Stats(); len(times) != entries || s.Delivered != uint64(entries) || s.Retried != 0 {
		t.Errorf("%d of %d entries came: %+v", len(times), entries, s)
	}
	if x.log.Len() > 0 {
		t.Errorf("logged:\n%s", x.log.String())
	}
}

func TestWritesUnderWayEndAtTheOutputBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const entries = 300
		x := newExchanging(t, entries)
		go func() { x.ended <- x.Run(t.Context()) }()
		for n := range 40 {
			time.Sleep(time.Duration(20+n) * time.Millisecond)
			if err := x.next(t, false, time.Second); err != nil {
				t.Error(err)
			}
		}
		x.finish(t, entries)
	})
}

// What a closed sink could not take in time goes to the next one, and has not failed.
func TestWritesThatHangGoToTheNextOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const entries = 30
		x := newExchanging(t, entries)
		if err := x.next(t, true, time.Second); err != nil {
			t.Error(err)
		}
		go func() { x.ended <- x.Run(t.Context()) }()
		time.Sleep(time.Second)
		if err := x.next(t, false, time.Second); err == nil {
			t.Error("a write that hangs was not waited for")
		}
		// Those that waited for their turn got the error that the sink is closed.
		synctest.Wait()
		x.sinks[1].late = 0
		x.finish(t, entries)
	})
}

func TestNothingBeginsAtARetiredOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newExchanging(t, 5)
		if err := x.now.Retire(t.Context()); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { x.ended <- x.Run(ctx) }()
		time.Sleep(time.Minute)
		if n := x.Stats().Written; n != 0 {
			t.Errorf("%d messages were written", n)
		}
		cancel()
		if err := <-x.ended; err == nil {
			t.Error("all was delivered")
		}
	})
}

// An output that takes the place of another one goes on counting its pauses.
func TestPausesAreCountedOn(t *testing.T) {
	quiet := slog.New(slog.DiscardHandler)
	outs := []*Output{NewOutput("out", hanging{}, quiet), NewOutput("out", hanging{}, quiet),
		NewOutput("out", hanging{}, quiet)}
	for i, out := range outs {
		if i > 0 {
			out.Replaces(outs[i-1])
		}
		for range FailuresBeforePause {
			out.failed(false, errors.New("not now"))
		}
		if _, n := out.Pause(); n != uint64(i+1) {
			t.Errorf("output %d: %d pauses", i, n)
		}
	}
}
