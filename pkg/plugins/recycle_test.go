package plugins

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// recycled waits until an instance has started a successor of its guest.
func recycled(t *testing.T, i *Instance) {
	t.Helper()
	if !i.renewal.pending() {
		t.Fatal("no successor is being started")
	}
	for len(i.renewal.next.started) == 0 {
		runtime.Gosched()
	}
}

// paused returns how long no successor is started after one that could not be.
func paused(i *Instance) time.Duration {
	return i.renewal.retryDelay
}

func recycling(wasm []byte, events int64) Spec {
	spec := testSpec(wasm)
	spec.Limits.Recycle = events
	return spec
}

// crashing(nil) drops its first event, so what drops is fresh.
func TestGuestsAreRecycledAfterSomeEvents(t *testing.T) {
	synctest.Test(t, testRecyclingAfterSomeEvents)
} // starts take no time

func testRecyclingAfterSomeEvents(t *testing.T) {
	host, log := testHost(t)
	defer host.Close(t.Context()) // its goroutines must end within the test
	i := instance(t, host, recycling(crashing(nil), 5))
	for round := range 3 {
		for n := range 5 {
			want := Done
			if n == 0 {
				want = Drop
			}
			if n > 0 && i.renewal.pending() {
				t.Errorf("round %d: a successor is started after %d events", round, n)
			}
			expectVerdict(t, i, podAdd(t), want)
		}
		recycled(t, i)
	}
	if s := i.Stats(); s.Events != 15 || s.Recycled != 2 || s.Crashes != 0 ||
		s.Memory != 2*wasmbin.PageSize {
		t.Errorf("counted %+v", s)
	}
	if err := i.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := host.guests.Load(); n != 0 || log.String() != "" {
		t.Errorf("%d guests are left, logged:\n%s", n, log)
	}
}

// A guest that is to be replaced at every event is so for no more than a twentieth of the time that
// its starts take, and a successor counts as memory from the beginning.
func TestStartsOfSuccessorsAreRare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, gate := gatedHost()
		m := guestModule(imported(abi.ModuleLog, "log"), imported(abi.ModuleKV, "get"),
			imported(abi.ModuleKV, "set"))
		m.Data(0, "startedhold")
		m.Func("configure", "", "i", "", holdsLater(nil)...)
		spec := recycling(onEvent(m, konst(0)), 1)
		spec.Limits.Deadline, spec.Limits.LoadDeadline = 24*time.Hour, 24*time.Hour
		i := instance(t, host, spec)
		const took = 100 * time.Millisecond
		expectVerdict(t, i, podAdd(t), Done)
		<-gate.held
		if s := i.Stats(); s.Memory != 2*wasmbin.PageSize {
			t.Errorf("with a successor that is being started: %d bytes", s.Memory)
		}
		time.Sleep(took)
		close(gate.release)
		synctest.Wait()
		if s := i.Stats(); s.Memory != 2*wasmbin.PageSize {
			t.Errorf("with a successor that is started: %d bytes", s.Memory)
		}
		for range restShare {
			expectVerdict(t, i, podAdd(t), Done)
			synctest.Wait()
			if s := i.Stats(); i.renewal.pending() || s.Memory != wasmbin.PageSize ||
				s.Recycled != 1 {
				t.Fatalf("pending %v, counted %+v", i.renewal.pending(), s)
			}
			time.Sleep(took)
		}
		expectVerdict(t, i, podAdd(t), Done)
		if !i.renewal.pending() {
			t.Errorf("no successor is started after a rest of %v", restShare*took)
		}
		if err := errors.Join(i.Close(t.Context()), host.Close(t.Context())); err != nil {
			t.Error(err)
		}
	})
}

// While the successor is being started, events go on with the guest there is.
func TestEventsDoNotWaitForTheSuccessor(t *testing.T) {
	host, gate := gatedHost()
	m := guestModule(imported(abi.ModuleLog, "log"), imported(abi.ModuleKV, "get"),
		imported(abi.ModuleKV, "set"))
	m.Data(0, "startedhold")
	m.Func("configure", "", "i", "", holdsLater(nil)...)
	m.Global(1)
	i := instance(t, host, recycling(onEvent(m, wasmtest.GetGlobal(0), konst(0),
		wasmtest.SetGlobal(0)), 2))
	expectVerdict(t, i, podAdd(t), Drop)
	expectVerdict(t, i, podAdd(t), Done)
	<-gate.held
	for range 20 {
		expectVerdict(t, i, podAdd(t), Done)
	}
	close(gate.release)
	recycled(t, i)
	expectVerdict(t, i, podAdd(t), Drop)
	if s := i.Stats(); s.Recycled != 1 || s.Events != 23 {
		t.Errorf("counted %+v", s)
	}
	if err := errors.Join(i.Close(t.Context()), host.Close(t.Context())); err != nil {
		t.Error(err)
	}
	expectClean(t, host)
}

