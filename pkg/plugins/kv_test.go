package plugins

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/kv"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// hostCall is a call of an imported function with constant arguments.
type hostCall struct {
	name string
	args []int64
}

// scripted is a guest that makes calls of one host module in on_event, one after the other, and
// keeps each result as an i64 from address 0. The data stands from address 4096.
func scripted(module, data string, calls []hostCall) []byte {
	m := &wasmtest.Module{}
	index := map[string]uint32{}
	for _, f := range hostFunctions {
		if f.Module == module {
			index[f.Name] = m.Import(f.Module, f.Name, short(f.Params), short(f.Results))
		}
	}
	m.Memory(1, 4)
	m.Export("memory", 2, 0)
	m.Func("informerd_abi_v1", "", "", "")
	m.Data(4096, data)
	var code [][]byte
	for n, c := range calls {
		code = append(code, wasmtest.Store64(int32(8*n),
			resultOf(imported(module, c.name), index[c.name], c.args)))
	}
	return onEvent(m, append(code, konst(0))...)
}

// results runs an instance of a scripted guest and returns what its calls returned.
func results(t *testing.T, i *Instance, n int) []int64 {
	t.Helper()
	expectVerdict(t, i, podAdd(t), Done)
	b, _ := i.guest.memory.Read(0, uint32(8*n))
	got := make([]int64, n)
	for k := range got {
		got[k] = int64(binary.LittleEndian.Uint64(b[8*k:]))
	}
	return got
}

func TestKVFunctions(t *testing.T) {
	// The key "key" is at 4096, "value" at 4099, "other" at 4104, and the key is 257 bytes long at
	// most.
	const key, value, other, bad, denied = 4096, 4099, 4104, int64(abi.BadArgument),
		int64(abi.Quota)
	type step struct {
		name string
		args []int64
		want int64
	}
	steps := []step{
		{"get", []int64{key, 3, 1024, 10}, -1},
		{"delete", []int64{key, 3}, -1},
		{"set", []int64{key, 3, value, 5, 0}, 0},
		{"get", []int64{key, 3, 1024, 10}, 5},
		{"get", []int64{key, 3, 1040, 4}, 5}, // too little room: nothing is written
		{"get", []int64{key, 2, 1040, 10}, -1},
		{"cas", []int64{key, 3, 0, -1, other, 5, 0}, 0}, // there is one
		{"cas", []int64{key, 3, other, 5, other, 5, 0}, 0},
		{"cas", []int64{key, 3, value, 4, other, 5, 0}, 0},
		{"cas", []int64{key, 3, value, 5, other, 5, 1000}, 1},
		{"get", []int64{key, 3, 1056, 10}, 5},
		{"delete", []int64{key, 3}, 0},
		// an empty value is not the same as none
		{"cas", []int64{key, 3, value, 0, value, 5, 0}, 0},
		{"cas", []int64{key, 3, 0, -1, value, 0, 0}, 1},
		{"get", []int64{key, 3, 1072, 10}, 0},
		{"cas", []int64{key, 3, 0, 0, value, 1, 0}, 1},
		// an address is looked at only for what is written there
		{"get", []int64{key, 3, 65536, 0}, 1},
		// Lengths of keys.
		{"get", []int64{key, 0, 1024, 10}, bad},
		{"get", []int64{key, 257, 1024, 10}, bad},
		{"get", []int64{key, -1, 1024, 10}, bad},
		{"get", []int64{key, 256, 1024, 10}, -1},
		{"set", []int64{key, 0, value, 5, 0}, bad},
		{"set", []int64{key, 257, value, 5, 0}, bad},
		{"delete", []int64{key, 0}, bad},
		{"delete", []int64{key, -1}, bad},
		{"cas", []int64{key, 0, 0, -1, value, 5, 0}, bad},
		// Times and lengths of values.
		{"set", []int64{key, 3, value, 5, -1}, bad},
		{"cas", []int64{key, 3, value, 1, value, 5, -1}, bad},
		{"set", []int64{key, 3, value, 5, 1<<63 - 1}, 0},
		{"set", []int64{key, 3, 0, 65537, 0}, denied},
		{"set", []int64{key, 3, 0, -1, 0}, denied},
		{"cas", []int64{key, 3, value, 5, 0, 65537, 0}, denied},
		{"set", []int64{key, 3, 0, 101, 0}, denied}, // more bytes than granted
		{"cas", []int64{key, 3, value, 5, 0, 101, 0}, denied},
		{"set", []int64{key, 3, 0, 100, 0}, 0},
		{"set", []int64{value, 1, value, 0, 0}, 0},
		{"set", []int64{other, 1, value, 0, 0}, denied}, // a third key
		{"cas", []int64{other, 1, 0, -1, value, 0, 0}, denied},
		{"get", []int64{key, 3, 1088, 64}, 100},
	}
	var calls []hostCall
	for _, s := range steps {
		calls = append(calls, hostCall{s.name, s.args})
	}
	host, _ := testHost(t)
	spec := testSpec(scripted(abi.ModuleKV, "keyvalueother", calls))
	spec.Grants.KV = &KVGrant{Keys: 2, Bytes: 100}
	i := instance(t, host, spec)
	for n, got := range results(t, i, len(steps)) {
		if got != steps[n].want {
			t.Errorf("step %d, %s%v: got %d, want %d", n, steps[n].name, steps[n].args, got,
				steps[n].want)
		}
	}
	for at, want := range map[uint32]string{1024: "value\x00", 1040: "\x00", 1056: "other\x00",
		1072: "\x00", 1088: "\x00"} {
		if got, _ := i.guest.memory.Read(at, uint32(len(want))); string(got) != want {
			t.Errorf("at %d: %q, want %q", at, got, want)
		}
	}
}

