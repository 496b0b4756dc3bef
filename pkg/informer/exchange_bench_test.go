package informer

import (
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

// BenchmarkExchange is how long informers and subscription are locked for an exchange of 100,000
// objects: of which none has another version, or all have.
func BenchmarkExchange(b *testing.B) {
	const objects = 100_000
	watching := func(version int) *informer {
		inf, err := newInformer(nil, pods, Scope{LabelSelector: fmt.Sprint("!v", version)},
			Shape{}, nil)
		if err != nil {
			b.Fatal(err)
		}
		var list []*object.Object
		for i := range objects {
			list = append(list, obj(fmt.Sprint("pod-", i), "u", version+i))
		}
		inf.controller.takeList(b.Context(), list, "", false)
		inf.reflector.SetVersion(fmt.Sprint(version + objects))
		return inf
	}
	for name, version := range map[string]int{"nothing": 1, "updates": 2} {
		b.Run(name, func(b *testing.B) {
			old, fresh := watching(1), watching(version)
			for b.Loop() {
				b.StopTimer()
				sub, err := NewSubscription(SubscriptionConfig{})
				if err != nil {
					b.Fatal(err)
				}
				reg := old.join(sub)
				x := &Exchange{factory: &Factory{}, s: sub, old: []member{{inf: old, reg: reg}},
					fresh: []member{{inf: fresh,
						reg: newRegistration(sub, fresh.store, fresh.proc)}}}
				x.begin()
				b.StartTimer()
				if done, err := x.Try(SubscriptionConfig{}, false); !done || err != nil {
					b.Fatal(done, err)
				}
				b.StopTimer()
				fresh.proc.leave(x.fresh[0].reg)
				b.StartTimer()
			}
		})
	}
}
