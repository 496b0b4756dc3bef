package plugins

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// loaded is a worker that passes numbered events to an instance all the time.
type loaded struct {
	story  *replaceStory
	number int
	batch  int // events at once

	events int64        // that it gave
	seen   atomic.Int64 // the generation that answered last
}

// replaceStory replaces a handler's module again and again under the eyes of workers.
type replaceStory struct {
	handler *Handler
	begun   atomic.Int64 // the generation that Replace was called for
	done    atomic.Int64 // the one that it came back for
	stop    atomic.Bool
	silent  sync.Map     // generations that return nothing
	quiet   sync.RWMutex // locked while the process is measured
}

// named makes the event of some name.
func named(name string) (event.Event, error) {
	var p object.Parser
	o, err := p.Parse([]byte(strings.ReplaceAll(podText, "web-1", name)))
	return event.Event{Op: event.Add, Object: o}, err
}

func (w *loaded) run(ctx context.Context) error {
	i, err := w.story.handler.NewInstance(ctx)
	if err != nil {
		return err
	}
	for !w.story.stop.Load() && err == nil {
		w.story.quiet.RLock()
		err = w.round(ctx, i)
		w.story.quiet.RUnlock()
	}
	if stats := i.Stats(); err == nil && (stats.Events != uint64(w.events) || stats.Crashes != 0) {
		err = fmt.Errorf("gave %d events, counted %+v", w.events, stats)
	}
	return errors.Join(err, i.Close(ctx))
}

// round passes some events, and checks that one generation answered them all, which was current
// meanwhile.
func (w *loaded) round(ctx context.Context, i *Instance) (err error) {
	events := make([]event.Event, w.batch)
	for n := range events {
		if events[n], err = named(fmt.Sprintf("web-%d-%d", w.number, w.events)); err != nil {
			return err
		}
		w.events++
	}
	earliest := w.story.done.Load()
	var results []Result
	if w.batch == 1 {
		results = make([]Result, 1)
		results[0], err = i.Handle(ctx, events[0])
	} else {
		results, err = i.HandleBatch(ctx, events)
	}
	latest := w.story.begun.Load()
	if err != nil || len(results) != len(events) {
		return fmt.Errorf("%d results for %d events: %w", len(results), len(events), err)
	}
	all := int64(-1)
	for n, r := range results {
		g, err := generationOf(r, events[n].Object.Key().Name)
		switch {
		case err != nil:
			return err
		case all != -1 && g != all:
			return fmt.Errorf("generations %d and %d answered events of one batch", all, g)
		}
		all = g
	}
	return w.saw(all, earliest, latest)
}

func (w *loaded) saw(g, earliest, latest int64) error {
	for n := earliest; g == 0 && n <= latest; n++ {
		if _, silent := w.story.silent.Load(n); silent {
			g = n
		}
	}
	if before := w.seen.Swap(g); g < earliest || g > latest || g < before {
		return fmt.Errorf("generation %d answered, after %d, while it was the turn of %d to %d", g,
			before, earliest, latest)
	}
	return nil
}

// footprint is what this process holds.
type footprint struct {
	goroutines int
	heap, rss  int64
}

func (s *replaceStory) measure(t *testing.T) footprint {
	s.quiet.Lock()
	defer s.quiet.Unlock()
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
	open := reflect.ValueOf(&h.kv).Elem().FieldByName("open")
	for _, name := range open.MapKeys() {
		n += open.MapIndex(name).Elem().FieldByName("stores").Int()
	}
	return n
}

func (h *Host) codeCount() int { return h.compiler.Stats().Held }

func (h *Handler) moduleCount() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.modules)
}