// An address outside of the memory is a crash, in whatever argument it stands.
func TestBadPointers(t *testing.T) {
	const end = 65536
	for _, test := range []struct {
		module, name string
		args         []int64
		bytes, at    uint32
	}{
		{abi.ModuleKV, "get", []int64{end, 1, 0, 0}, 1, end},
		{abi.ModuleKV, "get", []int64{end - 1, 2, 0, 0}, 2, end - 1},
		{abi.ModuleKV, "get", []int64{-1, 1, 0, 0}, 1, 1<<32 - 1},
		// the value of "good" is "ok"
		{abi.ModuleKV, "get", []int64{4096, 4, end - 1, 10}, 2, end - 1},
		{abi.ModuleKV, "set", []int64{end, 1, 0, 0, 0}, 1, end},
		{abi.ModuleKV, "set", []int64{0, 1, end, 1, 0}, 1, end},
		{abi.ModuleKV, "set", []int64{0, 1, end - 9, 65536, 0}, 65536, end - 9},
		{abi.ModuleKV, "delete", []int64{end - 255, 256}, 256, end - 255},
		{abi.ModuleKV, "cas", []int64{end, 1, 0, -1, 0, 0, 0}, 1, end},
		{abi.ModuleKV, "cas", []int64{0, 1, end, 1, 0, 0, 0}, 1, end},
		{abi.ModuleKV, "cas", []int64{0, 1, 0, -2, 0, 0, 0}, 1<<32 - 2, 0},
		{abi.ModuleKV, "cas", []int64{0, 1, 0, -1, end, 1, 0}, 1, end},
		{abi.ModuleRandom, "fill", []int64{end - 1, 2}, 2, end - 1},
		{abi.ModuleRandom, "fill", []int64{-1, 1}, 1, 1<<32 - 1},
	} {
		host, _ := testHost(t)
		if test.module == abi.ModuleKV { // a value to be read
			write := instance(t, host,
				testSpec(scripted(test.module, "goodok",
					[]hostCall{{"set", []int64{4096, 4, 4100, 2, 0}}})))
			results(t, write, 1)
		}
		i := instance(t, host,
			testSpec(scripted(test.module, "goodok", []hostCall{{test.name, test.args}})))
		_, err := i.Handle(t.Context(), podAdd(t))
		want := fmt.Sprintf(`listener "pods": handler crashed in on_event (add of "shop/web-1"): protocol: `+
			"it passed a range of %d bytes at address %d, its memory has 65536 bytes", test.bytes,
			test.at)
		if err == nil || err.Error() != want {
			t.Errorf("%s%v: got  %v\nwant %s", test.name, test.args, err, want)
		}
	}
}

// Before configure there is no kv.v1, in configure there is.
func TestKVPhases(t *testing.T) {
	for _, f := range []string{"get", "set", "delete", "cas"} {
		m := guestModule(imported(abi.ModuleKV, f))
		args := make([]int64, len(imported(abi.ModuleKV, f).Params))
		call := resultOf(imported(abi.ModuleKV, f), 0, args)
		m.Func("_initialize", "", "", "", wasmtest.Store64(1024, call))
		m.Func("configure", "", "i", "", wasmtest.Store64(1032, call), konst(0))
		host, _ := testHost(t)
		i := instance(t, host, testSpec(onEvent(m, konst(0))))
		before, _ := i.guest.memory.ReadUint64Le(1024)
		within, _ := i.guest.memory.ReadUint64Le(1032)
		// the key is empty
		if int64(before) != int64(abi.WrongPhase) || int64(within) != int64(abi.BadArgument) {
			t.Errorf("%s: got %d and %d", f, int64(before), int64(within))
		}
	}
}

