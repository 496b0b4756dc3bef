package delivery

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// hanging is a sink whose writes hang until on is closed.
type hanging struct {
	begun chan struct{}
	on    chan struct{}
}

func (hanging) Pace() sink.Pace             { return sink.Pace{Writes: 3} }
func (hanging) Close(context.Context) error { return nil }

func (h hanging) Write(context.Context, []sink.Message) []error {
	h.begun <- struct{}{}
	<-h.on
	return nil
}

var bubble = regexp.MustCompile(`synctest bubble \d+`)

// inBubble returns how many goroutines there are in the bubble of the caller. Those of other tests
// may be ending.
func inBubble(t *testing.T) int {
	t.Helper()
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	own := bubble.Find(stacks) // the caller comes first
	if own == nil {
		t.Fatal("stacks do not say which bubble they are of")
	}
	return bytes.Count(stacks, append(own, ']'))
}

func TestSendersStartWhenThereIsSomethingToSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hanging{make(chan struct{}, 10), make(chan struct{})}
		log := slog.New(slog.DiscardHandler)
		o, err := New(NewOutput("out", h, log),
			Config{Listener: "l", Capacity: 10, Log: &FailureLog{Logger: log}})
		if err != nil {
			t.Fatal(err)
		}
		messages, err := cloudevent.NewBuilder(
			sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
		if err != nil {
			t.Fatal(err)
		}
		goroutines := inBubble(t)
		ended := make(chan error)
		go func() { ended <- o.Run(t.Context()) }()
		synctest.Wait()
		if n := inBubble(t) - goroutines; n != 1 {
			t.Errorf("%d goroutines wait for something to send, want 1", n)
		}
		var p object.Parser
		for i := range 5 {
			pod, _, err := p.ParseItem(fmt.Appendf(nil,
				`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d"}}`, i))
			if err != nil {
				t.Fatal(err)
			}
			entry := &Pending{Wanted: true, By: &Maker{Builder: messages}}
			if err := o.Offer(t.Context(), event.Event{Op: event.Add, Object: pod},
				entry); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if n := len(h.begun); n != 3 {
			t.Errorf("%d writes at once, want 3", n)
		}
		close(h.on)
		o.Stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if n := o.Stats().Delivered; n != 5 {
			t.Errorf("%d entries are delivered, want 5", n)
		}
	})
}
