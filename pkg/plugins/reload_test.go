package plugins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// generation is a guest that returns an event's name as its message and its config as data. It
// takes events, batches or both.
func generation(events, batches bool) []byte {
	imports := []abi.Function{imported(abi.ModuleEvent, "next"), imported(abi.ModuleEvent, "path"),
		imported(abi.ModuleEvent, "field"),
		imported(abi.ModuleResult, "emit"), imported(abi.ModuleResult, "error"),
		imported(abi.ModuleConfig, "get")}
	if batches {
		imports = append(imports, imported(abi.ModuleKV, "get"))
	}
	m := guestModule(imports...)
	m.Data(4096, "metadata.name")
	m.Func("configure", "", "i", "", konst(4096), konst(13), invoke(1), drop, konst(0))
	wrap := []byte{0xa7} // i32.wrap_i64: the length
	answer := [][]byte{
		konst(2048), konst(0), konst(0), konst(2048), konst(256), invoke(2), wrap, invoke(4),
		konst(2), konst(3072), konst(3072), konst(256), invoke(5), invoke(3), drop,
	}
	wasm := []byte(nil)
	if events {
		wasm = onEvent(m, append(answer, konst(0))...)
	}
	if batches {
		wasm = onBatch(m, forEach(answer...), konst(0))
	}
	return wasm
}

// generationOf reads what such a guest gave for an event, 0 for a guest that returns nothing.
func generationOf(r Result, name string) (int64, error) {
	switch {
	case r.Verdict != Done:
		return 0, fmt.Errorf("%s: the verdict is %v", name, r.Verdict)
	case len(r.Emitted) == 0 && r.Message == "":
		return 0, nil
	case len(r.Emitted) != 1 || r.Message != name:
		return 0, fmt.Errorf("%s: %d emissions, message %q", name, len(r.Emitted), r.Message)
	}
	var config struct{ Generation int64 }
	err := json.Unmarshal(r.Emitted[0].Data, &config)
	return config.Generation, err
}

// named makes the event of some name.
func named(name string) (event.Event, error) {
	var p object.Parser
	o, err := p.Parse([]byte(strings.ReplaceAll(podText, "web-1", name)))
	return event.Event{Op: event.Add, Object: o}, err
}

// footprint is what this process holds.
type footprint struct {
	goroutines int
	heap, rss  int64
}

func measure(t *testing.T) footprint {
	t.Helper()
	for range 3 { // finalizers free compiled code, and need a round of their own
		runtime.GC()
	}
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f := footprint{goroutines: runtime.NumGoroutine(), heap: int64(m.HeapAlloc)}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return f // no Linux
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	f.rss = pages * int64(os.Getpagesize())
	return f
}

func raceDetector() bool {
	info, _ := debug.ReadBuildInfo()
	return info != nil && slices.Contains(info.Settings,
		debug.BuildSetting{Key: "-race", Value: "true"})
}

// openStores is how many stores of kv are open.
func openStores(h *Host) (n int64) {
	stores := reflect.ValueOf(&h.kv).Elem()
	tables := []reflect.Value{stores.FieldByName("memory")}
	if file := stores.FieldByName("file"); !file.IsNil() {
		tables = append(tables, file.Elem().FieldByName("tables"))
	}
	for _, in := range tables {
		open := in.FieldByName("open")
		for _, name := range open.MapKeys() {
			n += open.MapIndex(name).Elem().FieldByName("stores").Int()
		}
	}
	return n
}