// counting is a guest that adds one byte to the value of a key with each event, by cas, and crashes
// at a delete.
func counting() []byte {
	get, cas := imported(abi.ModuleKV, "get"), imported(abi.ModuleKV, "cas")
	m := guestModule(get, cas)
	m.Data(4096, "n")
	again := wasmtest.Loop( // local 4 is the length
		// tee, < 0
		konst(4096), konst(1), konst(0), konst(4000), invoke(0), []byte{0x22, 4}, konst(0),
		[]byte{0x48},
		wasmtest.If(konst(4096), konst(1), konst(0), konst(-1), konst(0), konst(1), konst64(0),
			invoke(1),
			wasmtest.If(konst(0), wasmtest.Return), []byte{0x0c, 0x01}), // br to the loop
		konst(4096), konst(1), konst(0), local(4), konst(0), local(4), konst(1), wasmtest.Add,
		konst64(0), invoke(1),
		wasmtest.If(konst(0), wasmtest.Return))
	return onEvent(m, local(0), konst(int32(event.Delete)), []byte{0x46}, wasmtest.If(unreachable),
		again, unreachable)
}

func kvSpec(grant KVGrant) Spec {
	spec := testSpec(counting())
	spec.Grants.KV = &grant
	return spec
}

func counted(t *testing.T, h *Handler) int {
	t.Helper()
	v, _ := h.store.Get([]byte("n"))
	return len(v)
}

