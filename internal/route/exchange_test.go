package route

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// exchange makes a pipeline the one of a route that may run.
func (r *Route) exchange(p *Pipeline) error {
	defer r.Pause()()
	return r.Use(p)
}

// late is a subscription that does something just when it hands out the first event.
type late struct {
	*informer.Subscription
	begun        atomic.Bool
	begins, ends chan struct{}
}

func (l *late) Next(ctx context.Context) (informer.Delivery, error) {
	d, err := l.Subscription.Next(ctx)
	if err == nil && l.begun.CompareAndSwap(false, true) {
		l.begins <- struct{}{}
		<-l.ends
	}
	return d, err
}

// An event that a worker takes while another pipeline is to take over ends with the one before. No
// other event begins meanwhile, and none is tried twice.
func TestAnEventThatIsTakenWhileThePipelineChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source, err := informer.NewSubscription(
			informer.SubscriptionConfig{Name: "l", Capacity: 10})
		if err != nil {
			t.Fatal(err)
		}
		out := &output{}
		pipeline := func(cluster string) *Pipeline {
			b, err := cloudevent.NewBuilder(
				sink.Origin{Cluster: cluster, Listener: "l", Resource: "pods"})
			if err != nil {
				t.Fatal(err)
			}
			return &Pipeline{Messages: b, Outputs: []Output{to("out", out)}}
		}
		from := &late{Subscription: source, begins: make(chan struct{}), ends: make(chan struct{})}
		r, err := New(Config{Name: "l", Subscription: from, Letters: &letters{},
			Pipeline: pipeline("before"), Log: slog.New(slog.DiscardHandler), Workers: 2,
			Retry: Retry{Attempts: 1, MinBackoff: time.Second, MaxBackoff: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- r.Run(t.Context()) }()
		offer := func(names ...string) {
			t.Helper()
			for _, name := range names {
				o, err := (&object.Parser{}).Parse([]byte(
					`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `"}}`))
				if err == nil {
					err = source.OfferWait(t.Context(), informer.Entry{Event: event.Event{Op: event.Add, Object: o}})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		offer("a")
		<-from.begins
		exchanged := make(chan error, 1)
		go func() { exchanged <- r.exchange(pipeline("after")) }()
		synctest.Wait()
		offer("b", "c")
		time.Sleep(time.Second)
		if s := r.Stats(); s.Events[event.Add] != 0 || len(exchanged) > 0 {
			t.Errorf("%+v, exchanged %d", s, len(exchanged))
		}
		close(from.ends)
		if err := <-exchanged; err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		if err := r.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		<-ended
		if s := r.Stats(); s.Events[event.Add] != 3 || s.Retried != 0 || len(out.messages) != 3 {
			t.Errorf("%+v, %d messages", s, len(out.messages))
		}
		// Objects come in any order among each other.
		for _, m := range out.messages {
			want := "after"
			if m.Object.Name() == "a" {
				want = "before"
			}
			if m.Origin.Cluster != want {
				t.Errorf("%s was made by the pipeline %s", m.Subject, m.Origin.Cluster)
			}
		}
	})
}