// Replacing a listener's module 1,000 times under load leaks nothing and loses no event.
func TestReplaceUnderLoad(t *testing.T) {
	// A guest that is left at each replacement would be 64 KiB and more of heap. A large module, of
	// which there is one at 1,000, is 12 MB while anything of it is still on its way out.
	const replacements, heapSlack = 1000, 16 << 20
	rssSlack := int64(32 << 20)
	if raceDetector() {
		rssSlack *= 4 // it keeps account of all memory there ever was
	}
	large := wasmtest.GoGuest(t, "testdata/guest", ".")
	host, _ := testHost(t)
	keeper, err := host.Load(t.Context(),
		Spec{Listener: "keeper", Wasm: large, Config: []byte(`{"do":"nothing"}`),
			Grants: Grants{Log: &LogGrant{}}}) // it keeps the code
	if err != nil {
		t.Fatal(err)
	}
	guests := [][]byte{generation(true, false), generation(false, true), generation(true, true)}
	next := func(g int64) Spec {
		s := testSpec(guests[g%3])
		s.Config = fmt.Appendf(nil, `{"generation":%d}`, g)
		if g%200 == 0 {
			s.Wasm, s.Config, s.Limits.Memory = large, []byte(`{"do":"nothing"}`), 16<<20
		}
		return s
	}
	bad := badSpecs()

	var before footprint
	handler, err := host.Load(t.Context(), next(1))
	if err != nil {
		t.Fatal(err)
	}
	story := &replaceStory{handler: handler}
	story.begun.Store(1)
	story.done.Store(1)
	workers := []*loaded{{batch: 1}, {batch: 1}, {batch: 1}, {batch: 3}}
	errs := make([]error, len(workers))
	var wg sync.WaitGroup
	for n, w := range workers {
		w.story, w.number = story, n
		wg.Go(func() {
			errs[n] = w.run(t.Context())
			w.seen.Store(math.MaxInt64) // nobody is to wait for it
		})
	}
	for g := int64(2); g <= replacements+1; g++ {
		if g%5 == 0 {
			var refused *LoadError
			if err := handler.Replace(t.Context(), bad[g/5%int64(len(bad))]); !errors.As(err,
				&refused) {
				t.Errorf("a bad module: %v", err)
			}
		}
		spec := next(g)
		if g%200 == 0 {
			story.silent.Store(g, true)
		}
		story.begun.Store(g)
		if err := handler.Replace(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		story.done.Store(g)
		if g%100 != 1 {
			continue
		}
		settled := func() bool {
			for _, w := range workers {
				if w.seen.Load() < g {
					return false
				}
			}
			return true
		}
		for !settled() {
			runtime.Gosched()
		}
		// A guest that was to be recycled when its module was replaced may still be on its way.
		left := func() string {
			return fmt.Sprintf("%d modules, %d modules' code, %d guests", handler.moduleCount(),
				host.codeCount(), host.guests.Load())
		}
		want := fmt.Sprintf("1 modules, 2 modules' code, %d guests", len(workers)+1)
		for patience := time.Now().Add(time.Minute); left() != want; runtime.Gosched() {
			if time.Now().After(patience) {
				t.Fatalf("generation %d: there are %s, want %s", g, left(), want)
			}
		}
		if g == 101 {
			before = story.measure(t)
		}
	}
	grown := func(f footprint) bool {
		return f.rss > before.rss+rssSlack || f.heap > before.heap+heapSlack ||
			f.goroutines > before.goroutines
	}
	after := story.measure(t)
	// a timer may just have fired, and pages go back later
	for tries := 0; tries < 20 && grown(after); tries++ {
		after = story.measure(t)
	}
	story.stop.Store(true)
	wg.Wait()
	total := int64(0)
	for n, w := range workers {
		if errs[n] != nil {
			t.Errorf("worker %d: %v", n, errs[n])
		}
		total += w.events
	}
	t.Logf("%d events; after 100 replacements %+v, after %d %+v", total, before, replacements,
		after)
	if grown(after) {
		t.Errorf("it grew from %+v to %+v", before, after)
	}
	if err := errors.Join(handler.Close(t.Context()), keeper.Close(t.Context())); err != nil {
		t.Error(err)
	}
	if c, n, s := host.codeCount(), host.guests.Load(), openStores(host); c != 0 || n != 0 ||
		s != 0 {
		t.Errorf("left: %d modules' code, %d guests, %d kv stores", c, n, s)
	}
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
