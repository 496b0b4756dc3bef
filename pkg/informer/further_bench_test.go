package informer

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/growth"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// further are conditions of subscriptions that match nothing, as filters ask them: the i-th one's,
// and its filter.
var further = []struct {
	name, filter string
	conditions   func(i int) []condition.Condition
}{
	{"equality", `object.status.phase == "None-1"`, func(i int) []condition.Condition {
		return []condition.Condition{ofField("status.phase", condition.In, fmt.Sprint("None-", i))}
	}},
	{"prefix+any", `object.metadata.name startsWith "never-1" && any(object.spec.containers, .name == "x1")`, func(i int) []condition.Condition {
		return []condition.Condition{{Of: condition.OfName, Test: condition.StartsWith,
			Values: []string{fmt.Sprint("never-", i)}}, anyContainer(i)}
	}},
	{"any", `any(object.spec.containers, .name == "x1")`, func(i int) []condition.Condition {
		return []condition.Condition{anyContainer(i)}
	}},
	{"set", `object.spec.nodeName in ["a-1", "b-1", "c-1", "d-1"]`,
		func(i int) []condition.Condition {
			return []condition.Condition{ofField("spec.nodeName", condition.In, fmt.Sprint("a-", i),
				fmt.Sprint("b-", i), fmt.Sprint("c-", i), fmt.Sprint("d-", i))}
		}},
	{"number", `object.spec.priority > 1001`, func(i int) []condition.Condition {
		return []condition.Condition{{Of: condition.OfField, Key: "spec.priority",
			Test: condition.More, Numbers: []float64{float64(1000 + i)}}}
	}},
	{"nested", `label("app") == "none-1" || object.status.phase == "Failed" && (object.spec.nodeName endsWith "-x1" || object.spec.priority < -1)`, func(i int) []condition.Condition {
		return []condition.Condition{{Of: condition.OfAlternatives, Either: [][]condition.Condition{
			{ofLabel("app", condition.In, fmt.Sprint("none-", i))},
			{ofField("status.phase", condition.In, "Failed"), {
				Of: condition.OfAlternatives, Either: [][]condition.Condition{
					{{Of: condition.OfField, Key: "spec.nodeName", Test: condition.EndsWith,
						Values: []string{fmt.Sprint("-x", i)}}},
					{{Of: condition.OfField, Key: "spec.priority", Test: condition.Less,
						Numbers: []float64{float64(-i)}}},
				}}},
		}}}
	}},
	{"changed", `changed("spec")`, func(int) []condition.Condition {
		return []condition.Condition{ofField("spec", condition.Differs)}
	}},
}

func anyContainer(i int) condition.Condition {
	return condition.Condition{Of: condition.OfField, Key: "spec.containers", Test: condition.Any,
		Items: []condition.Condition{
			{Of: condition.OfItem, Key: "name", Values: []string{fmt.Sprint("x", i)}},
		}}
}

// replica is a pod of 10 KB, one of many that are nearly the same.
func replica(i, version int) string {
	var containers, statuses []string
	for _, name := range []string{"web", "sidecar", "agent"} {
		var env []string
		for j := range 30 {
			env = append(env, fmt.Sprintf(
				`{"name":"%s_SETTING_%d","value":"value number %d of %s"}`, strings.ToUpper(name),
				j, j*7919, name))
		}
		containers = append(containers,
			fmt.Sprintf(`{"name":%q,"image":"registry.example.com/shop/%s:v1.2.3","env":[%s],"resources":{"limits":{"cpu":"1","memory":"1Gi"}}}`, name, name, strings.Join(env, ",")))
		statuses = append(statuses,
			fmt.Sprintf(`{"name":%q,"ready":true,"restartCount":%d,"containerID":"containerd://%064x"}`, name, version%3, i))
	}
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-7d9c5b5d5f-%05d","namespace":"shop","uid":"6f2b8f52-%d","resourceVersion":"%d","labels":{"app":"web","tier":"frontend","pod-template-hash":"7d9c5b5d5f"},`+
		`"ownerReferences":[{"kind":"ReplicaSet","name":"web-7d9c5b5d5f","controller":true}]},"spec":{"containers":[%s],"nodeName":"ip-10-0-0-%d","priority":0,"schedulerName":"default-scheduler"},`+
		`"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":[%s],"podIP":"10.1.0.%d"}}`, i, i, version, strings.Join(containers, ","), i%250, strings.Join(statuses, ","), i%250)
}

