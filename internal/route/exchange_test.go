package route

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// late is a subscription that does something just when it hands out the first event.
type late struct {
	*informer.Subscription
	once sync.Once
	do   func()
}

func (l *late) Next(ctx context.Context) (informer.Delivery, error) {
	d, err := l.Subscription.Next(ctx)
	l.once.Do(l.do)
	return d, err
}

// An event that a worker takes while another pipeline takes over goes through that one, since
// another worker may have taken an earlier event of its object through it. It is not tried twice.
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
		var r *Route
		from := &late{Subscription: source, do: func() {
			if err := r.Use(pipeline("after")); err != nil {
				t.Error(err)
			}
		}}
		r, err = New(Config{Name: "l", Subscription: from, Letters: &letters{},
			Pipeline: pipeline("before"), Log: slog.New(slog.DiscardHandler),
			Retry: Retry{Attempts: 1, MinBackoff: time.Second, MaxBackoff: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b", "c"} {
			o, err := (&object.Parser{}).Parse([]byte(
				`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `"}}`))
			if err == nil {
				err = source.OfferWait(t.Context(), event.Event{Op: event.Add, Object: o}, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan error, 1)
		go func() { ended <- r.Run(t.Context()) }()
		time.Sleep(time.Second)
		if err := r.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		<-ended
		if s := r.Stats(); s.Events[event.Add] != 3 || s.Retried != 0 || len(out.messages) != 3 {
			t.Errorf("%+v, %d messages", s, len(out.messages))
		}
		for _, m := range out.messages {
			if m.Origin.Cluster != "after" {
				t.Errorf("%s was made by the pipeline %s", m.Subject, m.Origin.Cluster)
			}
		}
	})
}
