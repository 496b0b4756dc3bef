package plugins

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// crashing is a guest that runs some code, but only for deletes; it returns drop for its first
// event and done for each later one, so that a test can tell a fresh instance from a used one.
func crashing(imports []abi.Function, code ...[]byte) []byte {
	m := guestModule(imports...)
	m.Global(1)
	isDelete := []byte{0x46} // i32.eq
	all := [][]byte{local(0), konst(int32(event.Delete)), isDelete, wasmtest.If(code...),
		wasmtest.GetGlobal(0), konst(0), wasmtest.SetGlobal(0)}
	return onEvent(m, all...)
}

func TestCrash(t *testing.T) {
	object := []abi.Function{imported(abi.ModuleEvent, "object")}
	errorf := []abi.Function{imported(abi.ModuleResult, "error")}
	exit := []abi.Function{imported(abi.ModuleWASI, "proc_exit")}
	write := []abi.Function{imported(abi.ModuleWASI, "fd_write")}
	recursion := func() []byte {
		m := guestModule()
		m.Func("deep", "", "", "", invoke(1))
		isDelete := []byte{0x46}
		m.Global(1)
		return onEvent(m, local(0), konst(3), isDelete, wasmtest.If(invoke(1)),
			wasmtest.GetGlobal(0), konst(0), wasmtest.SetGlobal(0))
	}
	for _, test := range []struct {
		name   string
		wasm   []byte
		reason Reason
		cause  string // the first line of it
	}{
		{"unreachable", crashing(nil, unreachable), ReasonTrap, "wasm error: unreachable"},
		{"endless loop", crashing(nil, wasmtest.Forever), ReasonDeadline,
			"it ran longer than 300ms"},
		{"endless recursion", recursion(), ReasonTrap,
			"its calls are nested too deeply: they take more than 4 MiB"},
		{"memory.grow without end, then a trap",
			crashing(nil, wasmtest.Grow(1), konst(0), []byte{0x48}, wasmtest.If(unreachable),
				wasmtest.Loop(wasmtest.Grow(1), konst(0), []byte{0x48}, wasmtest.If(unreachable))),
			ReasonMemory, "its memory is at 0.2 MiB of 0.2 MiB: wasm error: unreachable"},
		{"memory.grow without end", crashing(nil, wasmtest.Loop(wasmtest.Grow(1), drop)),
			ReasonDeadline, "it ran longer than 300ms"},
		{"load out of bounds", crashing(nil, wasmtest.Load(1<<30), drop), ReasonTrap,
			"wasm error: out of bounds memory access"},
		{"verdict 4", crashing(nil, konst(4), wasmtest.Return), ReasonProtocol,
			"its result is 4, it must be 0 (done), 1 (drop), 2 (retry) or 3 (fail)"},
		{"verdict -1", crashing(nil, konst(-1), wasmtest.Return), ReasonProtocol,
			"its result is -1, it must be 0 (done), 1 (drop), 2 (retry) or 3 (fail)"},
		{"pointer behind the memory", crashing(object, konst(0), konst(0), konst(65536), konst(1),
			invoke(0), drop), ReasonProtocol,
			"it passed a range of 1 bytes at address 65536, its memory has 65536 bytes"},
		{"pointer and length wrap around", crashing(errorf, konst(-1), konst(-1), invoke(0)),
			ReasonProtocol,
			"it passed a range of 4294967295 bytes at address 4294967295, its memory has 65536 bytes"},
		{"length 2^32-1", crashing(errorf, konst(0), konst(-1), invoke(0)), ReasonProtocol,
			"it passed a range of 4294967295 bytes at address 0, its memory has 65536 bytes"},
		{"proc_exit", crashing(exit, konst(0), invoke(0)), ReasonExit,
			"it called proc_exit(0)"},
		{"bad vectors", crashing(write, konst(1), konst(65530), konst(1), konst(0), invoke(0),
			drop), ReasonProtocol,
			"it passed a range of 8 bytes at address 65530, its memory has 65536 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			host, log := testHost(t)
			spec := testSpec(test.wasm)
			if test.reason == ReasonDeadline {
				spec.Limits.Deadline = 300 * time.Millisecond
			}
			i := instance(t, host, spec)
			expectVerdict(t, i, podAdd(t), Drop)
			expectVerdict(t, i, podAdd(t), Done)

			gone := podAdd(t)
			gone.Op = event.Delete
			_, err := i.Handle(t.Context(), gone)
			var crash *CrashError
			if !errors.As(err, &crash) {
				t.Fatalf("%v (%T) is no CrashError", err, err)
			}
			if crash.Listener != "pods" ||
				crash.Object != (event.Key{Namespace: "shop", Name: "web-1"}) ||
				crash.Op != event.Delete || crash.Func != "on_event" ||
				crash.Reason != test.reason {
				t.Errorf("got %#v", crash)
			}
			want := `listener "pods": handler crashed in on_event (delete of "shop/web-1"): ` +
				string(test.reason) + ": " + test.cause
			if got, _, _ := strings.Cut(untimed(err), "\n"); strings.TrimSuffix(got,
				" (recovered by wazero)") != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if i.guest != nil {
				t.Error("the instance is still there")
			}
			line := `level=WARN msg="handler crashed" listener=pods object=shop/web-1 op=delete func=on_event reason=` + string(test.reason)
			if n := strings.Count(log.String(), line); n != 1 {
				t.Errorf("logged %d times:\n%s", n, log)
			}
			if said := log.String() + err.Error(); strings.Contains(said, "nodeName") ||
				strings.Contains(said, "Running") {
				t.Errorf("it has a part of the object: %s", said)
			}
			// The state of the crashed instance is gone with it.
			expectVerdict(t, i, podAdd(t), Drop)
			expectVerdict(t, i, podAdd(t), Done)
		})
	}
}