// A listener's handler is loaded again and again, as reloads do: each has its own events, a module
// that is refused changes nothing, and nothing is left of those that are closed.
func TestReloadsLeaveNothing(t *testing.T) {
	// A guest that is left each time would be 64 KiB and more of heap. A large module, of which
	// there is one at the end, is 12 MB while anything of it is still on its way out.
	const reloads, heapSlack = 200, 16 << 20
	rssSlack := int64(32 << 20)
	if raceDetector() {
		rssSlack *= 4 // it keeps account of all memory there ever was
	}
	large := wasmtest.GoGuest(t, "testdata/guest", ".")
	goHost(t)
	host, _ := testHost(t)
	host.compiler.Command, host.compiler.Temporary = goGuests.command, []string{t.TempDir()}
	keeper := loadHandler(t, host, Spec{Listener: "keeper", Wasm: large,
		Config: []byte(`{"do":"nothing"}`), Grants: Grants{Log: &LogGrant{}}}) // it keeps the code
	host.compiler.Command = nil // small ones are compiled here
	guests := [][]byte{generation(true, false), generation(false, true), generation(true, true)}
	bad := badSpecs()
	var before, after footprint
	for g := range int64(reloads) {
		spec := testSpec(guests[g%3])
		spec.Config = fmt.Appendf(nil, `{"generation":%d}`, g)
		want := g
		if g%50 == 49 {
			spec.Wasm, spec.Config, spec.Limits.Memory = large, []byte(`{"do":"nothing"}`), 16<<20
			want = 0
		}
		h := loadHandler(t, host, spec)
		if g%5 == 0 {
			_, err := host.Load(t.Context(), bad[g/5%int64(len(bad))])
			if refused := (*LoadError)(nil); !errors.As(err, &refused) {
				t.Errorf("a bad module: %v", err)
			}
		}
		var wg sync.WaitGroup
		for worker := range 4 {
			wg.Go(func() {
				if err := handled(t.Context(), h, worker, want); err != nil {
					t.Errorf("generation %d, worker %d: %v", g, worker, err)
				}
			})
		}
		wg.Wait()
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if c, n := codeCount(host), host.guests.Load(); c != 1 || n != 1 {
			t.Fatalf("generation %d: there are %d modules' code and %d guests", g, c, n)
		}
		if g == 50 {
			before = measure(t)
		}
	}
	grown := func() bool {
		after = measure(t)
		return after.rss > before.rss+rssSlack || after.heap > before.heap+heapSlack ||
			after.goroutines > before.goroutines
	}
	left := grown()
	for tries := 0; tries < 20 && left; tries++ { // pages go back later
		left = grown()
	}
	if t.Logf("after 50 reloads %+v, after %d %+v", before, reloads, after); left {
		t.Errorf("it grew from %+v to %+v", before, after)
	}
	if err := keeper.Close(t.Context()); err != nil {
		t.Error(err)
	}
	expectClean(t, host)
}

// handled passes events to an instance of a handler, one by one or in batches, and checks that its
// generation answers them all.
func handled(ctx context.Context, h *Handler, worker int, want int64) error {
	i, err := h.NewInstance(ctx)
	if err != nil {
		return err
	}
	var events []event.Event
	for n := range 3 {
		e, err := named(fmt.Sprintf("web-%d-%d", worker, n))
		if err != nil {
			return err
		}
		events = append(events, e)
	}
	var results []Result
	if worker == 0 {
		results, err = i.HandleBatch(ctx, events)
	} else {
		for _, e := range events {
			r, failed := i.Handle(ctx, e)
			results, err = append(results, r), errors.Join(err, failed)
		}
	}
	for n, r := range results {
		g, failed := generationOf(r, events[n].Object.Key().Name)
		if failed == nil && g != want {
			failed = fmt.Errorf("generation %d answers, want %d", g, want)
		}
		err = errors.Join(err, failed)
	}
	if s := i.Stats(); s.Events != uint64(len(events)) || s.Crashes != 0 {
		err = errors.Join(err, fmt.Errorf("counted %+v", s))
	}
	return errors.Join(err, i.Close(ctx))
}

// badSpecs are refused one later than the other.
func badSpecs() []Spec {
	cut := testSpec(generation(true, false)[:40])
	limit := testSpec(generation(true, false))
	limit.Limits.Memory = 1
	grant := testSpec(generation(false, true))
	grant.Grants.KV = nil
	invalid := testSpec(onEvent(guestModule(), drop)) // an empty stack
	refusing := guestModule()
	refusing.Func("configure", "", "i", "", konst(1))
	trap := guestModule()
	trap.Func("configure", "", "i", "", unreachable)
	return []Spec{cut, limit, grant, invalid, testSpec(onEvent(refusing, konst(0))),
		testSpec(onEvent(trap, konst(0)))}
}
