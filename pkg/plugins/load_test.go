package plugins

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

const allModules = "informerd/cache.v1, informerd/clock.v1, informerd/config.v1, informerd/event.v1, informerd/http.v1, informerd/kv.v1, informerd/log.v1, " +
	"informerd/random.v1, informerd/result.v1, wasi_snapshot_preview1"

func TestLoadRefuses(t *testing.T) {
	// without makes a module that has all it needs but what change does to it.
	module := func(change func(*wasmtest.Module)) []byte {
		m := &wasmtest.Module{}
		change(m)
		return m.Bytes()
	}
	needed := func(change func(*wasmtest.Module)) []byte {
		m := guestModule()
		change(m)
		return onEvent(m, konst(0))
	}
	functions := func(change func(*wasmtest.Module)) []byte {
		m := &wasmtest.Module{}
		change(m)
		m.Func("informerd_abi_v1", "", "", "")
		return onEvent(m, konst(0))
	}
	importing := func(name, function, params, results string) []byte {
		m := &wasmtest.Module{}
		m.Import(name, function, params, results)
		m.Memory(1, 4)
		m.Export("memory", 2, 0)
		m.Func("informerd_abi_v1", "", "", "")
		return onEvent(m, konst(0))
	}
	good := nothing()
	for _, test := range []struct {
		name string
		wasm []byte
		want string
	}{
		{"empty", nil, "the file is empty"},
		{"text", []byte("hello, world"),
			`not a WebAssembly module: it does not begin with \0asm`},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"),
			"this is a WebAssembly component; informerd takes core modules: " +
				"build without the component model, or extract the core module with wasm-tools component unbundle"},
		{"version", []byte("\x00asm\x02\x00\x00\x00"),
			"version 0x2 of WebAssembly is unknown, version 1 is needed"},
		{"cut off", good[:len(good)-3],
			"the file is cut off: the code section at offset 75 states 13 bytes, 10 are left"},
		{"too large", append(append([]byte{}, good...), make([]byte, 32<<20)...),
			"the file has 33554522 bytes, at most 33554432 are allowed: raise limits.module"},
		{"nothing in it", module(func(*wasmtest.Module) {}),
			`it does not export the function "informerd_abi_v1" of type () -> ()`},
		{"no memory", functions(func(*wasmtest.Module) {}),
			`it does not export its memory under the name "memory"`},
		{"two memories", needed(func(m *wasmtest.Module) { m.Memory(1, 1) }),
			"it has 2 memories, at most one is allowed"},
		{"memory is a function", functions(func(m *wasmtest.Module) {
			m.Func("memory", "", "", "")
		}),
			`export "memory" is a function, it must be a memory`},
		{"memory too large", functions(func(m *wasmtest.Module) {
			m.Memory(17, -1)
			m.Export("memory", 2, 0)
		}),
			"it needs 1.1 MiB of memory to start, its limit is 1 MiB: raise limits.memory"},
		{"imported memory", module(func(m *wasmtest.Module) { m.ImportMemory("env", "memory") }),
			`import "memory" of module "env": there is no such module; guests may import ` +
				allModules},
		{"table of 2^27", needed(func(m *wasmtest.Module) { m.Table(1<<27, 1<<27) }),
			"table section: offset 40: a table of 134217728 elements, at most 65536 are allowed"},
		{"no marker", module(func(m *wasmtest.Module) { m.Memory(1, 1); m.Export("memory", 2, 0) }),
			`it does not export the function "informerd_abi_v1" of type () -> ()`},
		{"no on_event", guestModule().Bytes(),
			`it exports neither the function "on_event" of type (i32, i32, i32, i32) -> i32 nor "on_batch" of type (i32) -> i32`},
		{"on_batch of another type", needed(func(m *wasmtest.Module) {
			m.Func("on_batch", "ii", "i", "", konst(0))
		}),
			`export "on_batch" has type (i32, i32) -> i32, it must be (i32) -> i32`},
		{"on_event of another type", module(func(m *wasmtest.Module) {
			*m = *guestModule()
			m.Func("on_event", "iI", "", "")
		}), `export "on_event" has type (i32, i64) -> (), it must be (i32, i32, i32, i32) -> i32`},
		{"on_event is a memory", module(func(m *wasmtest.Module) {
			*m = *guestModule()
			m.Export("on_event", 2, 0)
		}),
			`export "on_event" is a memory, it must be a function of type (i32, i32, i32, i32) -> i32`},
		{"on_event does not exist", module(func(m *wasmtest.Module) {
			*m = *guestModule()
			m.Export("on_event", 0, 99)
		}),
			`export "on_event": there is no function 99`},
		{"configure of another type", needed(func(m *wasmtest.Module) {
			m.Func("configure", "", "", "")
		}),
			`export "configure" has type () -> (), it must be () -> i32`},
		{"unknown module", importing("informerd/moon.v1", "land", "", ""),
			`import "land" of module "informerd/moon.v1": there is no such module; guests may import ` + allModules},
		{"unknown function", importing(abi.ModuleEvent, "fields", "", ""),
			`import "fields" of module "informerd/event.v1": there is no such function; the module has changed, field, next, object, path, prefetch`},
		{"function of another type", importing(abi.ModuleEvent, "field", "iii", "i"),
			`import "field" of module "informerd/event.v1" has type (i32, i32, i32) -> i32, it must be (i32, i32, i32, i32) -> i64`},
		{"no grant", importing(abi.ModuleLog, "log", "iii", ""),
			`import "log" of module "informerd/log.v1": this needs the grant "log", which the configuration does not have`},
		{"no grants", functions(func(m *wasmtest.Module) {
			m.Import(abi.ModuleKV, "get", "iiii", "i")
			m.Import(abi.ModuleLog, "log", "iii", "")
			m.Import(abi.ModuleRandom, "fill", "ii", "i")
			m.Memory(1, 4)
			m.Export("memory", 2, 0)
		}),
			`import "get" of module "informerd/kv.v1": this needs the grant "kv", which the configuration does not have; nor does it have "log, random", which other imports need`},
		{"no grant for kv", importing(abi.ModuleKV, "get", "iiii", "i"),
			`import "get" of module "informerd/kv.v1": this needs the grant "kv", which the configuration does not have`},
		{"no grant for clock", importing(abi.ModuleClock, "now_ns", "", "I"),
			`import "now_ns" of module "informerd/clock.v1": this needs the grant "clock", which the configuration does not have`},
		{"no grant for random", importing(abi.ModuleRandom, "fill", "ii", "i"),
			`import "fill" of module "informerd/random.v1": this needs the grant "random", which the configuration does not have`},
		{"socket", importing(abi.ModuleWASI, "sock_accept", "iii", "i"),
			`import "sock_accept" of module "wasi_snapshot_preview1": handlers are not given this part of WASI`},
		{"invalid code", onEvent(guestModule(), drop), "the module is not valid: "},
		{"start traps", func() []byte {
			m := guestModule()
			m.Start(m.Func("", "", "", "", unreachable))
			return onEvent(m, konst(0))
		}(), "handler crashed in start: trap: "},
		{"configure refuses without a reason", configuring(konst(7)),
			"handler refuses its configuration: result 7, without a reason"},
	} {
		t.Run(test.name, func(t *testing.T) {
			host, _ := testHost(t)
			spec := testSpec(test.wasm)
			spec.Grants = Grants{}
			handler, err := host.Load(t.Context(), spec)
			if handler != nil || err == nil {
				t.Fatal("it was loaded")
			}
			var load *LoadError
			if !errors.As(err, &load) {
				t.Fatalf("%T is no LoadError", err)
			}
			want := `listener "pods": handler guest.wasm: ` + test.want
			if got := err.Error(); got != want &&
				!(strings.HasSuffix(want, ": ") && strings.HasPrefix(got, want)) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// configuring is a guest with some code in configure.
func configuring(code ...[]byte) []byte {
	m := guestModule()
	m.Func("configure", "", "i", "", code...)
	return onEvent(m, konst(0))
}

func TestLoadRefusesSpec(t *testing.T) {
	host, _ := testHost(t)
	for _, test := range []struct {
		change func(*Spec)
		want   string
	}{
		{func(s *Spec) { s.Config = []byte("[]") }, "config: it must be a JSON object"},
		{func(s *Spec) { s.Config = []byte("{") }, "config: it must be a JSON object"},
		{func(s *Spec) { s.Config = make([]byte, 2<<20) },
			"config: it has 2097152 bytes, at most 1048576 are allowed"},
		{func(s *Spec) { s.Limits.Memory = 1 },
			"limits: memory is 1 bytes, it must be between 64 KiB and 4 GiB"},
		{func(s *Spec) { s.Limits.Memory = 5 << 30 },
			"limits: memory is 5368709120 bytes, it must be between 64 KiB and 4 GiB"},
		{func(s *Spec) { s.Limits.Deadline = -1 }, "limits: deadline is -1ns, it must be positive"},
		{func(s *Spec) { s.Limits.LoadDeadline = -1 },
			"limits: load deadline is -1ns, it must be positive"},
		{func(s *Spec) { s.Limits.Fuel = -1 }, "limits: fuel is -1, it must not be negative"},
		{func(s *Spec) { s.Grants.KV = &KVGrant{Keys: -1} },
			"grants: kv: keys is -1, it must be positive"},
		{func(s *Spec) { s.Grants.KV = &KVGrant{Bytes: -1} },
			"grants: kv: bytes is -1, it must be positive"},
		{func(s *Spec) { s.Grants.KV = &KVGrant{TTL: -1} },
			"grants: kv: ttl is -1ns, it must not be negative"},
		{func(s *Spec) { s.Grants.Log = &LogGrant{LinesPerSecond: -1} },
			"grants: log: lines per second is -1, it must be positive"},
	} {
		spec := testSpec(nothing())
		test.change(&spec)
		_, err := host.Load(t.Context(), spec)
		if want := `listener "pods": handler guest.wasm: ` + test.want; err == nil ||
			err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// Each of these would run forever if starting an instance had no deadline.
func TestLoadHasDeadline(t *testing.T) {
	forever := wasmtest.Forever
	for _, test := range []struct {
		function string
		wasm     func() []byte
	}{
		{"start", func() []byte {
			m := guestModule()
			m.Start(m.Func("", "", "", "", forever))
			return onEvent(m, konst(0))
		}},
		{"_initialize", func() []byte {
			m := guestModule()
			m.Func("_initialize", "", "", "", forever)
			return onEvent(m, konst(0))
		}},
		{"configure", func() []byte { return configuring(forever, konst(0)) }},
	} {
		t.Run(test.function, func(t *testing.T) {
			host, _ := testHost(t)
			spec := testSpec(test.wasm())
			spec.Limits.LoadDeadline = 300 * time.Millisecond
			_, err := host.Load(t.Context(), spec)
			want := `listener "pods": handler guest.wasm: handler crashed in ` + test.function +
				": deadline: it ran longer than 300ms"
			if err == nil || untimed(err) != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			var crash *CrashError
			if !errors.As(err, &crash) || crash.Reason != ReasonDeadline {
				t.Errorf("%v is no CrashError for the deadline", err)
			}
		})
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	host, _ := testHost(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := host.Load(ctx, testSpec(configuring(wasmtest.Forever, konst(0))))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	var crash *CrashError
	if errors.As(err, &crash) {
		t.Errorf("the caller's own deadline counts as a crash: %v", err)
	}
}

// A table grows to the limit and no further, with or without a maximum of its own.
func TestTablesAreBounded(t *testing.T) {
	for _, own := range []int64{-1, 1 << 27} {
		m := guestModule()
		m.Table(0, own)
		grow := func(n int32) []byte { // ref.null func, n, table.grow 0
			return append(append([]byte{0xd0, 0x70}, konst(n)...), 0xfc, 0x0f, 0x00)
		}
		wasm := onEvent(m,
			grow(65_536), konst(-1), []byte{0x46}, wasmtest.If(unreachable),
			grow(1), konst(-1), []byte{0x47}, wasmtest.If(unreachable),
			konst(0))
		host, _ := testHost(t)
		expectVerdict(t, instance(t, host, testSpec(wasm)), podAdd(t), Done)
	}
}

// Two handlers of the same bytes share compiled code, and closing one leaves the other alone.
func TestHandlersShareCode(t *testing.T) {
	host, _ := testHost(t)
	first, err := host.Load(t.Context(), testSpec(twoFields()))
	if err != nil {
		t.Fatal(err)
	}
	second := instance(t, host, testSpec(twoFields()))
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := second.Handle(t.Context(), podAdd(t)); err != nil || r.Verdict != Done {
		t.Errorf("got %v, %v", r, err)
	}
	if _, err := first.NewInstance(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("NewInstance of a closed handler returns %v", err)
	}
}

func TestClosedHost(t *testing.T) {
	host, _ := testHost(t)
	i := instance(t, host, testSpec(nothing()))
	if err := host.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := host.Load(t.Context(), testSpec(nothing())); !errors.Is(err, ErrClosed) {
		t.Errorf("Load of a closed host returns %v", err)
	}
	if _, err := i.Handle(t.Context(), podAdd(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("Handle with a closed host returns %v", err)
	}
}

// Whatever is broken in a file, Load returns an error or a handler that works or crashes, within
// its limits.
func TestLoadSurvivesMutants(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	host, _ := testHost(t)
	good, e := twoFields(), podAdd(t)
	for range n {
		mutant := append([]byte(nil), good...)
		for range 1 + random.IntN(3) {
			at := random.IntN(len(mutant))
			mutant[at] ^= 1 << random.IntN(8)
		}
		if random.IntN(4) == 0 {
			mutant = mutant[:random.IntN(len(mutant))]
		}
		spec := testSpec(mutant)
		spec.Limits.LoadDeadline, spec.Limits.Deadline = 50*time.Millisecond, 50*time.Millisecond
		handler, err := host.Load(t.Context(), spec)
		if err != nil {
			continue
		}
		if i, err := handler.NewInstance(t.Context()); err == nil {
			i.Handle(t.Context(), e)
			i.Close(t.Context())
		}
		handler.Close(t.Context())
	}
}
