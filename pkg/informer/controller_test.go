package informer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/store"
)

// TestTheEndOfASuccessorNobodySaw: the subscription knows the first object of a name only, and must
// learn that it is gone.
func TestTheEndOfASuccessorNobodySaw(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		r, _, _ := w.subscribe(SubscriptionConfig{})
		r.take()
		w.server.remove("a", true)
		w.server.apply("a", "2", "", true)
		w.server.remove("a")
		expect(t, r.take(), "delete a/1 101?")
		w.server.apply("a", "3", "")
		synctest.Wait()
		expect(t, r.take(), "add a/3 105")
	})
}

// TestARefusedOfferIsNotOvertaken: between the two events that one change can be, a worker may make
// room. The second must not take it.
func TestARefusedOfferIsNotOvertaken(t *testing.T) {
	sub, err := NewSubscription(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
	if err != nil {
		t.Fatal(err)
	}
	p := &processor{}
	reg := p.join(sub, store.New(), time.Now())
	next := func() string {
		t.Helper()
		d, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer d.Done()
		return story(d.Event)
	}
	p.sendTo(reg, &buffer.Entry{Event: event.Event{Op: event.Add, Object: obj("a", "1", 1)}})
	// refused
	p.sendTo(reg, &buffer.Entry{Event: event.Event{Op: event.Delete, Object: obj("a", "1", 1),
		FinalStateUnknown: true}})
	// room again
	got := []string{next()}
	p.sendTo(reg, &buffer.Entry{Event: event.Event{Op: event.Add, Object: obj("a", "2", 3)}})
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.awaitBlocked(t.Context())
	}()
	got = append(got, next(), next())
	<-done
	expect(t, got, "add a/1 1", "delete a/1 1?", "add a/2 3")
}