// Instances that count at the same time count right, and what they have counted outlives a crash
// and the handler's replacement, but not the last handler.
func TestKVIsShared(t *testing.T) {
	host, _ := testHost(t)
	first, err := host.Load(t.Context(), kvSpec(KVGrant{}))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			i, err := first.NewInstance(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer i.Close(t.Context())
			for range 100 {
				expectVerdict(t, i, podAdd(t), Done)
			}
			gone := podAdd(t)
			gone.Op = event.Delete
			var crash *CrashError
			if _, err := i.Handle(t.Context(), gone); !errors.As(err, &crash) {
				t.Errorf("got %v", err)
			}
			expectVerdict(t, i, podAdd(t), Done)
		})
	}
	wg.Wait()
	second, err := host.Load(t.Context(), kvSpec(KVGrant{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := counted(t, second); n != 404 {
		t.Errorf("the second handler finds %d, want 404", n)
	}
	if err := second.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	third, err := host.Load(t.Context(), kvSpec(KVGrant{}))
	if err != nil {
		t.Fatal(err)
	}
	if n := counted(t, third); n != 0 {
		t.Errorf("the third handler finds %d", n)
	}
}

func TestKVPersists(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	for day := range 3 {
		host := NewHost(HostConfig{KVPath: path})
		i := instance(t, host, kvSpec(KVGrant{Persist: true}))
		expectVerdict(t, i, podAdd(t), Done)
		if n := counted(t, i.handler); n != day+1 {
			t.Errorf("day %d: counted %d", day, n)
		}
		if err := host.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte("something else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ path, want string }{
		{path, path + ": the file is damaged: invalid database; move it away, or put a copy in its place"},
		{"", "there is no file to keep values in"},
	} {
		host := NewHost(HostConfig{KVPath: test.path})
		_, err := host.Load(t.Context(), kvSpec(KVGrant{Persist: true}))
		if want := `listener "pods": handler guest.wasm: grants: kv: ` + test.want; err == nil ||
			err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if err := host.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadFile(path); string(left) != "something else" {
		t.Errorf("the file now holds %q", left)
	}
	spec := kvSpec(KVGrant{Persist: true})
	spec.Listener = ""
	host, _ := testHost(t)
	_, err := host.Load(t.Context(), spec)
	if want := `listener "": handler guest.wasm: grants: kv: values are kept by the listener's name, which is empty`; err == nil ||
		err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// What a handler has stored is in the file after FlushKV, as a daemon finds it that starts after
// this one was killed.
func TestKVIsFlushed(t *testing.T) {
	dir := t.TempDir()
	host := NewHost(HostConfig{KVPath: filepath.Join(dir, "kv.db")})
	defer host.Close(t.Context())
	flush := func() {
		t.Helper()
		if err := host.FlushKV(""); err != nil {
			t.Fatal(err)
		}
	}
	flush()
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("there is %v, %v without a handler", files, err)
	}
	i := instance(t, host, kvSpec(KVGrant{Persist: true}))
	for n := range 3 {
		expectVerdict(t, i, podAdd(t), Done)
		flush()
		file, err := os.ReadFile(filepath.Join(dir, "kv.db"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "kv.db")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		next := NewHost(HostConfig{KVPath: path})
		h, err := next.Load(t.Context(), kvSpec(KVGrant{Persist: true}))
		if err != nil {
			t.Fatal(err)
		}
		if found := counted(t, h); found != n+1 {
			t.Errorf("the next one finds %d, want %d", found, n+1)
		}
		if err := next.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// backing is a KVBacking in memory.
type backing map[string]map[string]kv.Value

func (b backing) Load(_ context.Context, table string) (map[string]kv.Value, error) {
	return maps.Clone(b[table]), nil
}

func (b backing) Commit(_ context.Context, changes map[string]map[string]*kv.Value) error {
	for table, values := range changes {
		if b[table] == nil {
			b[table] = map[string]kv.Value{}
		}
		for key, v := range values {
			b[table][key] = *v
		}
	}
	return nil
}

// The handlers of a listener in two shards count apart, each in its shard's backing, from where the next
// holder of the shard goes on.
func TestKVOfShards(t *testing.T) {
	host, _ := testHost(t)
	kept := [2]*backing{{}, {}}
	load := func(shard int) *Handler {
		spec := kvSpec(KVGrant{Persist: true})
		spec.Shard, spec.KV = fmt.Sprint(shard), kept[shard]
		h, err := host.Load(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	count := func(h *Handler, want int) {
		t.Helper()
		i, err := h.NewInstance(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		expectVerdict(t, i, podAdd(t), Done)
		if n := counted(t, h); n != want {
			t.Errorf("shard %s counts %d, want %d", h.spec.Shard, n, want)
		}
		if err := i.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	zero, one := load(0), load(1)
	count(zero, 1)
	count(zero, 2)
	count(one, 1)
	if err := host.FlushKV("0"); err != nil {
		t.Error(err)
	}
	if len(*kept[0]) != 1 || len(*kept[1]) != 0 {
		t.Errorf("flushing shard 0 has left %v and %v", *kept[0], *kept[1])
	}
	if err := errors.Join(one.Close(t.Context()), zero.Close(t.Context())); err != nil {
		t.Error(err)
	}
	again := backing(maps.Clone(*kept[0]))
	kept[0] = &again
	count(load(0), 3)
	count(load(1), 2)
}

func TestKVTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, _ := testHost(t)
		defer host.Close(t.Context()) // its goroutines must end within the test
		spec := testSpec(scripted(abi.ModuleKV, "key", []hostCall{
			{"get", []int64{4096, 1, 1024, 10}},
			{"get", []int64{4097, 1, 1024, 10}},
			{"set", []int64{4096, 1, 4096, 1, 1500}},
			{"set", []int64{4097, 1, 4096, 1, 0}},
		}))
		spec.Limits.Deadline = time.Hour
		spec.Grants.KV = &KVGrant{TTL: time.Minute}
		i := instance(t, host, spec)
		for n, step := range []struct {
			after time.Duration
			want  string
		}{
			{0, "[-1 -1 0 0]"},
			{1500*time.Millisecond - 1, "[1 1 0 0]"},
			{1500 * time.Millisecond, "[-1 1 0 0]"},
			{time.Minute - 1, "[-1 1 0 0]"},
			{time.Minute, "[-1 -1 0 0]"},
		} {
			time.Sleep(step.after)
			if got := fmt.Sprint(results(t, i, 4)); got != step.want {
				t.Errorf("step %d: got %s, want %s", n, got, step.want)
			}
		}
	})
}

// A flood of writes to a full store is answered, and costs no more memory than the store may have.
func TestKVFlood(t *testing.T) {
	m := guestModule(imported(abi.ModuleKV, "set"))
	wasm := onEvent(m, wasmtest.Times(4, 100_000, wasmtest.Store(0, local(4)),
		konst(0), konst(4), konst(0), konst(100), konst64(1), invoke(0), drop), konst(0))
	host, _ := testHost(t)
	spec := testSpec(wasm)
	spec.Grants.KV = &KVGrant{Keys: 100}
	i := instance(t, host, spec)
	expectVerdict(t, i, podAdd(t), Done)
	found, store := 0, i.handler.store
	for n := range uint32(100_000) {
		if _, ok := store.Get(binary.LittleEndian.AppendUint32(nil, n)); ok {
			found++
		}
	}
	if found > 100 {
		t.Errorf("it holds %d keys", found)
	}
}

func BenchmarkKV(b *testing.B) {
	value := strings.Repeat("v", 100)
	for _, bench := range []struct {
		name string
		call hostCall
	}{
		{"get", hostCall{"get", []int64{4096, 1, 1024, 200}}},
		{"set", hostCall{"set", []int64{4096, 1, 4097, 100, 0}}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			host, _ := testHost(b)
			i := instance(b, host,
				testSpec(scripted(abi.ModuleKV, "k"+value, []hostCall{bench.call})))
			if err := i.handler.store.Set([]byte("k"), []byte(value),
				0); err != nil {
				b.Fatal(err)
			}
			e := podAdd(b)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := i.Handle(b.Context(), e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
