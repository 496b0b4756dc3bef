package plugins

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// probe is a guest that calls one host function with constant arguments in on_event and keeps the
// result, as an i64 at address 0. The paths are compiled in configure; their texts stand from
// address 2048. Address 1024 is free.
func probe(f abi.Function, paths []string, args ...int64) []byte {
	m := guestModule(imported(abi.ModuleEvent, "path"), f)
	var configure [][]byte
	at := int32(2048)
	for _, p := range paths {
		m.Data(at, p)
		configure = append(configure, konst(at), konst(int32(len(p))), invoke(0), drop)
		at += int32(len(p))
	}
	m.Func("configure", "", "i", "", append(configure, konst(0))...)
	return onEvent(m, wasmtest.Store64(0, resultOf(f, 1, args)), konst(0))
}

// resultOf calls a function and leaves its result as an i64.
func resultOf(f abi.Function, index uint32, args []int64) []byte {
	var code []byte
	for n, a := range args {
		if f.Params[n] == abi.I64 {
			code = append(code, konst64(a)...)
		} else {
			code = append(code, konst(int32(a))...)
		}
	}
	code = append(code, invoke(index)...)
	switch {
	case len(f.Results) == 0:
		code = append(code, konst64(0)...)
	case f.Results[0] == abi.I32:
		code = append(code, 0xac) // i64.extend_i32_s
	}
	return code
}

// run passes an event to a probe, and returns the result and n bytes from address 1024.
func run(t *testing.T, wasm []byte, e event.Event, n uint32) (result int64, written string) {
	t.Helper()
	host, _ := testHost(t)
	i := instance(t, host, testSpec(wasm))
	if _, err := i.Handle(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	mem := i.guest.memory
	b, _ := mem.Read(0, 8)
	text, _ := mem.Read(1024, n)
	return int64(binary.LittleEndian.Uint64(b)), string(text)
}

func podUpdate(t *testing.T) event.Event {
	old := strings.NewReplacer(`"n1"`, `"n0"`, `"resourceVersion":"7"`,
		`"resourceVersion":"6"`).Replace(podText)
	return event.Event{Op: event.Update, Object: newObject(t, podText), Old: newObject(t, old)}
}

func TestEventField(t *testing.T) {
	field := imported(abi.ModuleEvent, "field")
	for _, test := range []struct {
		path        string
		which, room int64
		tag         abi.Tag
		length      uint32
		written     string
	}{
		{"spec.nodeName", 0, 100, abi.TagString, 2, "n1"},
		{"spec.nodeName", 1, 100, abi.TagString, 2, "n0"},
		{"spec.nodeName", 0, 2, abi.TagString, 2, "n1"},
		{"spec.nodeName", 0, 1, abi.TagString, 2, ""},
		{`metadata.labels["app"]`, 0, 100, abi.TagString, 3, "web"},
		{"spec.priority", 0, 100, abi.TagNumber, 2, "10"},
		{"spec.hostNetwork", 0, 100, abi.TagBool, 4, "true"},
		{"spec.x", 0, 100, abi.TagNull, 4, "null"},
		{"status.containerStatuses", 0, 100, abi.TagArray, 20, `[{"restartCount":5}]`},
		{"status.containerStatuses[0]", 0, 100, abi.TagObject, 18, `{"restartCount":5}`},
		{"status.containerStatuses[1]", 0, 100, abi.TagMissing, 0, ""},
		{"spec.nothing", 0, 100, abi.TagMissing, 0, ""},
	} {
		got, written := run(t, probe(field, []string{test.path}, test.which, 0, 1024, test.room),
			podUpdate(t), 64)
		if want := abi.PackField(test.tag, test.length); got != want {
			t.Errorf("%s: got %#x, want %#x", test.path, got, want)
		}
		if written = strings.TrimRight(written, "\x00"); written != test.written {
			t.Errorf("%s: written %q, want %q", test.path, written, test.written)
		}
	}
}

func TestEventStatuses(t *testing.T) {
	field, changed := imported(abi.ModuleEvent, "field"), imported(abi.ModuleEvent, "changed")
	object, path := imported(abi.ModuleEvent, "object"), imported(abi.ModuleEvent, "path")
	size := int64(len(podText))
	for _, test := range []struct {
		name  string
		f     abi.Function
		args  []int64
		event func(*testing.T) event.Event
		want  int64
	}{
		{"field of no old object", field, []int64{1, 0, 1024, 99}, addEvent, 0},
		{"field without a path", field, []int64{0, 1, 1024, 99}, addEvent, -2},
		{"field of a negative path", field, []int64{0, -1, 1024, 99}, addEvent, -2},
		{"field of a third object", field, []int64{2, 0, 1024, 99}, addEvent, -2},
		{"changed", changed, []int64{0}, podUpdate, 1},
		{"changed without a path", changed, []int64{1}, podUpdate, -2},
		{"changed on add", changed, []int64{0}, addEvent, 1},
		{"changed on resync", changed, []int64{0}, resyncEvent, 0},
		{"object", object, []int64{0, 0, 1024, 1 << 15}, addEvent, size},
		{"object in part", object, []int64{0, 0, 1024, 10}, addEvent, 10},
		{"end of the object", object, []int64{0, size - 3, 1024, 10}, addEvent, 3},
		{"behind the object", object, []int64{0, size, 1024, 10}, addEvent, 0},
		{"far behind the object", object, []int64{0, -1, 1024, 10}, addEvent, 0},
		{"no old object", object, []int64{1, 0, 1024, 10}, addEvent, -1},
		{"a third object", object, []int64{2, 0, 1024, 10}, addEvent, -2},
		{"path while an event runs", path, []int64{2048, 4}, addEvent, -6},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, _ := run(t, probe(test.f, []string{"spec.nodeName"}, test.args...), test.event(t),
				0)
			if got != test.want {
				t.Errorf("got %d, want %d", got, test.want)
			}
		})
	}
}

