package keeper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// recorder is an output that notes when it gets what.
type recorder struct {
	mu    sync.Mutex
	begun time.Time
	got   []string
}

func (r *recorder) Write(_ context.Context, messages []sink.Message) []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range messages {
		r.got = append(r.got, fmt.Sprintf("%s %s after %v", m.Type, m.Subject, time.Since(r.begun)))
	}
	return make([]error, len(messages))
}

func (r *recorder) Pace() sink.Pace             { return sink.Pace{Writes: 2} }
func (r *recorder) Close(context.Context) error { return nil }

// routed is a listener with a route.
type routed struct{ *route.Route }

func (routed) Name() string   { return "a" }
func (routed) Select() string { return "" }

// newRoute returns a route with a rule that does not want objects called bad.
func newRoute(t *testing.T, k *Keeper, out *recorder) (*route.Route, *informer.Subscription) {
	t.Helper()
	queue, err := informer.NewSubscription(informer.SubscriptionConfig{Name: "a", Capacity: 100})
	if err != nil {
		t.Fatal(err)
	}
	rule, err := rules.Compile(rules.Definition{Name: "bad", Deny: filters.Expression{
		Text: `object.metadata.name == "bad"`, File: "c.yaml", Line: 1, Listener: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	messages, err := cloudevent.NewBuilder(sink.Origin{Cluster: "c", Listener: "a",
		Resource: "pods", Version: "v1", Kind: "Pod"})
	if err != nil {
		t.Fatal(err)
	}
	letters, err := deadletter.Open(deadletter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = letters.Close() })
	r, err := route.New(route.Config{Name: "a", Subscription: queue, Log: quiet, Keep: true,
		Letters: letters, Await: k.Await, Retry: route.Retry{Attempts: 1, MinBackoff: time.Second,
			MaxBackoff: time.Second}, Pipeline: &route.Pipeline{Messages: messages,
			Rules:   rules.NewBook([]*rules.Rule{rule}, 1),
			Outputs: []route.Output{{To: delivery.NewOutput("out", out, quiet)}}}})
	if err != nil {
		t.Fatal(err)
	}
	return r, queue
}

// While a commit takes seconds, events pass, and a report waits until what the rule knows is on
// disk, with what is behind it: its object, and what the same write of the output has.
func TestASlowDiskHoldsUpReportsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slow = 5 * time.Second
		k, out := open(t, t.TempDir()), &recorder{begun: time.Now()}
		commit := k.out.(*writer).write
		k.out.(*writer).write = func(block []byte) error { time.Sleep(slow); return commit(block) }
		r, queue := newRoute(t, k, out)
		ran, kept := make(chan error, 1), make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			kept <- k.Run(ctx, Source{Informers: newWorld(t),
				Listeners: func() []Cutter { return []Cutter{routed{r}} },
				Flush:     func() error { return nil }})
		}()
		time.Sleep(Interval + time.Second) // the first commit has begun
		go func() { ran <- r.Run(t.Context()) }()
		for i, name := range []string{"good", "bad", "good", "good"} {
			if _, err := queue.Offer(event.Event{Op: event.Update,
				Object: newObject(t, name, i+1, 10)}, nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		want := []string{"dev.informerd.object.updated pods/shop/good after 1.2s",
			"dev.informerd.object.updated pods/shop/good after 3.2s",
			"dev.informerd.object.updated pods/shop/good after 4.2s",
			// The commit that began after 5.2 s has the violation. The event is behind it.
			"dev.informerd.rule.violated pods/shop/bad after 10.2s",
			"dev.informerd.object.updated pods/shop/bad after 10.2s"}
		out.mu.Lock()
		if !slices.Equal(out.got, want) {
			t.Errorf("got  %q\nwant %q", out.got, want)
		}
		out.mu.Unlock()
		queue.Stop()
		if err := <-ran; err != nil {
			t.Error(err)
		}
		stop()
		if err := <-kept; err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
