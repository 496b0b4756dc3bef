package route

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
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

// Objects that fail, and whose dead letters have no room, delay nobody: events of others go on, and
// so do dead letters of other namespaces. The listener's trouble says whose room is used up. Once
// there is room, what waits comes to its letter.
func TestObjectsThatFailDelayNobody(t *testing.T) {
	for _, events := range []int{1, 3} { // of each object
		synctest.Test(t, func(t *testing.T) {
			f := newFed(t, 1, Buffer{Capacity: 10})
			limits := deadletter.Limits{MaxBytes: 64 << 10, NamespaceBytes: 16 << 10, MaxAge: -1}
			store, err := deadletter.Open(deadletter.Config{Limits: limits})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			f.Letters, f.Notes = store, store.Listener("l")
			f.Filter = expressionOf(t, filters.KindFilter, "object.spec.w >= 0")
			f.Retry = Retry{Attempts: 1, MinBackoff: time.Second, MaxBackoff: time.Minute}
			f.start(t)
			version := 0
			offer := func(namespace, name, w string) {
				version++
				text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,`+
					`"namespace":%q,"uid":"u","resourceVersion":"%d"},"spec":{"w":%s}}`, name, namespace,
					version, w)
				o, err := (&object.Parser{}).Parse([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				e := event.Event{Op: event.Add, Object: o, Old: f.last[namespace+name]}
				if e.Old != nil {
					e.Op = event.Update
				}
				f.last[namespace+name] = o
				if err := f.queue.OfferWait(t.Context(), informer.Entry{Event: e}); err != nil {
					t.Fatal(err)
				}
			}
			const noisy = 3000
			for range events {
				for i := range noisy {
					offer("noisy", fmt.Sprint("p", i), `"five"`)
				}
			}
			for i := range 30 {
				good := fmt.Sprint("good", i)
				offer("quiet", good, "5")
				offer("quiet", fmt.Sprint("bad", i), `"six"`)
				begun := time.Now()
				synctest.Wait()
				for len(f.got(0)) <= i {
					time.Sleep(time.Millisecond)
				}
				if d := time.Since(begun); d > 100*time.Millisecond {
					t.Fatalf("%s came after %v", good, d)
				}
				time.Sleep(time.Second)
			}
			n := map[string]int{}
			for l, err := range store.List(t.Context(), deadletter.Query{Heads: true}) {
				if err != nil {
					t.Fatal(err)
				}
				n[l.Namespace]++
			}
			if n["quiet"] != 30 || n["noisy"] == 0 || store.Stats().Bytes > limits.MaxBytes/2 {
				t.Errorf("letters: %v, %+v", n, store.Stats())
			}
			troubles := errors.Join(f.Stats().Troubles...)
			if !strings.Contains(fmt.Sprint(troubles), `a quarter of deadLetters.bytes`) ||
				!strings.Contains(fmt.Sprint(troubles), `namespace "noisy"`) {
				t.Errorf("troubles: %v", troubles)
			}
			store.SetLimits(deadletter.Limits{MaxAge: -1})
			time.Sleep(5 * time.Minute)
			last := map[string]string{} // versions that letters have
			for l, err := range store.List(t.Context(), deadletter.Query{Heads: true}) {
				if err != nil {
					t.Fatal(err)
				}
				last[l.Namespace+l.Name] = l.ResourceVersion
			}
			for name, o := range f.last {
				if strings.HasPrefix(o.Name(), "good") {
					continue
				}
				if last[name] != o.ResourceVersion() {
					t.Errorf("%s has the letter of %q, want %s", name, last[name], o.ResourceVersion())
				}
			}
			if n := store.Stats().Waiting; n != 0 {
				t.Errorf("%d letters wait", n)
			}
			f.finish(t)
		})
	}
}
