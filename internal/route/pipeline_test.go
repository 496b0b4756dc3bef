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
		`route "l" has no log`:          {Name: "l", Subscription: newScript()},
		`route "l": workers (-1) and crashes before a pause (0) must not be negative`: {Name: "l",
			Subscription: newScript(), Log: log, Workers: -1},
		`route "l": the pipeline has no Messages`: {Name: "l", Subscription: newScript(), Log: log,
			Pipeline: &Pipeline{}},
		`route "l": output "out" has no sink`: {Name: "l", Subscription: newScript(), Log: log,
			Pipeline: &Pipeline{Messages: messages, Outputs: []Output{{Name: "out"}}}},
	} {
		if _, err := New(cfg); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	r, err := New(Config{Name: "l", Subscription: newScript(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Run(t.Context()); err == nil || err.Error() != `route "l" has no pipeline` {
		t.Errorf("without a pipeline: %v", err)
	}
}

// An event finishes with the pipeline that it began with; the next one has the new one.
func TestAnEventFinishesWithItsPipeline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		before, after := &output{}, &output{}
		before.fail = func(n int, _ sink.Message) error {
			if n == 1 {
				return errors.New("not now")
			}
			return nil
		}
		source := newScript(event.Event{Op: event.Add, Object: pod(1, `"Pending"`)})
		source.open = true
		d := source.route(t, &log, before)
		done := make(chan error, 1)
		go func() { done <- d.Run(t.Context()) }()
		synctest.Wait() // it waits for its retry
		if err := d.Use(&Pipeline{Messages: d.Messages,
			Outputs: []Output{{Name: "new", Sink: after}}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		source.push(event.Event{Op: event.Add, Object: pod(2, `"Pending"`)})
		source.end()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := versions(before); !slices.Equal(got, []string{"1"}) {
			t.Errorf("the output of before got %v\n%s", got, &log)
		}
		if got := versions(after); !slices.Equal(got, []string{"2"}) {
			t.Errorf("the new output got %v\n%s", got, &log)
		}
	})
}

// Drain lets Run deliver what is there. It is cut short when its context is done: then the events
// go back.
func TestDrain(t *testing.T) {
	for name, sinks := range map[string]sink.Sink{"done": &output{}, "retry": stuck{}} {
		synctest.Test(t, func(t *testing.T) {
			source := newScript(add("a"))
			source.open = true
			messages, err := cloudevent.NewBuilder(
				sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
			if err != nil {
				t.Fatal(err)
			}
			r, err := New(Config{Name: "l", Subscription: source, Retry: patient,
				Log: slog.New(slog.DiscardHandler), Pipeline: &Pipeline{Messages: messages,
					Outputs: []Output{{Name: "out", Sink: sinks}}}})
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- r.Run(t.Context()) }()
			synctest.Wait()
			grace, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err = r.Drain(grace)
			if cut := name == "retry"; cut != errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: drained with %v", name, err)
			}
			<-ended
			if got := strings.Join(source.log, ", "); got != name+" a" {
				t.Errorf("%s: %s", name, got)
			}
			if err := r.Drain(grace); err != nil && name == "done" {
				t.Errorf("%s: drained again with %v", name, err)
			}
		})
	}
}
