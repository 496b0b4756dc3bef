package parsing

import (
	"encoding/json"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/internal/growth"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// kind is the objects of a row of the benchmark.
type kind struct {
	name string
	of   *objects.Kind
	size int // 0: the usual size
	n    int
	once bool // objects never recur: the updates are new objects
}

var kinds = []kind{
	{name: "replicas", of: objects.Pods, n: 1000},
	{name: "5000-workloads", of: objects.ManyWorkloadPods, n: 5000}, // one of each
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

// texts are the objects of a kind as in a list, and then, in turns, as a watch sends their changes.
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
			t.updates = append(t.updates,
				k.of.At(of, size,
					objects.Revision{Number: number, ResourceVersion: objects.FirstFreeVersion +
						uint64(number*k.n+seed)}))
		}
	}
	return t
}

// store stores objects as an informer does.
type store map[event.Key]*object.Object

// batch is how many objects are measured at once: few, so that some batches are undisturbed even on
// a busy machine.
const batch = 40

// BenchmarkKinds reports, for the first list and for updates, the parser's time relative to that of
// json.Valid for the same texts: without remembered objects (strict) and as an informer uses it.
// All are minimum processor times of a thread for a batch of objects, in turns. B/listed is the
// stored size of an object after the list, B/object after the updates.
func BenchmarkKinds(b *testing.B) {
	for _, k := range kinds {
		b.Run(k.name, func(b *testing.B) {
			runtime.LockOSThread() // the time of the thread is the parser's
			defer runtime.UnlockOSThread()
			t := k.texts()
			least := map[string]float64{}
			took := func(what string, all [][]byte, read func(text []byte) bool) {
				for len(all) > 0 {
					part := all[:min(batch, len(all))]
					all = all[len(part):]
					began := growth.ThreadTime()
					for _, text := range part {
						if !read(text) {
							b.Fatal("not an object")
						}
					}
					each := float64(growth.ThreadTime()-began) / float64(len(part))
					if before, ok := least[what]; !ok || each < before {
						least[what] = each
					}
				}
			}
			parser := func(s store, p object.Parser) func(text []byte) bool {
				p.APIVersion, p.Kind = k.of.APIVersion(), k.of.Name
				p.Last = func(key event.Key) *object.Object { return s[key] }
				return func(text []byte) bool {
					o, _, err := p.ParseItem(text)
					if err == nil {
						s[o.Key()] = o
					}
					return err == nil
				}
			}
			for b.Loop() {
				strict := parser(store{}, object.Parser{Plain: true})
				took("valid list", t.list, json.Valid)
				took("strict list", t.list, strict)
				took("valid updates", t.updates, json.Valid)
				took("strict updates", t.updates, strict)
				s := store{}
				remembering := parser(s, object.Parser{})
				took("list", t.list, remembering)
				b.ReportMetric(s.memory(), "B/listed")
				took("updates", t.updates, remembering)
				b.ReportMetric(s.memory(), "B/object")
			}
			b.ReportMetric(least["strict list"]/least["valid list"], "list-strict")
			b.ReportMetric(least["list"]/least["valid list"], "list")
			b.ReportMetric(least["strict updates"]/least["valid updates"], "updates-strict")
			b.ReportMetric(least["updates"]/least["valid updates"], "updates")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// memory returns the average size of the objects in bytes.
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
