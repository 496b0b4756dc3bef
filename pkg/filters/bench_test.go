package filters

import (
	"encoding/json"
	"testing"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/informerd/informerd/pkg/informer/event"
)

var benchmarks = []struct{ name, text string }{
	{"OpOnly", `op == "update" && !initial`},
	{"OneEarlyField", `object.metadata.namespace == "shop"`},
	{"TwoFields", `object.metadata.labels["tier"] == "frontend" && object.status.phase == "Running"`},
	{"TwoLateFields", `object.status.phase == "Running" && object.status.qosClass == "Burstable"`},
	{"ContainerRestarts", `any(object.status.containerStatuses ?? [], (.restartCount ?? 0) > 5)`},
}

func BenchmarkFilter(b *testing.B) {
	ev := event.Event{Op: event.Update, Object: object(b, largePod(9)), Old: object(b, largePod(8))}
	for _, bm := range append(benchmarks, struct{ name, text string }{"Changed",
		`any(object.status.containerStatuses, .restartCount > 5) && changed("status.containerStatuses")`}) {
		b.Run(bm.name, func(b *testing.B) {
			e := compile(b, bm.text).Evaluator()
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := e.Match(ev); !ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}

// BenchmarkDecodedMap is expr as it is usually embedded: "Run" alone on a map that exists already, and with the
// decoding that makes it.
func BenchmarkDecodedMap(b *testing.B) {
	text := []byte(object(b, largePod(9)).JSON())
	for _, bm := range benchmarks {
		program, err := expr.Compile(bm.text, expr.AsBool(), expr.AllowUndefinedVariables())
		if err != nil {
			b.Fatal(err)
		}
		environment := func() map[string]any {
			var o map[string]any
			if err := json.Unmarshal(text, &o); err != nil {
				b.Fatal(err)
			}
			return map[string]any{"op": "update", "object": o, "initial": false, "missed": 0}
		}
		run := func(b *testing.B, m *vm.VM, env map[string]any) {
			if ok, err := m.Run(program, env); ok != true || err != nil {
				b.Fatal(ok, err)
			}
		}
		b.Run("Run/"+bm.name, func(b *testing.B) {
			env, m := environment(), &vm.VM{}
			b.ReportAllocs()
			for b.Loop() {
				run(b, m, env)
			}
		})
		b.Run("DecodeAndRun/"+bm.name, func(b *testing.B) {
			m := &vm.VM{}
			b.ReportAllocs()
			for b.Loop() {
				run(b, m, environment())
			}
		})
	}
}
