package informer

import (
	"fmt"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/store"
)

// BenchmarkFanOut is what subscriptions cost their informer for each event: those that refuse it,
// by what, and those that take it into their buffer. ns/subscription is for one event and one
// subscription.
func BenchmarkFanOut(b *testing.B) {
	labels := `"app":"web","app.kubernetes.io/name":"web","pod-template-hash":"7d9c5b5d5f","tier":"frontend"`
	e := event.Event{
		Op:     event.Update,
		Object: labelled("shop", "web-7d9c5b5d5f-x2x4z", "6f2b8f52", 2, labels),
		Old:    labelled("shop", "web-7d9c5b5d5f-x2x4z", "6f2b8f52", 1, labels),
	}
	for _, bm := range []struct {
		name string
		cfg  SubscriptionConfig
	}{
		{"refused/op", SubscriptionConfig{On: only(event.Delete)}},
		{"refused/namespace", SubscriptionConfig{
			Conditions: []condition.Condition{{Values: []string{"pay"}}}}},
		{"refused/name", SubscriptionConfig{Conditions: ofName("a", "b", "c", "d")}},
		{"refused/label", SubscriptionConfig{
			Conditions: []condition.Condition{ofLabel("tier", condition.In, "backend")}}},
		{"refused/second-label",
			SubscriptionConfig{
				Conditions: []condition.Condition{ofLabel("app", condition.NotIn, "a",
					"b"), ofLabel("tier", condition.In, "backend")}}},
		{"refused/no-label", SubscriptionConfig{
			Conditions: []condition.Condition{ofLabel("missing", condition.Exists)}}},
		{"accepted", SubscriptionConfig{}},
		{"accepted/two-labels",
			SubscriptionConfig{Conditions: []condition.Condition{ofLabel("app", condition.Exists),
				ofLabel("tier", condition.NotIn, "backend")}}},
	} {
		for _, n := range []int{1, 100} {
			b.Run(fmt.Sprintf("%s/%d", bm.name, n), func(b *testing.B) {
				proc, store := &processor{}, store.New()
				for range n {
					sub, err := NewSubscription(bm.cfg)
					if err != nil {
						b.Fatal(err)
					}
					proc.join(sub, store, time.Time{})
				}
				full := 0
				drain := func() {
					for _, reg := range proc.regs {
						for e, ok := reg.subscription.buf.Take(); ok; e,
							ok = reg.subscription.buf.Take() {
							reg.subscription.finish(&e, true)
						}
					}
					full = 0
				}
				for range defaultCapacity {
					proc.distribute(e, false) // the buffers grow to their size
				}
				drain()
				b.ReportAllocs()
				for b.Loop() {
					proc.distribute(e, false)
					if full++; full == defaultCapacity {
						b.StopTimer()
						drain()
						b.StartTimer()
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n),
					"ns/listener")
			})
		}
	}
}
