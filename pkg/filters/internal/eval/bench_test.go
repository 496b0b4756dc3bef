package eval_test

import (
	"encoding/json"
	"testing"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// benchmarks are of what most filters look at, and can be written in expr as it is, too.
var benchmarks = []struct {
	name, text string
	want       bool
}{
	{"OpOnly", `op == "update" && !initial`, true},
	{"OneEarlyField", `object.metadata.namespace == "shop"`, true},
	{"TwoFields", `object.metadata.labels["tier"] == "frontend" && object.status.phase == "Running"`, true},
	{"TwoLateFields", `object.status.phase == "Running" && object.status.qosClass == "Burstable"`,
		true},
	{"TwoFieldsOfItems", `any(object.status.containerStatuses, .restartCount > 5 && .ready == false)`, false},
	{"ContainerRestarts", `any(object.status.containerStatuses ?? [], (.restartCount ?? 0) > 5)`,
		true},
}

// states are successive ones of a pod of 10 KB, as a listener gets them: each the
// event of an update, with objects that are plain or packed.
func states(t testing.TB, packed bool) (events []event.Event) {
	t.Helper()
	p := object.Parser{APIVersion: "v1", Kind: "Pod"}
	var old *object.Object
	for i := range 12 {
		o, err := p.Parse([]byte(filtertest.LargePod(i)))
		if err != nil {
			t.Fatal(err)
		}
		if n := o.Size(); n < 9_800 || n > 10_500 {
			t.Fatalf("the pod has %d bytes", n)
		}
		if packed {
			o = o.Stored()
		} else {
			o = o.Plain()
		}
		if i > 8 { // the first ones may be what others are packed against, and have few restarts
			if is := o.Memory() < o.Size()/2; is != packed {
				t.Fatalf("packed: %t, want %t", is, packed)
			}
			events = append(events, event.Event{Op: event.Update, Object: o, Old: old})
		}
		old = o
	}
	return events
}

// ours are what expr has no like of.
var ours = []struct{ name, text string }{
	{"Became", `became(object.status.containerStatuses[0].restartCount > 8)`},
	{"Condition", `condition("Ready").status == "True"`},
	{"Owner", `owner("ReplicaSet").name startsWith "web-"`},
	{"Quantity", `quantity(object.spec.containers[0].resources.limits.memory) <= "512Mi"`},
	{"SumOfQuantities", `sum(object.spec.containers, quantity(.resources.limits.memory)) == "256Mi"`},
	{"Image", `any(object.spec.containers, image(.image).tag == "2.0.0")`},
	{"Semver", `semver(image(object.spec.containers[0].image).tag) >= "1.2"`},
	{"Age", `age() > "10m"`},
	{"IP", `ip(object.status.podIP) in "10.0.0.0/8"`},
	{"Glob", `glob("registry.*/shop/*", object.spec.containers[0].image)`},
	{"Cached", `cached("nodes", "", object.spec.nodeName).spec.unschedulable`},
}

func BenchmarkOwnFunctions(b *testing.B) {
	_, caches := filtertest.Sample(b)
	ev := event.Event{Op: event.Update, Object: filtertest.NewObject(b, filtertest.LargePod(9)),
		Old: filtertest.NewObject(b, filtertest.LargePod(8))}
	for _, bm := range ours {
		b.Run(bm.name, func(b *testing.B) {
			e := filtertest.SampleEvaluator(b, filtertest.SampleSource(bm.text), caches)
			e.Clock = nil
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := e.Match(ev); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// BenchmarkFilter is each filter side by side on a plain object, on a packed one, and as expr is
// usually embedded: on a map that exists already, and with the decoding that makes it.
func BenchmarkFilter(b *testing.B) {
	for _, bm := range benchmarks {
		b.Run(bm.name+"/plain", func(b *testing.B) {
			benchmarkOurs(b, bm.text, bm.want, states(b, false))
		})
		b.Run(bm.name+"/packed", func(b *testing.B) {
			benchmarkOurs(b, bm.text, bm.want, states(b, true))
		})
		b.Run(bm.name+"/expr", func(b *testing.B) { benchmarkExpr(b, bm.text, bm.want, false) })
		b.Run(bm.name+"/decode+expr", func(b *testing.B) {
			benchmarkExpr(b, bm.text, bm.want, true)
		})
	}
	const changed = `any(object.status.containerStatuses, .restartCount > 5) && changed("status.containerStatuses")`
	b.Run("Changed/plain", func(b *testing.B) { benchmarkOurs(b, changed, true, states(b, false)) })
	b.Run("Changed/packed", func(b *testing.B) { benchmarkOurs(b, changed, true, states(b, true)) })
}

func benchmarkOurs(b *testing.B, text string, want bool, events []event.Event) {
	e := filtertest.Compile(b, text).Evaluator()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if ok, err := e.Match(events[i%len(events)]); ok != want || err != nil {
			b.Fatal(ok, err)
		}
	}
}

func benchmarkExpr(b *testing.B, text string, want, decode bool) {
	program, err := expr.Compile(text, expr.AsBool(), expr.AllowUndefinedVariables())
	if err != nil {
		b.Fatal(err)
	}
	object := []byte(states(b, false)[0].Object.JSON())
	environment := func() map[string]any {
		var o map[string]any
		if err := json.Unmarshal(object, &o); err != nil {
			b.Fatal(err)
		}
		return map[string]any{"op": "update", "object": o, "initial": false, "missed": 0,
			"resumed": false}
	}
	env, m := environment(), &vm.VM{}
	b.ReportAllocs()
	for b.Loop() {
		if decode {
			env = environment()
		}
		if ok, err := m.Run(program, env); ok != want || err != nil {
			b.Fatal(ok, err)
		}
	}
}

// What a listener costs whose filter looks at a few fields is time, and no memory: neither for an
// object as it comes nor for one as the store keeps it.
func TestFieldsOfALargeObjectAllocateNothing(t *testing.T) {
	for _, packed := range []bool{false, true} {
		events := states(t, packed)
		for _, bm := range benchmarks {
			e, i := filtertest.Compile(t, bm.text).Evaluator(), 0
			if n := testing.AllocsPerRun(100, func() {
				if ok, err := e.Match(events[i%len(events)]); ok != bm.want || err != nil {
					t.Fatal(bm.text, ok, err)
				}
				i++
			}); n != 0 {
				t.Errorf("packed %t: %s: %v allocations", packed, bm.text, n)
			}
		}
	}
}

// BenchmarkMessages is what an output's expressions cost for one message.
func BenchmarkMessages(b *testing.B) {
	m := filtertest.SampleMessage(b)
	for _, bm := range []struct {
		name string
		kind lang.Kind
		text string
	}{
		{"When", lang.KindWhen, `severity in ["high", "critical"] && namespace != "kube-system"`},
		{"Text", lang.KindText, `"k8s." + cluster + "." + resource`},
		{"Data", lang.KindData,
			`{"text": rule + ": " + message, "labels": object.metadata.labels}`},
		{"Object", lang.KindData, `object`},
	} {
		f, err := filters.Compile(lang.Expression{Text: bm.text, Kind: bm.kind})
		if err != nil {
			b.Fatal(err)
		}
		e := f.Evaluator()
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				switch bm.kind {
				case lang.KindWhen:
					_, err = e.MatchMessage(m)
				case lang.KindText:
					_, err = e.TextOf(m)
				default:
					_, err = e.JSONOf(m)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
