package plugins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// large is an add of an object of a size.
func large(t *testing.T, size int) event.Event {
	t.Helper()
	return event.Event{Op: event.Add,
		Object: newObject(t, strings.Replace(podText, `"spec":{`,
			`"spec":{"big":"`+strings.Repeat("x", size)+`",`, 1))}
}

// What the host does for a guest is paid for like what the guest does itself, by the byte.
func TestHostsWorkIsPaidFor(t *testing.T) {
	const size = 160_000
	e := large(t, size)
	emit := imported(abi.ModuleResult, "emit")
	emits := func() []byte {
		m := guestModule(emit)
		m.Data(0, `"`+strings.Repeat("x", 30_000)+`"`)
		return onEvent(m, konst(int32(abi.EmitData)), konst(0), konst(30_002), invoke(0), drop,
			konst(0))
	}
	manyMissing := make([]string, abi.MaxPrefetch)
	for n := range manyMissing {
		manyMissing[n] = fmt.Sprintf("spec.nothing%d", n)
	}
	for name, test := range map[string]struct {
		wasm []byte
		work int64 // in bytes
	}{
		"event.v1 field": {
			probe(imported(abi.ModuleEvent, "field"), []string{"spec.nothing"}, 0, 0, 1024, 10),
			size},
		"event.v1 changed": {
			probe(imported(abi.ModuleEvent, "changed"), []string{"spec.nothing"}, 0), size},
		"event.v1 object": {
			probe(imported(abi.ModuleEvent, "object"), nil, 0, 0, 1024, 50_000), 50_000},
		"event.v1 prefetch": {prefetching(200, "spec.nothing"), size},
		// One walk is for all fields; each string is read once more.
		"event.v1 prefetch of many fields": {prefetching(2000, manyMissing...), size},
		"event.v1 prefetch of long fields": {
			prefetching(200, "spec.big", "spec.big", "spec.nothing", "spec.big"), 4 * size},
		"result.v1 emit": {emits(), 30_000},
	} {
		t.Run(name, func(t *testing.T) {
			host, _ := testHost(t)
			i := instance(t, host, testSpec(test.wasm))
			expectVerdict(t, i, e, Done)
			if used := i.Fuel(); used < test.work/bytesPerUnit ||
				used > test.work/bytesPerUnit+
					1000 {
				t.Errorf("%d units for %d bytes", used, test.work)
			}
			spec := testSpec(test.wasm)
			spec.Limits.Fuel = i.Fuel() / 2
			_, err := instance(t, host, spec).Handle(t.Context(), e)
			var crash *CrashError
			if !errors.As(err, &crash) || crash.Reason != ReasonFuel {
				t.Errorf("with too little fuel: %v", err)
			}
		})
	}
}

// The fields that are given ahead are part of the call: its deadline ends them before a long object
// is walked through.
func TestPrefetchHasADeadline(t *testing.T) {
	paths := make([]string, abi.MaxPrefetch)
	for n := range paths {
		paths[n] = fmt.Sprintf("spec.nothing%d", n)
	}
	host, _ := testHost(t)
	spec := testSpec(prefetching(2000, paths...))
	spec.Limits.Deadline = time.Nanosecond
	i := instance(t, host, spec)
	_, err := i.Handle(t.Context(), large(t, 100_000))
	expectCrash(t, err, "on_event", ReasonDeadline, "it ran longer than 1ns")
	if i.Fuel() > 100_000/bytesPerUnit+1000 {
		t.Errorf("%d units: it went on after its end", i.Fuel())
	}
}

// All emissions of a batch have a bound of their own, since the host keeps them until the batch is
// done.
func TestEmissionsOfABatchAreBounded(t *testing.T) {
	const each, events = 1 << 20, 20
	m := &wasmtest.Module{}
	m.Import(abi.ModuleEvent, "next", "ii", "i")
	m.Import(abi.ModuleResult, "emit", "iii", "i")
	m.Memory(18, 18)
	m.Export("memory", 2, 0)
	m.Func("informerd_abi_v1", "", "", "")
	m.Func("on_batch", "i", "i", "i",
		konst(1), konst('a'), konst(each-2), bulk(11, 0),
		wasmtest.Store(0, konst('"'|'a'<<8|'a'<<16|'a'<<24)), wasmtest.Store(each-4,
			konst('a'|'a'<<8|'a'<<16|'"'<<24)),
		// while next() >= 0
		[]byte{0x03, 0x40}, konst(each), konst(abi.EventRecord), invoke(0), konst(0), []byte{0x4e},
		wasmtest.If(konst(int32(abi.EmitData)), konst(0), konst(each), invoke(1), drop,
			[]byte{0x0c, 1}), []byte{0x0b}, konst(0))
	host, _ := testHost(t)
	spec := testSpec(m.Bytes())
	spec.Limits.Memory, spec.Limits.Deadline = 8<<20, time.Minute
	i := instance(t, host, spec)
	for range 2 { // each batch has its own
		ops := make([]event.Op, events)
		for n := range ops {
			ops[n] = event.Add
		}
		results, err := i.HandleBatch(t.Context(), batchOf(t, ops...))
		if err != nil {
			t.Fatal(err)
		}
		total := 0
		for _, r := range results {
			for _, e := range r.Emitted {
				total += len(e.Data)
			}
		}
		if total != maxBatchOutput {
			t.Errorf("%d bytes were emitted, %d are allowed", total, maxBatchOutput)
		}
	}
}

// What is written to the log is bounded in the form it has there.
func TestLoggedLinesAreBoundedAsWritten(t *testing.T) {
	for name, text := range map[string]string{
		"NUL": strings.Repeat("\x00", abi.MaxLogLine), "not printable": strings.Repeat("\U0010ffff",
			abi.MaxLogLine/4),
		"quotes": strings.Repeat(`"`, abi.MaxLogLine), "plain": strings.Repeat("a", abi.MaxLogLine),
		"not UTF-8": strings.Repeat("\xffa", abi.MaxLogLine/2),
	} {
		host, log := testHost(t)
		spec := testSpec(verdictGuest(Done))
		spec.Grants.Log = &LogGrant{}
		i := instance(t, host, spec)
		i.handler.log.line(t.Context(), 0, text)
		if n := len(log.String()); n < abi.MaxLogLine/2 || n > abi.MaxLogLine+200 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
}

// A result names the module it is from.
func TestResultsTellTheirModule(t *testing.T) {
	wasm := verdictGuest(Done)
	sum := sha256.Sum256(wasm)
	host, _ := testHost(t)
	r, err := instance(t, host, testSpec(wasm)).Handle(t.Context(), podAdd(t))
	if err != nil || r.Handler != hex.EncodeToString(sum[:]) {
		t.Errorf("got %q, %v", r.Handler, err)
	}
}

// A function's name cannot make lines of its own in the stack.
func TestNamesOfFunctionsAreOneLine(t *testing.T) {
	m := guestModule()
	inner := m.Func("", "", "", "", unreachable)
	m.Custom("name", wasmtest.Section(1,
		wasmtest.Vector(append(wasmtest.Uint(inner), wasmtest.Text("a()\n\t.forged()\r\n\tb")...))))
	host, _ := testHost(t)
	crash := crashOf(t, host, testSpec(onEvent(m, invoke(inner), konst(0))))
	if len(crash.Stack) != 2 || !strings.HasPrefix(crash.Stack[0], "a()??.forged()???b(") {
		t.Errorf("got %q", crash.Stack)
	}
}
