package informer

import (
	"fmt"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// BenchmarkCut is what a cut costs for each object that has changed, with subscriptions of which
// each has finished what was offered.
func BenchmarkCut(b *testing.B) {
	const objects = 1000
	for _, subscriptions := range []int{1, 10} {
		b.Run(fmt.Sprint(subscriptions), func(b *testing.B) {
			inf, err := newInformer(nil, pods, Scope{}, Shape{}, nil)
			if err != nil {
				b.Fatal(err)
			}
			var subs []*Subscription
			for i := range subscriptions {
				sub, err := NewSubscription(SubscriptionConfig{Name: fmt.Sprint(i), Track: true})
				if err != nil {
					b.Fatal(err)
				}
				inf.join(sub)
				subs = append(subs, sub)
			}
			var states [2][objects]*object.Object
			for i := range states {
				for j := range objects {
					states[i][j] = obj(fmt.Sprintf("pod-%d", j), "u", i*objects+j+1)
				}
			}
			n := 0
			change := func() {
				for j := range objects {
					if !inf.controller.applyNow(queue.Delta{Type: queue.Updated,
						Object: states[n%2][j]}) {
						b.Fatal("something is queued")
					}
				}
				n++
				for _, sub := range subs {
					var got []Delivery
					for got = sub.More(got[:0], 100, 1); len(got) > 0; {
						for i := range got {
							got[i].Done()
						}
						got = sub.More(got[:0], 100, 1)
					}
				}
			}
			change()
			inf.cut()
			for b.Loop() {
				b.StopTimer()
				change()
				b.StartTimer()
				if len(inf.cut()) == 0 {
					b.Fatal("no cut")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/objects, "ns/object")
		})
	}
}

// BenchmarkEvent is what an event costs between the parser and the worker: the queue, the store,
// the processor, the buffer and the delivery, on one goroutine; and, as "now", without the queue.
// Objects are small, so that their texts do not count.
func BenchmarkEvent(b *testing.B) {
	const objects = 1000
	for _, bm := range []struct {
		name    string
		queued  bool
		cfg     SubscriptionConfig
		indexes map[string]IndexFunc
	}{
		{"now", false, SubscriptionConfig{}, nil},
		{"tracked", false, SubscriptionConfig{Name: "l", Track: true}, nil},
		{"plain", true, SubscriptionConfig{}, nil},
		{"resync", true, SubscriptionConfig{Resync: time.Hour}, nil},
		{"spill", true, SubscriptionConfig{Overflow: OverflowSpill}, nil},
		{"index", true, SubscriptionConfig{},
			map[string]IndexFunc{"node": IndexByPath(object.MustCompilePath("metadata.uid"))}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			c := &controller{queue: queue.New(defaultQueueLimit), store: store.New(),
				proc: &processor{}, joined: newSignal()}
			if err := c.store.AddIndexes(bm.indexes); err != nil {
				b.Fatal(err)
			}
			var states [2][objects]*object.Object
			for i := range states {
				for j := range objects {
					states[i][j] = obj(fmt.Sprintf("pod-%d", j), "u", i*objects+j+1)
				}
			}
			sub, err := NewSubscription(bm.cfg)
			if err != nil {
				b.Fatal(err)
			}
			c.proc.join(sub, c.store, time.Now())
			ctx, n := b.Context(), 0
			event := func() {
				change := queue.Delta{Type: queue.Updated, Object: states[n/objects%2][n%objects]}
				n++
				if !bm.queued {
					if !c.applyNow(change) {
						b.Fatal("something is queued")
					}
				} else {
					if err := c.queue.Add(ctx, change); err != nil {
						b.Fatal(err)
					}
					deltas, _ := c.queue.Pop()
					for i := range deltas {
						c.apply(&deltas[i])
					}
					c.queue.Done()
				}
				d, err := sub.Next(ctx)
				if err != nil {
					b.Fatal(err)
				}
				d.Done()
			}
			for range 2 * objects {
				event()
			}
			b.ReportAllocs()
			for b.Loop() {
				event()
			}
		})
	}
}
