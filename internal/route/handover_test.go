package route

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
)

// crowded is a route with outboxes that have room for two events, and a worker that has taken more.
func crowded(t *testing.T, source *script, outputs ...*output) (*Route, *worker) {
	t.Helper()
	messages, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	p := &Pipeline{Messages: messages}
	for i, o := range outputs {
		p.Outputs = append(p.Outputs, to([]string{"first", "second"}[i], o))
	}
	r, err := New(Config{Name: "l", Subscription: source, Retry: patient, Pipeline: p,
		Buffer:  Buffer{Capacity: 2, Overflow: informer.OverflowBlock},
		Letters: &letters{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	w := &worker{route: r, waiting: t.Context()}
	if err := w.open(t.Context(), r.pipeline.Load()); err != nil {
		t.Fatal(err)
	}
	w.taken = slices.Clone(source.waiting)
	source.waiting = nil
	return r, w
}

// Outboxes that have no room for all events of a turn get as many as they have room for at once,
// and the rest event by event. What was not handed over when the route stops goes on where it was.
func TestWhatHasNoRoomWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outputs := []*output{{}, {}}
		source := newScript(adds("a", "b", "c", "d", "e")...)
		r, w := crowded(t, source, outputs...)
		ctx, cancel := context.WithCancel(t.Context())
		w.waiting = ctx
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.turn(ctx)
		}()
		synctest.Wait()
		expectAll(t, "acknowledged", source.log, "done a", "done b")
		for _, destination := range r.pipeline.Load().destinations {
			if n := destination.Stats().Offered; n < 2 || destination.Room() != 0 {
				t.Errorf("%s has %d", destination.Name(), n)
			}
		}
		cancel()
		<-ended
		synctest.Wait()
		expectAll(t, "acknowledged", source.log, "done a", "done b", "retry c", "retry d",
			"retry e")
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, o := range outputs {
			slices.Sort(o.got) // they came back in any order
			expectAll(t, "written", o.got, "added pods/shop/a", "added pods/shop/b",
				"added pods/shop/c", "added pods/shop/d", "added pods/shop/e")
		}
		if s := r.Stats(); s.Retried != 0 || s.DeadLetters != 0 || s.Matched != 5 {
			t.Errorf("%+v", s)
		}
	})
}

// What is for an output that the listener does not use any more is not handed over, and neither
// keeps its event from being acknowledged nor the other outputs from getting it.
func TestWhatIsForAnOutputThatHasGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outputs := []*output{{}, {}}
		source := newScript(adds("a", "b", "c")...)
		r, w := crowded(t, source, outputs...)
		destinations := r.pipeline.Load().destinations
		destinations[0].Retire()
		go func() {
			if err := destinations[1].Run(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		w.turn(t.Context())
		expectAll(t, "acknowledged", source.log, "done a", "done b", "done c")
		destinations[1].Stop()
		synctest.Wait()
		expectAll(t, "written", outputs[1].got, "added pods/shop/a", "added pods/shop/b",
			"added pods/shop/c")
		if s := r.Stats(); s.Unwanted != 3 || len(outputs[0].got) != 0 {
			t.Errorf("%+v, got %v", s, outputs[0].got)
		}
	})
}

// A worker takes no more events than there is room for, so that the others stay in the
// subscription, and those that wait are not woken for each entry that has ended.
func TestWorkersTakeWhatThereIsRoomFor(t *testing.T) {
	source := newScript(adds("a", "b", "c")...)
	r, w := crowded(t, source, &output{})
	p := r.pipeline.Load()
	if p.room(1) != 1 || p.room(32) != 2 || p.blocked() {
		t.Errorf("room for %d events", p.room(32))
	}
	w.taken = w.taken[:2]
	w.turn(t.Context())
	if p.room(32) != 1 || !p.blocked() {
		t.Errorf("room for %d events, and it is full", p.room(32))
	}
	r.outboxes.room.freedIn(p.destinations[0]) // nobody waits
	if p.destinations[0].Roomy() {
		t.Error("there is no room, and something to send")
	}
	p.destinations[0].Stop()
	if err := p.destinations[0].Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.blocked() || !p.destinations[0].Roomy() {
		t.Error("there is room, and nothing to send")
	}
}