// holdsLater is the code of a configure that logs a line, and then runs some code, if it runs for
// the second time.
func holdsLater(then []byte) [][]byte {
	return [][]byte{
		konst(0), konst(7), konst(1024), konst(10), invoke(1), konst(0), {0x4e}, // at least 0
		wasmtest.If(konst(int32(abi.LogError)), konst(7), konst(4), invoke(0), then),
		konst(0), konst(7), konst(0), konst(1), konst64(0), invoke(2),
	}
}

// inBubble has a test in which no time passes but what it sleeps.
func inBubble(test func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, test) }
}

// growing is a guest that has some pages, and one more after each event until it has some number.
func growing(from uint32, to int32, most int64) []byte {
	m := &wasmtest.Module{}
	m.Memory(from, most)
	m.Export("memory", 2, 0)
	m.Func("informerd_abi_v1", "", "", "")
	return onEvent(m, wasmtest.MemorySize, konst(to), []byte{0x48},
		wasmtest.If(wasmtest.Grow(1), drop), konst(0))
}

// A guest that grows is replaced at three quarters of what it may have, before it gets there. One
// that needs so much is not replaced again and again.
func TestGuestsAreRecycledForTheirMemory(t *testing.T) {
	for _, test := range []struct {
		name     string
		from     uint32
		to       int32
		most     int64
		events   int
		recycled uint64
		size     int64 // pages, in the end
	}{
		{"a leak", 1, 257, -1, 191*5 + 10, 5, 11},
		{"it grows to less", 1, 2, 4, 300, 0, 2},
		{"it needs three quarters", 1, 3, 4, 300, 1, 3},
		{"it starts with three quarters", 3, 3, 4, 300, 0, 3},
		{"it starts with three quarters, and grows", 3, 4, 4, 300, 1, 4},
		{"it starts with all it may have", 4, 4, 4, 300, 0, 4},
	} {
		t.Run(test.name, inBubble(func(t *testing.T) { // starts take no time
			host, _ := testHost(t)
			defer host.Close(t.Context())
			spec := testSpec(growing(test.from, test.to, test.most))
			spec.Limits.Memory = 256 * wasmbin.PageSize
			i := instance(t, host, spec)
			for range test.events {
				expectVerdict(t, i, podAdd(t), Done)
				if i.renewal.pending() {
					recycled(t, i)
				}
			}
			if s := i.Stats(); s.Recycled != test.recycled ||
				s.Memory != test.size*wasmbin.PageSize ||
				s.Crashes != 0 {
				t.Errorf("counted %+v", s)
			}
		}))
	}
}

// If no successor can be started, the guest there is goes on, which is logged once, and it is tried
// again after pauses that grow.
func TestSuccessorsThatCannotBeStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, log := testHost(t)
		defer host.Close(t.Context()) // its goroutines must end within the test
		spec := recycling(startsOnce(unreachable), 3)
		spec.Limits.Deadline, spec.Limits.LoadDeadline = 24*time.Hour, 24*time.Hour
		i := instance(t, host, spec)
		handle := func() {
			expectVerdict(t, i, podAdd(t), Done)
			synctest.Wait()
		}
		for range 3 {
			handle()
		}
		const line = `level=WARN msg="no fresh instance of the handler can be started; the one there is goes on, and it is tried again" ` +
			`listener=pods error="listener \"pods\": handler crashed in configure: trap: wasm error: unreachable`
		for _, pause := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60} {
			if !i.renewal.pending() {
				t.Fatalf("nothing is tried before a pause of %v s", int64(pause))
			}
			handle() // sees that it failed
			if paused(i) != pause*time.Second || strings.Count(log.String(), "\n") == 0 ||
				!strings.HasPrefix(log.String(), line) {
				t.Errorf("it pauses %v, want %d s; logged:\n%s", paused(i), pause, log)
			}
			time.Sleep(pause*time.Second - time.Nanosecond)
			if handle(); i.renewal.pending() {
				t.Errorf("tried again before %d s are over", pause)
			}
			time.Sleep(time.Nanosecond)
			handle()
		}
		if n := strings.Count(log.String(), "no fresh instance"); n != 1 {
			t.Errorf("logged %d times", n)
		}
		handle() // sees the last failure
		i.handler.store.Delete([]byte("started"))
		time.Sleep(time.Minute)
		handle()
		handle()
		if s := i.Stats(); s.Recycled != 1 || s.Crashes != 0 || paused(i) != 0 {
			t.Errorf("counted %+v, it pauses %v", s, paused(i))
		}
	})
}