func addEvent(t *testing.T) event.Event { return podAdd(t) }

func resyncEvent(t *testing.T) event.Event {
	e := podAdd(t)
	e.Op = event.Resync
	return e
}

func TestEventObjectCopiesWindow(t *testing.T) {
	_, written := run(t, probe(imported(abi.ModuleEvent, "object"), nil, 0, 2, 1024, 10), podAdd(t),
		12)
	if want := podText[2:12] + "\x00\x00"; written != want {
		t.Errorf("got %q, want %q", written, want)
	}
}

// Field and the others are for on_event only.
func TestWrongPhase(t *testing.T) {
	for _, f := range []abi.Function{
		imported(abi.ModuleEvent, "field"), imported(abi.ModuleEvent, "object"),
		imported(abi.ModuleEvent, "changed"),
		imported(abi.ModuleResult, "emit"),
	} {
		m := guestModule(imported(abi.ModuleEvent, "path"), f)
		args := make([]int64, len(f.Params))
		// The status, made positive, is the result of configure.
		// i64.sub, i32.wrap
		m.Func("configure", "", "i", "", konst64(0), resultOf(f, 1, args), []byte{0x7d, 0xa7})
		host, _ := testHost(t)
		_, err := host.Load(t.Context(), testSpec(onEvent(m, konst(0))))
		want := `listener "pods": handler guest.wasm: handler refuses its configuration: result 6, without a reason`
		if err == nil || err.Error() != want {
			t.Errorf("%s: got %v", f.Name, err)
		}
	}
}

