package informer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Item 43: an object without a name never reaches the queue, wherever it comes from.
func TestAnObjectWithoutANameIsNeverQueued(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.objects["nameless"] = `{"metadata":{"namespace":"shop","resourceVersion":"99"}}`
		w.server.order = append(w.server.order, "nameless")
		w.server.apply("a", "1", "")
		r, _, _ := w.subscribe(SubscriptionConfig{})
		w.server.raw(`{"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"shop"}}}`)
		expect(t, r.take(), "add a/1 101*")
		if s := w.factory.Status()[0]; s.Skipped != 2 || s.Objects != 1 || !s.Synced {
			t.Errorf("%+v", s)
		}
	})
}

// Item 44: what a Shape drops is cut out once, on arrival, so that everything behind it sees the
// same: listed, streamed and watched objects, deletes, resyncs.
func TestDropsAreCutOutOnArrival(t *testing.T) {
	for _, streams := range []bool{false, true} {
		inWorld(t, func(w *world) {
			w.server.streams = streams
			w.server.apply("a", "1", `,"spec":{"big":"text","small":1}`)
			sub, err := NewSubscription(SubscriptionConfig{Resync: 10 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.factory.Subscribe(pods, Scope{},
				Shape{Drop: []object.Path{object.MustCompilePath("spec.big")}}, sub); err != nil {
				t.Fatal(err)
			}
			var mu sync.Mutex
			var got []string
			go func() {
				_ = sub.Run(w.ctx, func(_ context.Context, e event.Event) error {
					mu.Lock()
					defer mu.Unlock()
					got = append(got, e.Op.String()+" "+e.Object.Value().Get("spec").Raw())
					return nil
				})
			}()
			synctest.Wait()
			w.server.apply("a", "1", `,"spec":{"big":"text","small":2}`)
			time.Sleep(10 * time.Second)
			synctest.Wait()
			w.server.raw(`{"type":"DELETED","object":` + podText("a", "1", 103,
				`,"spec":{"big":"text","small":3}`) + `}`)
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			expect(t, got, `add {"small":1}`, `update {"small":2}`, `resync {"small":2}`,
				`delete {"small":3}`)
		})
	}
}

// Item 45: a field that cannot be dropped is refused when the informer is asked for, and not found
// out object by object.
func TestADropThatCannotBeIsRefusedAtOnce(t *testing.T) {
	f := NewFactory(newFakeServer(), nil)
	sub, err := NewSubscription(SubscriptionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Subscribe(pods, Scope{},
		Shape{Drop: []object.Path{object.MustCompilePath("metadata.name")}}, sub)
	if err == nil || !strings.HasPrefix(err.Error(), "informer of pods: ") {
		t.Error(err)
	}
	if s := f.Status(); len(s) != 0 {
		t.Errorf("%+v", s)
	}
}

// Items 46 and 49: a list is queued object by object, in its own order, and what is gone comes
// after it.
// Items 47 and 48: a tombstone is a mark on the last known object and cannot be nested: however
// often the object is missing from a list, there is one delete.
// Item 48: what is queued comes before what a later list says of it.
// Item 50: a resync carries the stored object once, and no old one.
func TestAResyncCarriesTheStoredObject(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		sub, err := NewSubscription(SubscriptionConfig{Resync: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		reg, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []event.Op{event.Add, event.Resync} {
			d, err := sub.Next(w.ctx)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := reg.Lister().Get("shop", "a")
			if err != nil || d.Op != want || d.Object != stored || d.Old != nil {
				t.Errorf("%s, old %v, the stored object: %t", story(d.Event), d.Old,
					d.Object == stored)
			}
			d.Done()
		}
	})
}

// Item 52: an add is initial if it comes from the first list, and not if it comes from a later one.
func TestOnlyTheFirstListIsInitial(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		r, _, _ := w.subscribe(SubscriptionConfig{})
		w.server.apply("b", "2", "")
		expect(t, r.take(), "add a/1 101*", "add b/2 102")
		w.server.apply("c", "3", "", true)
		w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
		time.Sleep(2 * backoffMin)
		expect(t, r.take(), "add c/3 103")
	})
}

// Item 54: the queue retains nothing of what was taken from it.
// Item 54: while one object is being handed out, others can be queued.
// Item 55: whether something is an add or an update is decided by what is stored, not by what the
// server calls it.
func TestTheStoreDecidesBetweenAddAndUpdate(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		r, _, _ := w.subscribe(SubscriptionConfig{})
		r.take()
		w.server.raw(`{"type":"ADDED","object":` + podText("a", "1", 102, "") + `}`)
		expect(t, r.take(), "update a/1 102 was 101")
		w.server.raw(`{"type":"MODIFIED","object":` + podText("b", "2", 103, "") + `}`)
		expect(t, r.take(), "add b/2 103")
	})
}

