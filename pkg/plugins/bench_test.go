package plugins

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// twoFields is a guest that reads two fields of each event and gives done.
func twoFields() []byte {
	m := guestModule(imported(abi.ModuleEvent, "path"), imported(abi.ModuleEvent, "field"))
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

// nothing is a guest that gives done at once.
func nothing() []byte {
	return onEvent(guestModule(), konst(0))
}

func BenchmarkHandle(b *testing.B) {
	for _, bench := range []struct {
		name string
		wasm []byte
	}{{"nothing", nothing()}, {"two fields", twoFields()}} {
		b.Run(bench.name, func(b *testing.B) {
			host, _ := testHost(b)
			i := instance(b, host, Spec{Listener: "pods", Wasm: bench.wasm})
			o := object(b, podText)
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
