package informer

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Knows is true until the end of an object is in the subscription's buffer, or has left it.
func TestKnows(t *testing.T) {
	a := event.Key{Namespace: "shop", Name: "a"}
	expectKnows := func(t *testing.T, sub *Subscription, key event.Key, want bool) {
		t.Helper()
		if sub.Knows(key) != want {
			t.Errorf("knows is %t", !want)
		}
	}
	stored := func(reg *Registration) bool {
		_, err := reg.Lister().Get(a.Namespace, a.Name)
		return err == nil
	}
	t.Run("a blocked end", func(t *testing.T) {
		inWorld(t, func(w *world) {
			reg, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
			expectKnows(t, sub, a, false)
			w.applyEach("a")
			expectKnows(t, sub, a, true)
			w.server.remove("a")
			synctest.Wait()
			if stored(reg) {
				t.Fatal("it is still stored")
			}
			expectKnows(t, sub, a, true)
			expect(t, w.serve(sub).take(), "add a/1 101", "delete a/1 102")
			expectKnows(t, sub, a, false)
		})
	})
	t.Run("between the store and the buffer", func(t *testing.T) {
		inWorld(t, func(w *world) {
			reg, sub := w.hang(SubscriptionConfig{Capacity: 1})
			w.applyEach("a")
			reg.reg.proc.mu.Lock() // as the controller does while it applies the delete
			reg.reg.store.Remove(a)
			var offered atomic.Bool
			answered := make(chan bool, 1)
			go func() {
				if sub.Knows(a) {
					t.Error("it knows an object that was removed")
				}
				answered <- offered.Load()
			}()
			for range 100 {
				runtime.Gosched()
			}
			offered.Store(true)
			reg.reg.proc.mu.Unlock()
			if !<-answered {
				t.Error("it answers before the end is offered")
			}
		})
	})
	t.Run("after an exchange", func(t *testing.T) {
		inScopes(t, func(w *world, to *fakeServer) {
			to.remove("a")
			to.apply("d", "d1", "")
			sub, regs := w.tie(SubscriptionConfig{})
			w.serve(sub).take()
			expectKnows(t, sub, a, true)
			if _, err := exchange(w.ctx, w.factory, sub, regs, targets("new")); err != nil {
				t.Fatal(err)
			}
			expectKnows(t, sub, a, false)
			expectKnows(t, sub, event.Key{Namespace: "shop", Name: "d"}, true)
		})
	})
}
