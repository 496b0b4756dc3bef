package daemon

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
)

// furtherDenies are of rules that nothing violates; NUMBER is the listener's.
var furtherDenies = []struct{ name, deny string }{
	{"equality", `label("app") == "none-NUMBER"`},
	{"prefix+any", `object.metadata.name startsWith "never-NUMBER" && any(object.spec.containers, .name == "xNUMBER")`},
	{"any", `any(object.spec.containers, .securityContext.privileged == true || .name == "xNUMBER")`},
	{"clock", `object.status.phase == "None-NUMBER" && age() > "10m"`},
	{"quantity", `any(object.spec.containers, quantity(.resources.limits.memory) > "NUMBERTi")`},
	{"let", `let phase = object.status.phase; phase == "None-NUMBER"`},
}

// ruledInformer is an informer with a listener that counts events, and some with a rule each.
type ruledInformer struct {
	b       testing.TB
	server  *modelServer
	counts  *informer.Subscription
	ruled   []*informer.Subscription
	events  uint64
	version int
}

// newRuledInformer starts one. With wide, nothing is decided before the buffers.
func newRuledInformer(b testing.TB, n int, deny string, wide bool) *ruledInformer {
	text := "listeners:\n"
	for i := range max(n, 1) {
		text += fmt.Sprintf("  l%d: {informer: {resource: pods}, outputs: [stdout], buffer: {capacity: 10000}, rules: [{name: r, deny: '%s'}]}\n", i, strings.ReplaceAll(deny, "NUMBER", fmt.Sprint(i+1)))
	}
	cfg, err := config.Parse(b.TempDir()+"/config.yaml", []byte(whole(text)))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	built, err := build(ctx, cfg, Options{Log: quiet})
	if err != nil {
		b.Fatal(err)
	}
	r := &ruledInformer{b: b, server: newModelServer()}
	factory := informer.NewFactory(r.server, quiet)
	resource := informer.Resource{GroupVersionResource: schema.GroupVersionResource{Version: "v1",
		Resource: "pods"}, Kind: "Pod"}
	listen := func(l *informer.Subscription) {
		if _, err := factory.Subscribe(resource, informer.Scope{}, built.listeners[0].setup().Shape,
			l); err != nil {
			b.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for _, l := range built.listeners[:n] {
		source := l.subscription
		if wide {
			source = newWideListener(b)
		}
		p := &route.Pipeline{Quiet: true, Rules: l.setup().book(), Caches: &docCaches{}}
		if p.Messages, err = cloudevent.NewBuilder(
			sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"}); err != nil {
			b.Fatal(err)
		}
		to, err := route.New(route.Config{Name: "l", Letters: noLetters{}, Subscription: source,
			Pipeline: p,
			Retry:    route.Retry{Attempts: 1}, Log: quiet})
		if err != nil {
			b.Fatal(err)
		}
		listen(source)
		r.ruled = append(r.ruled, source)
		wg.Go(func() { _ = to.Run(ctx) })
	}
	r.counts = newWideListener(b)
	listen(r.counts)
	wg.Go(func() { _ = factory.Run(ctx) })
	b.Cleanup(func() { cancel(); wg.Wait(); built.close(context.Background()) })
	r.run(1) // what comes before the list is in the list
	r.run(400)
	return r
}

func newWideListener(b testing.TB) *informer.Subscription {
	l, err := informer.NewSubscription(informer.SubscriptionConfig{Capacity: 10000})
	if err != nil {
		b.Fatal(err)
	}
	return l
}

// run has so many events go all the way.
func (r *ruledInformer) run(n int) {
	for range n {
		r.version++
		name := fmt.Sprintf("web-7d9c5b5d5f-%05d", r.version%200)
		r.server.apply(name, ruledPod(name, r.version), false)
	}
	r.events += uint64(n)
	for range n {
		d, err := r.counts.Next(r.b.Context())
		if err != nil {
			r.b.Fatal(err)
		}
		d.Done()
	}
	for _, l := range r.ruled {
		for s := l.Stats(); s.Refused+s.Done < r.events; s = l.Stats() {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// ruledPod is a pod of 5 KB, one of many that are nearly the same.
func ruledPod(name string, version int) string {
	var containers []string
	for _, container := range []string{"web", "sidecar", "agent"} {
		var env []string
		for j := range 20 {
			env = append(env, fmt.Sprintf(
				`{"name":"%s_SETTING_%d","value":"value number %d of %s"}`,
				strings.ToUpper(container), j, j*7919, container))
		}
		containers = append(containers,
			fmt.Sprintf(`{"name":%q,"image":"registry.example.com/shop/%s:v1.2.3","env":[%s],"resources":{"limits":{"memory":"1Gi"}}}`, container, container, strings.Join(env, ",")))
	}
	return fmt.Sprintf(`"metadata":{"name":%q,"namespace":"shop","uid":%q,"resourceVersion":"%%d","creationTimestamp":"2026-03-02T09:00:00Z","labels":{"app":"web"}},"spec":{"containers":[%s]},"status":{"phase":"Running","n":%d}`,
		name, name, strings.Join(containers, ","), version)
}

// BenchmarkFurtherRules is what each further listener with a rule that nothing violates costs for
// each event, in processor time of the whole process: as it is, and if nothing was decided before
// its buffer.
func BenchmarkFurtherRules(b *testing.B) {
	for _, bm := range furtherDenies {
		b.Run(bm.name, func(b *testing.B) {
			const further, turn = 300, 100
			informers := []*ruledInformer{newRuledInformer(b, 0, bm.deny, false),
				newRuledInformer(b, further, bm.deny, false), newRuledInformer(b, further, bm.deny,
					true)}
			spent := make([]time.Duration, len(informers))
			for b.Loop() {
				for i, inf := range informers {
					begun := processTime(b)
					inf.run(turn)
					spent[i] += processTime(b) - begun
				}
			}
			each := func(i int) float64 {
				return float64(spent[i].Nanoseconds()) / float64(b.N*turn)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(each(0), "ns/event")
			b.ReportMetric((each(1)-each(0))/further, "ns/listener")
			b.ReportMetric((each(2)-each(0))/further, "ns/listener-without")
		})
	}
}

// processTime is the processor time that the process has used.
func processTime(b testing.TB) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
