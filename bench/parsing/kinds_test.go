package parsing

import (
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/informerd/informerd/bench/measure"
	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/pkg/informer/event"
)

// kind is what a row of the benchmark reads.
type kind struct {
	name string
	of   *objects.Kind
	size int // 0: what is usual
	n    int
	once bool // objects never come twice: what is measured as updates are objects that are new
}

var kinds = []kind{
	{name: "replicas", of: objects.Pods, n: 1000},
	{name: "5000-workloads", of: objects.ManyWorkloadPods, n: 5000},
	{name: "jobs", of: objects.JobPods, n: 1000},
	{name: "shared-labels", of: objects.SharedLabelPods, n: 1000},
	{name: "nodes", of: objects.Nodes, n: 1000},
	{name: "configmaps", of: objects.UnlikeConfigMaps, n: 1000},
	{name: "events", of: objects.Events, n: 5000},
	{name: "leases", of: objects.Leases, n: 5000},
	{name: "endpointslices", of: objects.EndpointSlices, n: 1000},
	{name: "secrets", of: objects.Secrets, n: 1000},
	{name: "mixed", of: objects.Mixed, n: 1000},
	{name: "1MB", of: objects.UnlikeConfigMaps, size: 1 << 20, n: 10},
	{name: "1MB-pods", of: objects.Pods, size: 1 << 20, n: 60},
	{name: "never-twice", of: objects.JobPods, n: 1000, once: true},
}

// texts are the objects of a kind as a list has them and then, in turns, as a watch sends their changes.
type texts struct{ list, updates [][]byte }

func (k kind) texts() (t texts) {
	size := k.size
	if size == 0 {
		size = k.of.Size
	}
	order := rand.New(rand.NewPCG(1, 1))
	for seed := range uint64(k.n) {
		t.list = append(t.list, k.of.AppendListItem(nil, k.of.At(seed, size, objects.Revision{})))
	}
	for number := 1; number <= 2; number++ {
		for _, seed := range order.Perm(k.n) {
			of := uint64(seed)
			if k.once {
				of += uint64(number * k.n)
			}
			t.updates = append(t.updates, k.of.At(of, size, objects.Revision{Number: number, ResourceVersion: objects.FirstFreeVersion + uint64(number*k.n+seed)}))
		}
	}
	return t
}

// store keeps objects as an informer does.
type store map[event.Key]*event.Object

func (s store) read(b *testing.B, p *event.Parser, all [][]byte) {
	for _, text := range all {
		o, _, err := p.ParseItem(text)
		if err != nil {
			b.Fatal(err)
		}
		s[o.Key()] = o
	}
}

// BenchmarkKinds reports, for the first list and for updates, what json.Valid takes to check the same texts (that is 1), what
// the parser takes with nothing remembered (strict), and what it takes as an informer uses it. All are least values of processor
// time, of rounds in turns. B/object is what the store holds after all of it, B/listed after the list.
func BenchmarkKinds(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			t := k.texts()
			fastest := map[string]time.Duration{}
			took := func(what string, f func()) {
				before, _ := measure.Self().CPU()
				f()
				after, _ := measure.Self().CPU()
				if least, ok := fastest[what]; !ok || after-before < least {
					fastest[what] = after - before
				}
			}
			valid := func(all [][]byte) {
				for _, text := range all {
					if !json.Valid(text) {
						b.Fatal("not JSON")
					}
				}
			}
			plain := func(all [][]byte) {
				store{}.read(b, &event.Parser{APIVersion: k.of.APIVersion(), Kind: k.of.Name, Plain: true}, all)
			}
			for b.Loop() {
				took("valid list", func() { valid(t.list) })
				took("strict list", func() { plain(t.list) })
				s := store{}
				p := &event.Parser{APIVersion: k.of.APIVersion(), Kind: k.of.Name, Last: func(key event.Key) *event.Object { return s[key] }}
				took("list", func() { s.read(b, p, t.list) })
				b.ReportMetric(s.memory(), "B/listed")
				took("valid updates", func() { valid(t.updates) })
				took("strict updates", func() { plain(t.updates) })
				took("updates", func() { s.read(b, p, t.updates) })
				b.ReportMetric(s.memory(), "B/object")
				runtime.KeepAlive(s)
			}
			for of, what := range map[string]string{"strict list": "list-strict", "list": "list", "strict updates": "updates-strict", "updates": "updates"} {
				than := "valid updates"
				if what == "list" || what == "list-strict" {
					than = "valid list"
				}
				b.ReportMetric(float64(fastest[of])/float64(fastest[than]), what)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// memory returns how many bytes the objects take, one on average.
func (s store) memory() float64 {
	sum := 0
	for _, o := range s {
		sum += o.Hold()
	}
	for _, o := range s {
		o.Release()
	}
	return float64(sum) / float64(len(s))
}
