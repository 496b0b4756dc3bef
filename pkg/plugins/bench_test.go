package plugins

import (
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// twoFields is a guest that reads two fields of each event and returns done.
func twoFields() []byte {
	return twoFieldsIn(guestModule(twoFieldsImports...))
}

var twoFieldsImports = []abi.Function{imported(abi.ModuleEvent, "path"),
	imported(abi.ModuleEvent, "field")}

func twoFieldsIn(m *wasmtest.Module) []byte {
	m.Data(0, "status.phasestatus.containerStatuses[0].restartCount")
	m.Func("configure", "", "i", "",
		konst(0), konst(12), invoke(0), drop,
		konst(12), konst(40), invoke(0), drop,
		konst(0))
	return onEvent(m,
		konst(0), konst(0), konst(1024), konst(256), invoke(1), drop,
		konst(0), konst(1), konst(1024), konst(256), invoke(1), drop,
		konst(0))
}

// nothing is a guest that returns done at once.
func nothing() []byte {
	return onEvent(guestModule(), konst(0))
}

// largePod is podText with annotations, 10 KB in all.
func largePod() string {
	var annotations strings.Builder
	for n := range 100 {
		fmt.Fprintf(&annotations, `"example.com/annotation-%03d":"%s",`, n, strings.Repeat("x", 65))
	}
	return strings.Replace(podText, `"labels":{`, `"annotations":{`+annotations.String()+
		`"last":""},"labels":{`, 1)
}

// BenchmarkHandle passes events to guests that are metered, and to one that cannot be, whose
// deadline is the engine's.
func BenchmarkHandle(b *testing.B) {
	odd := guestModule(twoFieldsImports...)
	addOdd(odd)
	for _, bench := range []struct {
		name string
		text string
		wasm []byte
	}{
		{"nothing", podText, nothing()},
		{"two fields", podText, twoFields()},
		{"two fields of 10 KB", largePod(), twoFields()},
		{"two fields of 10 KB, not metered", largePod(), twoFieldsIn(odd)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			host, _ := testHost(b)
			i := instance(b, host, Spec{Listener: "pods", Wasm: bench.wasm})
			o := newObject(b, bench.text)
			e := event.Event{Op: event.Update, Object: o, Old: o}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := i.Handle(b.Context(), e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNewInstance(b *testing.B) {
	host, _ := testHost(b)
	handler, err := host.Load(b.Context(), Spec{Listener: "pods", Wasm: twoFields()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		i, err := handler.NewInstance(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		i.Close(b.Context())
	}
}