func expectVerdict(t *testing.T, i *Instance, e event.Event, want Verdict) {
	t.Helper()
	r, err := i.Handle(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != want {
		t.Errorf("the verdict is %v, want %v", r.Verdict, want)
	}
}

// A guest that cannot be started again returns an error for each event, and is tried again for
// each.
func TestRestartFails(t *testing.T) {
	host, _ := testHost(t)
	i := instance(t, host, testSpec(onEvent(guestModule(), unreachable, konst(0))))
	for range 3 {
		var crash *CrashError
		if _, err := i.Handle(t.Context(), podAdd(t)); !errors.As(err, &crash) {
			t.Fatalf("got %v", err)
		}
	}
	i.handler.spec.Limits.LoadDeadline = 0 // passed before it begins
	_, err := i.Handle(t.Context(), podAdd(t))
	var crash *CrashError
	if !errors.As(err, &crash) || crash.Func != "start" || crash.Reason != ReasonDeadline ||
		crash.Op != event.Add {
		t.Fatalf("got %v", err)
	}
}

// A cancelled context ends a running guest without counting as a crash.
func TestHandleEndsWithItsContext(t *testing.T) {
	host, log := testHost(t)
	i := instance(t, host, testSpec(crashing(nil, wasmtest.Forever)))
	e := podAdd(t)
	e.Op = event.Delete
	// On a busy machine the context may end before the guest runs, and then nothing happens to the
	// instance. So the time it gets is doubled until it was interrupted.
	for wait := 5 * time.Millisecond; ; wait *= 2 {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(wait, cancel)
		_, err := i.Handle(ctx, e)
		if err != context.Canceled {
			t.Fatalf("got %v", err)
		}
		if i.guest == nil {
			break
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	if _, err := i.Handle(ctx, e); err != context.DeadlineExceeded {
		t.Fatalf("got %v", err)
	}
	if _, err := i.Handle(ctx, e); err != context.DeadlineExceeded {
		t.Fatalf("a context that has ended returns %v", err)
	}
	if log.String() != "" {
		t.Errorf("logged: %s", log)
	}
	expectVerdict(t, i, podAdd(t), Drop)
}

// A crash of one instance does not touch the others of its handler, nor those of other handlers.
func TestCrashesAreSeparate(t *testing.T) {
	host, _ := testHost(t)
	var handlers []*Handler
	for range 2 {
		spec := testSpec(crashing(nil, wasmtest.Forever))
		spec.Limits.Deadline = time.Second
		handler, err := host.Load(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		handlers = append(handlers, handler)
	}
	var wg sync.WaitGroup
	for n := range 6 {
		wg.Go(func() {
			i, err := handlers[n%2].NewInstance(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer i.Close(t.Context())
			add := podAdd(t)
			for range 200 {
				if _, err := i.Handle(t.Context(), add); err != nil {
					t.Error(err)
				}
			}
			if n > 1 {
				return
			}
			gone := add
			gone.Op = event.Delete
			var crash *CrashError
			if _, err := i.Handle(t.Context(), gone); !errors.As(err, &crash) {
				t.Errorf("got %v", err)
			}
		})
	}
	wg.Wait()
}

func TestClosedInstance(t *testing.T) {
	host, _ := testHost(t)
	i := instance(t, host, testSpec(nothing()))
	for range 2 {
		if err := i.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	_, err := i.Handle(t.Context(), podAdd(t))
	if want := `listener "pods": handler: closed`; !errors.Is(err, ErrClosed) ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
