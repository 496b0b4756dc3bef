package route

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
)

// What has no subscription, no messages or no sink is refused before it runs.
func TestNewRefusesWhatCannotRun(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	messages, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	for want, cfg := range map[string]Config{
		`route "l" has no subscription`: {Name: "l", Log: log},
		`route "l" has no log`: {Name: "l", Subscription: newScript(),
			Letters: &letters{}},
		`route "l": workers (-1) and crashes before a pause (0) must not be negative`: {Name: "l",
			Subscription: newScript(), Log: log, Letters: &letters{}, Workers: -1},
		`route "l": the pipeline has no Messages`: {Name: "l", Subscription: newScript(), Log: log,
			Letters: &letters{}, Pipeline: &Pipeline{}},
		`route "l": an output of the pipeline is nowhere`: {Name: "l", Log: log,
			Subscription: newScript(), Letters: &letters{},
			Pipeline: &Pipeline{Messages: messages, Outputs: []Output{{}}}},
		`route "l" has no place for dead letters`: {Name: "l", Subscription: newScript(), Log: log},
	} {
		if _, err := New(cfg); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	r, err := New(Config{Name: "l", Subscription: newScript(), Log: log, Letters: &letters{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(t.Context()); err == nil || err.Error() != `route "l" has no pipeline` {
		t.Errorf("without a pipeline: %v", err)
	}
}

// What waits for an output goes to the output of the same name that the listener has by then. What
// waits for an output that it has no more is a dead letter.
func TestWhatWaitsGoesToTheOutputOfThatName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		before, after, gone := &output{}, &output{}, &output{}
		fail := func(int, sink.Message) error { return errors.New("not now") }
		before.fail, gone.fail = fail, fail
		source := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)})
		source.open = true
		d := source.route(t, &log, before)
		dead := &letters{}
		d.Letters, d.Outputs = dead, []Output{to("out", before), to("gone", gone)}
		done := make(chan error, 1)
		go func() { done <- d.Run(t.Context()) }()
		synctest.Wait()
		if err := d.exchange(&Pipeline{Messages: d.Messages,
			Outputs: []Output{to("out", after), to("new", after)}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if got := versions(after); !slices.Equal(got, []string{"1"}) {
			t.Errorf("the new sink got %v\n%s", got, &log)
		}
		source.push(event.Event{Op: event.Add, Object: pod(2, `"Pending"`)})
		source.end()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := versions(after); !slices.Equal(got, []string{"1", "2", "2"}) {
			t.Errorf("the new sink got %v\n%s", got, &log)
		}
		if len(before.got)+len(gone.got) > 0 {
			t.Errorf("the old sinks got %v and %v", before.got, gone.got)
		}
		if len(dead.all) != 1 || dead.all[0].Output != "gone" ||
			dead.all[0].Reason != deadletter.OutputRemoved || dead.all[0].ResourceVersion != "1" {
			t.Errorf("dead letters %+v", dead.all)
		}
	})
}

// Drain lets Run deliver what is there. It is cut short when its context is done: then the events
// go back.
func TestDrain(t *testing.T) {
	for name, sinks := range map[string]sink.Sink{"done": &output{}, "waiting": stuck{}} {
		synctest.Test(t, func(t *testing.T) {
			source := newScript(add("a"))
			source.open = true
			messages, err := cloudevent.NewBuilder(
				sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
			if err != nil {
				t.Fatal(err)
			}
			r, err := New(Config{Name: "l", Subscription: source, Retry: patient,
				Letters: &letters{}, Log: slog.New(slog.DiscardHandler),
				Pipeline: &Pipeline{Messages: messages,
					Outputs: []Output{to("out", sinks)}}})
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- r.Run(t.Context()) }()
			synctest.Wait()
			grace, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err = r.Drain(grace)
			if cut := name == "waiting"; cut != errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: drained with %v", name, err)
			}
			<-ended
			if got := strings.Join(source.log, ", "); got != "done a" {
				t.Errorf("%s: %s", name, got)
			}
			if n := r.Stats().Outputs[0].Waiting; n == 0 != (name == "done") {
				t.Errorf("%s: %d are waiting", name, n)
			}
			if err := r.Drain(grace); err != nil && name == "done" {
				t.Errorf("%s: drained again with %v", name, err)
			}
		})
	}
}

// An output that is removed while a worker is at an event gets the event before that, or a dead
// letter is made of it, and it holds up nothing.
func TestAnOutputThatIsRemovedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "")
		gone, dead := &output{}, &letters{}
		h.Outputs, h.Letters = append(h.Outputs, to("gone", gone)), dead
		h.lasts = time.Minute
		_, cancel, ended := h.trying(t)
		defer cancel()
		h.push("a")
		next := h.Pipeline
		next.Outputs = h.Outputs[:1]
		if err := h.exchange(&next); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		expectAll(t, "written", h.written(), "a")
		expectAll(t, "acknowledged", h.source.log, "done a")
		if len(gone.got)+len(dead.all) != 1 {
			t.Errorf("the removed output got %v, letters %v", gone.got, dead.all)
		}
		h.source.end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// The sums of a route do not fall when an output goes, and what waits for it is known until it has
// become dead letters.
func TestSumsOutlastOutputs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		stays, goes := &output{}, &output{}
		source := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)},
			event.Event{Op: event.Add, Object: pod(2, `"Pending"`)})
		source.open = true
		d := source.route(t, &log, stays)
		d.Letters, d.Outputs = &letters{fails: 1}, []Output{to("stays", stays), to("goes", goes)}
		goes.fail = func(n int, _ sink.Message) error {
			if n > 1 {
				return errors.New("not now")
			}
			return nil
		}
		done := make(chan error, 1)
		go func() { done <- d.Run(t.Context()) }()
		synctest.Wait()
		before := d.Stats()
		if before.Written != 3 || before.Retried != 1 || before.Leaving != 0 {
			t.Fatalf("%+v", before)
		}
		for n := range 2 {
			if err := d.exchange(&Pipeline{Messages: d.Messages,
				Outputs: []Output{to("stays", stays)}}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			s := d.Stats()
			if s.Written != 3 || s.Retried != 1 || s.DeadLetters != uint64(n) ||
				s.Leaving != 1-n || len(s.Outputs) != 1 {
				t.Errorf("after it is removed, %d: %+v", n, s)
			}
			time.Sleep(time.Minute) // then the letter can be stored
		}
		source.end()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if s := d.Stats(); s.Written != 3 || s.DeadLetters != 1 {
			t.Errorf("at the end: %+v", s)
		}
	})
}
