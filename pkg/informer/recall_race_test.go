package informer

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
)

// Of two workers that want one object again, the one with the newer event has the last word: what
// comes again is the last state, and nothing of an object that is deleted.
func TestTheNewestWishCounts(t *testing.T) {
	const rounds, versions = 1500, 8
	for range rounds {
		sub, err := NewSubscription(SubscriptionConfig{Name: "l", Capacity: 2 * versions})
		if err != nil {
			t.Fatal(err)
		}
		reg := &registration{subscription: sub}
		for v := range versions {
			for _, name := range []string{"a", "gone"} {
				e := event.Event{Op: event.Add, Object: obj(name, "u", v+1)}
				if v > 0 {
					e.Op, e.Old = event.Update, obj(name, "u", v)
				}
				if name == "gone" && v == versions-1 {
					e.Op, e.Old = event.Delete, nil
				}
				if !sub.offer(reg, &buffer.Entry{Event: e, From: &reg.Origin}, nil) {
					t.Fatal("there is no room")
				}
			}
		}
		sub.wake.set()
		var workers sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		var left sync.WaitGroup
		left.Add(2 * versions)
		for range 3 {
			workers.Go(func() {
				for {
					d, err := sub.Next(ctx)
					if err != nil {
						if !errors.Is(err, context.Canceled) {
							t.Error(err)
						}
						return
					}
					d.Again(time.Hour)
					left.Done()
				}
			})
		}
		left.Wait()
		cancel()
		workers.Wait()
		sub.mu.Lock()
		if r := sub.recalls[event.Key{Namespace: "shop", Name: "a"}]; r == nil ||
			r.entry.Object.ResourceVersion() != "8" || len(sub.recalls) != 1 {
			t.Errorf("%d wishes are left, that of a is %v", len(sub.recalls), r)
		}
		for key := range sub.recalls {
			sub.forgetRecall(key)
		}
		sub.mu.Unlock()
		if t.Failed() {
			return
		}
	}
}