// readEvents is an informer's work on events: to parse, store and distribute them, and a
// subscription that gets them all.
type readEvents struct {
	b      testing.TB
	ctl    *controller
	parser *object.Parser
	first  *Subscription
	texts  [][]byte
	n      int
}

func newReadEvents(b testing.TB) *readEvents {
	r := &readEvents{b: b, ctl: &controller{queue: queue.New(defaultQueueLimit),
		store: store.New(), proc: &processor{}, joined: newSignal()}}
	r.parser = &object.Parser{APIVersion: "v1", Kind: "Pod", Last: r.ctl.store.Get}
	r.first = r.join(SubscriptionConfig{})
	for version := range 2 {
		for i := range 200 {
			r.texts = append(r.texts, []byte(replica(i, version+1)))
		}
	}
	r.run(len(r.texts))
	return r
}

func (r *readEvents) join(cfg SubscriptionConfig) *Subscription {
	sub, err := NewSubscription(cfg)
	if err != nil {
		r.b.Fatal(err)
	}
	r.ctl.proc.join(sub, r.ctl.store, time.Now())
	return sub
}

func (r *readEvents) run(n int) {
	for range n {
		o, err := r.parser.Parse(r.texts[r.n%len(r.texts)])
		r.n++
		if err == nil {
			err = r.ctl.queue.Add(r.b.Context(), queue.Delta{Type: queue.Updated, Object: o})
		}
		if err != nil {
			r.b.Fatal(err)
		}
		deltas, _ := r.ctl.queue.Pop()
		for i := range deltas {
			r.ctl.apply(&deltas[i])
		}
		r.ctl.queue.Done()
		d, err := r.first.Next(r.b.Context())
		if err != nil {
			r.b.Fatal(err)
		}
		d.Done()
	}
}

// BenchmarkFurtherListener is what each further subscription that matches nothing costs an informer
// for each event: the difference to an informer without any, in turns with that one and in
// processor time. The first one of a kind, of which nobody else reads the fields, has a figure of
// its own. x-event is what 300 of them make of an event's cost.
func BenchmarkFurtherListener(b *testing.B) {
	for _, bm := range further {
		b.Run(bm.name, func(b *testing.B) {
			counts := []int{0, 1, 30, 300}
			informers := make([]*readEvents, len(counts))
			for i, n := range counts {
				informers[i] = newReadEvents(b)
				for j := range n {
					informers[i].join(SubscriptionConfig{Conditions: bm.conditions(j + 1)})
				}
			}
			const turn = 100
			spent := make([]time.Duration, len(counts))
			for b.Loop() {
				for i, inf := range informers {
					begun := growth.ThreadTime()
					inf.run(turn)
					spent[i] += growth.ThreadTime() - begun
				}
			}
			each := func(i int) float64 {
				return float64(spent[i].Nanoseconds()) / float64(b.N*turn)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(each(0), "ns/event")
			b.ReportMetric(each(1)-each(0), "ns/first")
			b.ReportMetric((each(2)-each(1))/29, "ns/of30")
			b.ReportMetric((each(3)-each(1))/299, "ns/of300")
			b.ReportMetric(each(3)/each(0), "x-event")
		})
	}
}

// TestFurtherListenersCostLittle: 300 subscriptions that match nothing, each with a filter of its
// own, may make an event cost a few times as much. It was 35 times as much when each of them
// evaluated its filter. The race detector slows the two sides down unequally: with it, 5 to 11
// times were seen from one machine to the next.
func TestFurtherListenersCostLittle(t *testing.T) {
	const most, turn, fewest, rounds = 17, 100, 5, 50 // a busy machine needs more of them
	runtime.LockOSThread()                            // the time of the thread is what is measured
	defer runtime.UnlockOSThread()
	alone := newReadEvents(t)
	for _, kind := range further {
		many := newReadEvents(t)
		for i := range 300 {
			many.join(SubscriptionConfig{Conditions: kind.conditions(i + 1)})
		}
		var one, all time.Duration // the shortest turns
		for round := range rounds {
			if round >= fewest && all <= most*one {
				break
			}
			begun := growth.ThreadTime()
			alone.run(turn)
			between := growth.ThreadTime()
			many.run(turn)
			end := growth.ThreadTime()
			if one == 0 || between-begun < one {
				one = between - begun
			}
			if all == 0 || end-between < all {
				all = end - between
			}
		}
		if all > most*one {
			t.Errorf("%s: an event takes %v with 300 further subscriptions, and %v with none",
				kind.name, all/turn, one/turn)
		}
		t.Logf("%s: %.1f times as much", kind.name, float64(all)/float64(one))
	}
}