func TestPathErrorsRefuseTheHandler(t *testing.T) {
	// i32.lt_s
	many := wasmtest.Times(0, abi.MaxPaths+1, konst(2048), konst(4), invoke(0), konst(0),
		[]byte{0x48},
		wasmtest.If(konst(1), wasmtest.Return))
	for _, test := range []struct {
		code []byte
		want string
	}{
		{append(append(konst(2048), konst(5)...), invoke(0)...),
			`field path "spec[", offset 4: [ has no ]`},
		{append(append(konst(2048), konst(2000)...), invoke(0)...),
			"a path has 2000 bytes, at most 1024 are allowed"},
		{many, "it compiles more than 256 paths"},
	} {
		m := guestModule(imported(abi.ModuleEvent, "path"))
		m.Data(2048, "spec[")
		if len(test.code) > 30 {
			test.code = append(test.code, konst(0)...)
		}
		m.Func("configure", "", "i", "i", test.code)
		host, _ := testHost(t)
		_, err := host.Load(t.Context(), testSpec(onEvent(m, konst(0))))
		want := `listener "pods": handler guest.wasm: handler refuses its configuration: ` +
			test.want
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestOnEventArguments(t *testing.T) {
	// A guest that keeps op, flags, object_len and old_len from address 1024.
	m := guestModule()
	var code [][]byte
	for n := range uint32(4) {
		code = append(code, wasmtest.Store(1024+4*int32(n), local(n)))
	}
	wasm := onEvent(m, append(code, konst(0))...)
	update := podUpdate(t)
	update.Missed = 3
	first := podAdd(t)
	first.Initial = true
	unknown := podAdd(t)
	unknown.Op, unknown.FinalStateUnknown = event.Delete, true
	resumed := podUpdate(t)
	resumed.Resumed = true
	everything := unknown
	everything.Initial, everything.Missed, everything.Resumed = true, 1, true
	size := uint32(len(podText))
	for _, test := range []struct {
		e    event.Event
		want [4]uint32
	}{
		{first, [4]uint32{1, 1, size, 0}},
		{update, [4]uint32{2, 4, size, size}},
		{unknown, [4]uint32{3, 2, size, 0}},
		{resumed, [4]uint32{2, 8, size, size}},
		{everything, [4]uint32{3, 15, size, 0}},
		{resyncEvent(t), [4]uint32{4, 0, size, 0}},
	} {
		_, written := run(t, wasm, test.e, 16)
		for n, want := range test.want {
			if got := binary.LittleEndian.Uint32([]byte(written[4*n:])); got != want {
				t.Errorf("%v: argument %d is %d, want %d", test.e.Op, n, got, want)
			}
		}
	}
}

func TestConfigGet(t *testing.T) {
	get := imported(abi.ModuleConfig, "get")
	for _, test := range []struct {
		config  string
		room    int64
		want    int64
		written string
	}{
		{"", 10, 2, "{}"},
		{`{"a":1}`, 7, 7, `{"a":1}`},
		{`{"a":1}`, 6, 7, ""},
	} {
		host, _ := testHost(t)
		spec := testSpec(probe(get, nil, 1024, test.room))
		spec.Config = []byte(test.config)
		i := instance(t, host, spec)
		expectVerdict(t, i, podAdd(t), Done)
		b, _ := i.guest.memory.Read(0, 8)
		text, _ := i.guest.memory.Read(1024, 10)
		if got := int64(binary.LittleEndian.Uint64(b)); got != test.want {
			t.Errorf("%q: got %d, want %d", test.config, got, test.want)
		}
		if got := strings.TrimRight(string(text), "\x00"); got != test.written {
			t.Errorf("%q: written %q", test.config, got)
		}
	}
}

// The memory grows to the limit of the configuration and no further.
func TestMemoryIsBounded(t *testing.T) {
	m := &wasmtest.Module{}
	m.Memory(1, -1)
	m.Export("memory", 2, 0)
	m.Func("informerd_abi_v1", "", "", "")
	equal, notEqual := []byte{0x46}, []byte{0x47}
	wasm := onEvent(m,
		// 1 + 16 pages are more than 1 MiB
		wasmtest.Grow(16), konst(-1), notEqual, wasmtest.If(unreachable),
		wasmtest.Grow(15), konst(-1), equal, wasmtest.If(unreachable),
		wasmtest.Grow(1), konst(-1), notEqual, wasmtest.If(unreachable),
		konst(0))
	host, _ := testHost(t)
	expectVerdict(t, instance(t, host, testSpec(wasm)), podAdd(t), Done)
}

// _initialize runs first, then configure, then on_event; the first two once.
func TestOrderOfCalls(t *testing.T) {
	m := guestModule()
	m.Global(0)
	tens := func(digit int32) []byte { // global = global * 10 + digit
		code := append(wasmtest.GetGlobal(0), konst(10)...)
		code = append(append(code, 0x6c), konst(digit)...)
		return append(append(code, 0x6a), wasmtest.SetGlobal(0)...)
	}
	m.Func("_initialize", "", "", "", tens(1))
	m.Func("configure", "", "i", "", tens(2), konst(0))
	wasm := onEvent(m, tens(3), wasmtest.Store(1024, wasmtest.GetGlobal(0)), konst(0))
	host, _ := testHost(t)
	i := instance(t, host, testSpec(wasm))
	for _, want := range []uint32{123, 1233} {
		expectVerdict(t, i, podAdd(t), Done)
		if got, _ := i.guest.memory.ReadUint32Le(1024); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}
