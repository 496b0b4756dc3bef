package informer

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// An API whose objects have no versions, as some aggregated ones do: a change is an update, in the
// store and for subscriptions, and an object that a new list repeats is unchanged.
func TestObjectsWithoutVersions(t *testing.T) {
	c := &controller{queue: queue.New(4), store: store.New(), proc: &processor{},
		joined: newSignal()}
	sub, err := NewSubscription(SubscriptionConfig{Resync: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	c.proc.join(sub, c.store, time.Now())
	apply := func(typ queue.Type, phase string) {
		o, err := (&object.Parser{}).Parse(
			[]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n"},"status":{"phase":"` + phase + `"}}`))
		if err != nil {
			t.Fatal(err)
		}
		c.apply(&queue.Delta{Type: typ, Object: o})
		if got := object.MustCompilePath("status.phase").Lookup(
			c.store.Get(o.Key())).Text(); got != phase {
			t.Errorf("the store has %s, want %s", got, phase)
		}
	}
	apply(queue.Added, "Pending")
	apply(queue.Updated, "Running")
	apply(queue.Replaced, "Running")
	apply(queue.Replaced, "Failed")
	var got []string
	for e, ok := sub.buf.Take(); ok; e, ok = sub.buf.Take() {
		got = append(got, e.Op.String())
		sub.finish(&e, true)
	}
	expect(t, got, "add", "update", "resync", "update")
}

// A whole list without versions that comes again unchanged is news for nobody.
func TestARelistWithoutVersions(t *testing.T) {
	inWorld(t, func(w *world) {
		item := func(n int) string {
			return fmt.Sprintf(`{"metadata":{"name":"a","namespace":"shop"},"spec":{"n":%d}}`, n)
		}
		w.server.objects["a"], w.server.order = item(1), []string{"a"}
		r, _, _ := w.subscribe(SubscriptionConfig{})
		first := r.take()
		w.server.disconnect(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		expect(t, r.take())
		w.server.mu.Lock()
		w.server.objects["a"] = item(2)
		w.server.mu.Unlock()
		w.server.disconnect(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		expect(t, slices.Concat(first, r.take()), "add a/ *", "update a/  was ")
	})
}