// Close ends the start of a successor, whether it closes the instance or what that belongs to.
func TestCloseEndsTheStartOfASuccessor(t *testing.T) {
	for _, first := range []string{"instance", "handler", "host"} {
		t.Run(first, func(t *testing.T) {
			host, gate := gatedHost()
			m := guestModule(imported(abi.ModuleLog, "log"), imported(abi.ModuleKV, "get"),
				imported(abi.ModuleKV, "set"))
			m.Data(0, "startedhold")
			m.Func("configure", "", "i", "", holdsLater(wasmtest.Forever)...)
			spec := recycling(onEvent(m, konst(0)), 1)
			spec.Limits.LoadDeadline = time.Hour
			h := loadHandler(t, host, spec)
			i := newInstance(t, h)
			expectVerdict(t, i, podAdd(t), Done)
			<-gate.held
			close(gate.release)
			closers := map[string]func() error{
				"instance": func() error { return i.Close(t.Context()) },
				"handler":  func() error { return h.Close(t.Context()) },
				"host":     func() error { return host.Close(t.Context()) },
			}
			err := closers[first]()
			if err := errors.Join(err, i.Close(t.Context()), h.Close(t.Context()),
				host.Close(t.Context())); err != nil {
				t.Error(err)
			}
			expectClean(t, host)
		})
	}
}

// A successor of a guest that is gone is of no use, unless it is ready just then.
func TestSuccessorsThatComeTooLate(t *testing.T) {
	for _, ready := range []bool{false, true} {
		host, _ := testHost(t)
		h := loadHandler(t, host, recycling(crashing(nil, unreachable), 1))
		i := newInstance(t, h)
		expectVerdict(t, i, podAdd(t), Drop)
		if ready {
			recycled(t, i)
		}
		gone := podAdd(t)
		gone.Op = event.Delete
		var crash *CrashError
		if _, err := i.Handle(t.Context(), gone); !errors.As(err, &crash) {
			t.Errorf("got %v", err)
		}
		expectVerdict(t, i, podAdd(t), Drop)
		if err := errors.Join(i.Close(t.Context()), h.Close(t.Context())); err != nil {
			t.Error(err)
		}
		expectClean(t, host)
	}
}

// A batch counts as its events. A command is gone after each run anyway.
func TestRecyclingOfBatches(t *testing.T) { synctest.Test(t, testRecyclingOfBatches) }

func testRecyclingOfBatches(t *testing.T) {
	host, _ := testHost(t)
	defer host.Close(t.Context())
	i := instance(t, host, recycling(generation(false, true), 5))
	for n, want := range []uint64{0, 0, 1, 1, 2} {
		if _, err := i.HandleBatch(t.Context(),
			batchOf(t, event.Add, event.Update, event.Delete)); err != nil {
			t.Fatal(err)
		}
		if i.renewal.pending() {
			recycled(t, i)
		}
		if s := i.Stats(); s.Recycled != want || s.Events != uint64(3*n+3) {
			t.Errorf("batch %d: counted %+v", n, s)
		}
	}
	command := instance(t, host, recycling(printingCommand(`{"verdict":"done"}`), 1))
	for range 3 {
		expectVerdict(t, command, podAdd(t), Done)
	}
	if s := command.Stats(); s.Recycled != 0 || s.Events != 3 || s.Memory != 0 ||
		command.renewal.pending() {
		t.Errorf("a command: counted %+v", s)
	}
}

func TestRecycleLimit(t *testing.T) {
	host, _ := testHost(t)
	for limit, want := range map[int64]int64{0: 1_000_000, -1: 1<<63 - 1, 7: 7} {
		i := instance(t, host, recycling(verdictGuest(Done), limit))
		if got := i.guest.age.last; got != want {
			t.Errorf("%d: after %d events, want %d", limit, got, want)
		}
	}
	_, err := host.Load(t.Context(), recycling(verdictGuest(Done), -2))
	if want := `listener "pods": handler guest.wasm: limits: recycle is -2, it must be positive, or -1 for never`; err == nil ||
		err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
