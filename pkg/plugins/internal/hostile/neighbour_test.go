package hostile_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// neighbour is a listener with a handler of its own, which does no harm, and somebody who collects
// garbage.
type neighbour struct {
	t testing.TB
	i *plugins.Instance
	e event.Event
}

func newNeighbour(t testing.TB) *neighbour {
	t.Helper()
	host := plugins.NewHost(plugins.HostConfig{})
	m := &wasmtest.Module{}
	m.Memory(1, 1)
	m.Export("memory", 2, 0)
	m.Func("informerd_abi_v1", "", "", "")
	m.Func("on_event", "iiii", "i", "i", wasmtest.Times(4, 1000), wasmtest.Const(0))
	handler, err := host.Load(t.Context(), plugins.Spec{Listener: "neighbour", Wasm: m.Bytes(),
		Limits: plugins.Limits{Deadline: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close(t.Context()) })
	i, err := handler.NewInstance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &neighbour{t, i, event.Event{Op: event.Add, Object: pod(t)}}
}

// during runs something next to the listener, and returns how long it took, how long at most the
// result of an event was due, and how long the garbage collector took.
func (b *neighbour) during(run func()) (took, delay, collection time.Duration) {
	var both sync.WaitGroup
	done := make(chan struct{})
	var longest, held time.Duration
	both.Go(func() {
		longest = b.every(3*time.Millisecond, done, func() {
			if r, err := b.i.Handle(b.t.Context(), b.e); err != nil || r.Verdict != plugins.Done {
				b.t.Errorf("the listener next to it: %v, %v", r, err)
			}
		})
	})
	both.Go(func() { held = b.every(7*time.Millisecond, done, runtime.GC) })
	begun := time.Now()
	run()
	took = time.Since(begun)
	close(done)
	both.Wait()
	return took, longest, held
}

// every does something again and again until it is done, and returns the longest time from when it
// was due until it was over.
func (b *neighbour) every(pause time.Duration, done <-chan struct{},
	something func()) (longest time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for due := time.Now().Add(pause); ; due = time.Now().Add(pause) {
		timer.Reset(pause)
		select {
		case <-timer.C:
		case <-done:
			return longest
		}
		something()
		longest = max(longest, time.Since(due))
	}
}
