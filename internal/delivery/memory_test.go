package delivery

import (
	"fmt"
	"log/slog"
	"runtime"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// What waits takes no more memory than doc.go says, and for each output the same, whether there is
// room for it or not.
func TestMemoryOfWhatWaits(t *testing.T) {
	t.Run("with room", func(t *testing.T) { memoryOfWhatWaits(t, 20_000, false, 320) })
	t.Run("with little room", func(t *testing.T) { memoryOfWhatWaits(t, 1000, false, 320) })
	t.Run("kept", func(t *testing.T) { memoryOfWhatWaits(t, 20_000, true, 640) })
}

func memoryOfWhatWaits(t *testing.T, capacity int, keep bool, each int) {
	const entries = 20_000
	builder, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		t.Fatal(err)
	}
	by := &Maker{Builder: builder}
	events := make([]event.Event, entries)
	for i := range events {
		o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d"}}`, i))
		if err != nil {
			t.Fatal(err)
		}
		events[i] = event.Event{Op: event.Add, Object: o}
	}
	log := slog.New(slog.DiscardHandler)
	for outputs := 1; outputs <= 2; outputs++ {
		before := heap()
		var all []*Outbox
		for range outputs {
			o, err := New(NewOutput("out", hanging{}, log), Config{Listener: "l",
				Capacity: capacity, Overflow: informer.OverflowLatest, Keep: keep,
				Log: &FailureLog{Logger: log}})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if taken, err := o.OfferAll([]informer.Entry{(&Pending{Wanted: true,
					By: by}).Of(e)}); taken != 1 || err != nil {
					t.Fatal(taken, err)
				}
			}
			cutOf(o)
			all = append(all, o)
		}
		bytes := float64(heap()-before) / entries
		t.Logf("%d outputs: %.0f bytes for each event", outputs, bytes)
		if bytes > float64(each*outputs) {
			t.Errorf("%d outputs: %.0f bytes for each event, want at most %d for each output",
				outputs, bytes, each)
		}
		runtime.KeepAlive(all)
	}
	runtime.KeepAlive(events)
}

// heap returns the bytes that are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
