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

	"github.com/informerd/informerd/internal/deadletter"
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

// An API server that is away holds up what goes to its cluster, and to no other one. All of it ends
// with the output.
func TestAClusterIsPausedAlone(t *testing.T) {
	tell(t, many, sink.Pace{Writes: 4, ByCluster: true}, func(s *story) {
		us := newStory(s.t, many, sink.Pace{})
		policy := Policy{MinBackoff: time.Second, MaxBackoff: time.Minute}
		s.Use(s.to.In("eu"), policy)
		us.Use(s.to.In("us"), policy)
		us.run()
		s.out.set(func(messages []sink.Message) []error {
			if messages[0].Object.Name() < "u" {
				return sink.AllFailed(len(messages), errDown)
			}
			return nil
		})
		s.offer("a1 b1 c1 d1 e1 f1")
		s.wait(10 * time.Second)
		us.offer("u1 v1")
		synctest.Wait()
		s.wantTaken("u1 v1")
		if eu, n := s.to.In("eu").Pause(); n == 0 || eu.IsZero() || s.to.In("eu").Trouble() == nil {
			t.Errorf("%d pauses, now %+v", n, eu)
		}
		if us, n := s.to.In("us").Pause(); n != 0 || !us.IsZero() || s.to.In("us").Trouble() != nil {
			t.Errorf("the other cluster: %d pauses, now %+v", n, us)
		}
		next := NewOutput("out", s.out, quiet)
		next.Replaces(s.to)
		_, before := s.to.In("eu").Pause()
		if _, n := next.In("eu").Pause(); n != before {
			t.Errorf("%d pauses are counted on as %d", before, n)
		}
		if err := s.to.Retire(s.t.Context()); err != nil {
			t.Error(err)
		}
		us.offer("w1")
		s.wait(time.Minute)
		s.wantTaken("u1 v1")
		us.cancel()
		<-us.ended
	})
}

// The API server of one cluster, and any other receiver, is one output.
func TestOutputsInClusters(t *testing.T) {
	all := NewOutput("out", &stage{}, quiet)
	each := NewOutput("out", &stage{pace: sink.Pace{ByCluster: true}}, quiet)
	eu := each.In("eu")
	if all.In("eu") != all || each.In("eu") != eu || each.In("us") == eu || eu == each {
		t.Error("outputs are shared by clusters in another way")
	}
}

// What is delivered of an object supersedes letters of its own cluster alone.
func TestDeliveriesInAClusterSupersedeLettersOfIt(t *testing.T) {
	store, err := deadletter.Open(deadletter.Config{Clusters: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, cluster := range []string{"c", "other"} {
		if _, err := store.Put(t.Context(), deadletter.Letter{Cluster: cluster, Listener: "l",
			Output: "out", Resource: "pods", Name: "a", ResourceVersion: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	tell(t, Config{Capacity: 10, Notes: store.Listener("l")}, sink.Pace{}, func(s *story) {
		s.offer("a2")
		synctest.Wait()
		s.wantTaken("a2")
	})
	for l, err := range store.List(t.Context(), deadletter.Query{}) {
		if err != nil || l.Superseded != (l.Cluster == "c") {
			t.Errorf("%s: superseded %t, %v", l.Cluster, l.Superseded, err)
		}
	}
}
