package route

import (
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// One sender, whose messages are refused, does not stop at a full store: what has no room goes to
// the output again, and a replay gets its turn.
func TestAFullStoreLetsReplaysThrough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var refuses atomic.Bool
		refuses.Store(true)
		out := to("out", alone{func(string) error {
			if refuses.Load() {
				return sink.Permanent(errors.New("no"))
			}
			return nil
		}})
		source, err := informer.NewSubscription(
			informer.SubscriptionConfig{Name: "l", Capacity: 10})
		if err != nil {
			t.Fatal(err)
		}
		store, err := deadletter.Open(deadletter.Config{
			Limits: deadletter.Limits{MaxBytes: 1200, MaxAge: -1}})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		messages, err := cloudevent.NewBuilder(
			sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(Config{Name: "l", Subscription: source, Letters: store,
			Notes: store.Listener("l"), Log: slog.New(slog.DiscardHandler),
			Pipeline: &Pipeline{Messages: messages, Outputs: []Output{out}},
			Retry:    Retry{Attempts: 1, MinBackoff: time.Second, MaxBackoff: time.Minute}})
		if err != nil {
			t.Fatal(err)
		}
		events := map[string]event.Event{}
		for i := range 5 {
			name := fmt.Sprint("p", i)
			o, err := (&object.Parser{}).Parse(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod",`+
				`"metadata":{"name":%q,"uid":"u","resourceVersion":"%d"}}`, name, i+1))
			if err != nil {
				t.Fatal(err)
			}
			events[name] = event.Event{Op: event.Add, Object: o}
			if err := source.OfferWait(t.Context(), informer.Entry{Event: events[name]}); err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan error, 1)
		go func() { ended <- r.Run(t.Context()) }()
		time.Sleep(10 * time.Second)
		s := store.Stats()
		if s.Letters == 0 || s.Letters == 5 || s.Waiting != 5-s.Letters {
			t.Fatalf("%+v", s)
		}
		refuses.Store(false)
		for l, err := range store.List(t.Context(), deadletter.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			result, err := r.Replay(t.Context(), Replay{Letter: l, Event: events[l.Name],
				Superseded: func() bool { return store.Superseded(l.ID) }})
			if result != delivery.Delivered || err != nil {
				t.Errorf("%s: %v, %v", l.Name, result, err)
			}
		}
		time.Sleep(2 * time.Minute)
		if s := r.Stats().Outputs[0]; s.Waiting != 0 || s.Written != 5 {
			t.Errorf("%+v", s)
		}
		if err := r.Drain(t.Context()); err != nil {
			t.Error(err)
		}
		<-ended
	})
}

// alone is answering with one write at a time.
type alone struct{ answering }

func (alone) Pace() sink.Pace { return sink.Pace{} }