// Item 56: a delete carries the object of its own event, not the stored one; an object nobody knows
// is not deleted.
func TestADeleteCarriesTheObjectOfItsEvent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", `,"spec":{"x":1}`)
		sub, err := NewSubscription(SubscriptionConfig{On: event.OpSet(0).With(event.Delete)})
		if err != nil {
			t.Fatal(err)
		}
		reg, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.server.raw(`{"type":"DELETED","object":` + podText("unknown", "9", 102, "") + `}`)
		w.server.raw(`{"type":"DELETED","object":` + podText("a", "1", 103, `,"spec":{"x":2}`) +
			`}`)
		d, err := sub.Next(w.ctx)
		if err != nil || story(d.Event) != "delete a/1 103" ||
			d.Object.Value().Get("spec").Raw() != `{"x":2}` {
			t.Errorf("%s, %v", story(d.Event), err)
		}
		d.Done()
		if _, err := reg.Lister().Get("shop", "a"); err == nil {
			t.Error("it is still stored")
		}
		if s := w.factory.Status()[0]; s.ResourceVersion != "103" {
			t.Errorf("%+v", s)
		}
	})
}

// Item 57: the store is changed before any subscription is notified.
func TestTheStoreIsChangedFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		reg, sub := w.hang(SubscriptionConfig{})
		var mu sync.Mutex
		// how many events the subscription had got when the store was being changed
		var told []string
		err := reg.AddIndexes(map[string]IndexFunc{"spy": func(*object.Object) []string {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, fmt.Sprint(sub.Stats().Offered))
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		w.applyEach("a", "a")
		w.server.remove("a")
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		expect(t, slices.Compact(told), "0", "1") // what an object leaves is known without asking
	})
}

// Items 57 and 94: when a handler is called, the store has that state already, or a newer one.
func TestTheStoreIsNeverOlderThanTheEvent(t *testing.T) {
	inWorld(t, func(w *world) {
		sub, err := NewSubscription(SubscriptionConfig{})
		if err != nil {
			t.Fatal(err)
		}
		reg, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub)
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		calls := 0
		go func() {
			_ = sub.Run(w.ctx, func(_ context.Context, e event.Event) error {
				mu.Lock()
				defer mu.Unlock()
				calls++
				o, err := reg.Lister().Get("shop", "a")
				if e.Op == event.Delete && err == nil || e.Op != event.Delete &&
					(err != nil || o.JSON() != e.Object.JSON()) {
					t.Errorf("%s, but stored is %v, %v", story(e), o, err)
				}
				return nil
			})
		}()
		synctest.Wait()
		for _, change := range []func(){
			func() { w.server.apply("a", "1", "") }, func() {
				w.server.apply("a", "1", "")
			}, func() { w.server.remove("a") },
		} {
			change()
			synctest.Wait()
		}
		mu.Lock()
		defer mu.Unlock()
		if calls != 3 {
			t.Errorf("%d calls", calls)
		}
	})
}

// Items 60 and 93: a stop drops what is queued; a subscription keeps what it has got already.
func TestAStopDropsTheQueueAndKeepsTheBuffers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &world{t: t, server: newFakeServer(), ctx: t.Context()}
		w.factory = NewFactory(w.server, nil)
		var wg sync.WaitGroup
		wg.Go(func() { _ = w.factory.Run(ctx) })
		w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
		reg, sub := w.hang(SubscriptionConfig{})
		w.applyEach("a", "b", "c", "d")
		if s := w.factory.Status()[0]; s.Queued != 2 || s.Objects != 2 {
			t.Errorf("%+v", s)
		}
		cancel()
		wg.Wait()
		sub.Stop()
		r := &recorder{}
		if err := sub.Run(t.Context(), r.HandleEvent); !errors.Is(err, ErrStopped) {
			t.Error(err)
		}
		expect(t, r.take(), "add a/1 101", "add b/1 102")
		if _, err := reg.Lister().Get("shop", "c"); err == nil {
			t.Error("a queued object was stored after the stop")
		}
	})
}

func TestABusyObjectBehindABlockedListenerIsBounded(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
		for range 3 * defaultQueueLimit {
			w.server.apply("a", "1", "")
		}
		synctest.Wait()
		inf := w.factory.shared[InformerID{Resource: pods, Keeps: Shape{}.keeps()}].informer
		if n := inf.queue.Len(); n != 1 {
			t.Errorf("%d objects are queued", n)
		}
		got := w.serve(sub).take()
		if len(got) != 3*defaultQueueLimit {
			t.Errorf("%d of %d events came", len(got), 3*defaultQueueLimit)
		}
	})
}
