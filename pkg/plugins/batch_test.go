package plugins

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

const recordAt = 1024 // where batch guests have the record

// onBatch adds on_batch with some code that leaves a verdict, with two local variables behind its
// parameter.
func onBatch(m *wasmtest.Module, code ...[]byte) []byte {
	m.Func("on_batch", "i", "i", "ii", code...)
	return m.Bytes()
}

// next calls next, which is import 0, and leaves the result.
func next() []byte {
	return append(append(konst(recordAt), konst(abi.EventRecord)...), invoke(0)...)
}

// forEach runs code for each event of the batch.
func forEach(code ...[]byte) []byte {
	isNegative := append(konst(0), 0x48)
	end := []byte{0x0d, 0x01} // br_if out of the block around the loop
	block := []byte{0x02, 0x40}
	all := append(block, wasmtest.Loop(append([][]byte{next(), isNegative, end}, code...)...)...)
	return append(all, 0x0b)
}

// setVerdict stores a verdict into the record.
func setVerdict(v int32) []byte { return wasmtest.Store(recordAt+abi.RecordVerdict, konst(v)) }

// isOp compares the op in the record.
func isOp(op event.Op) []byte {
	return append(append(wasmtest.Load(recordAt), konst(int32(op))...), 0x46)
}

// sorting is a guest that keeps updates with data, drops adds, fails deletes with a text, and says
// nothing about resyncs.
func sorting(verdict int32) []byte {
	m := guestModule(imported(abi.ModuleEvent, "next"), imported(abi.ModuleResult, "emit"),
		imported(abi.ModuleResult, "error"))
	m.Data(4096, `[1]no more`)
	emit := append(append(append(konst(2), konst(4096)...), konst(3)...),
		append(invoke(1), drop...)...)
	return onBatch(m, forEach(
		isOp(event.Update), wasmtest.If(emit, setVerdict(0)),
		isOp(event.Add), wasmtest.If(emit, setVerdict(1)),
		isOp(event.Delete), wasmtest.If(konst(4099), konst(7), invoke(2), setVerdict(3)),
	), konst(verdict))
}

func batchOf(t testing.TB, ops ...event.Op) []event.Event {
	var events []event.Event
	for n, op := range ops {
		text := strings.ReplaceAll(podText, "web-1", fmt.Sprintf("web-%d", n))
		e := event.Event{Op: op, Object: newObject(t, text)}
		if op == event.Update {
			e.Old = e.Object
		}
		events = append(events, e)
	}
	return events
}

func texts(results []Result) string {
	var all []string
	for _, r := range results {
		text := r.Verdict.String()
		if r.Message != "" {
			text += " " + r.Message
		}
		for _, e := range r.Emitted {
			text += " " + e.Kind.String() + " " + string(e.Data)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func TestBatch(t *testing.T) {
	const add, update, gone, resync = event.Add, event.Update, event.Delete, event.Resync
	for _, test := range []struct {
		verdict int32
		ops     []event.Op
		want    string
	}{
		{0, []event.Op{add, update, gone, resync}, "drop, done data [1], fail no more, done"},
		{2, []event.Op{resync, gone, update, update, resync},
			"retry, fail no more, done data [1], done data [1], retry"},
		{3, []event.Op{update}, "done data [1]"},
		{1, []event.Op{resync}, "drop"},
	} {
		host, _ := testHost(t)
		i := instance(t, host, testSpec(sorting(test.verdict)))
		if !i.handler.Batches() {
			t.Error("it takes no batches")
		}
		for range 2 {
			results, err := i.HandleBatch(t.Context(), batchOf(t, test.ops...))
			if got := texts(results); err != nil || got != test.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, test.want)
			}
		}
		// A single event is a batch of one.
		r, err := i.Handle(t.Context(), batchOf(t, test.ops...)[0])
		if want, _, _ := strings.Cut(test.want, ", "); err != nil || texts([]Result{r}) != want {
			t.Errorf("got  %s, %v\nwant %s", texts([]Result{r}), err, want)
		}
	}
}

// The verdict of the batch counts for those that were not pulled, too.
func TestBatchThatIsNotPulled(t *testing.T) {
	m := guestModule(imported(abi.ModuleEvent, "next"))
	wasm := onBatch(m, next(), drop, setVerdict(3), next(), drop, wasmtest.Store(0, local(0)),
		konst(1))
	host, _ := testHost(t)
	i := instance(t, host, testSpec(wasm))
	results, err := i.HandleBatch(t.Context(), batchOf(t, 1, 1, 1, 1))
	if got := texts(results); err != nil || got != "fail, drop, drop, drop" {
		t.Errorf("got %s, %v", got, err)
	}
	if n, _ := i.guest.memory.ReadUint32Le(0); n != 4 {
		t.Errorf("on_batch was called with %d", n)
	}
	if results, err := i.HandleBatch(t.Context(), nil); results != nil || err != nil {
		t.Errorf("no events: %v, %v", results, err)
	}
}

// A guest without on_batch gets one event after the other; what it made of those before a crash is
// not lost.
func TestBatchForEventGuest(t *testing.T) {
	host, _ := testHost(t)
	i := instance(t, host, testSpec(crashing(nil, unreachable)))
	if i.handler.Batches() {
		t.Error("it takes batches")
	}
	results, err := i.HandleBatch(t.Context(), batchOf(t, 1, 1, 3, 1))
	var crash *CrashError
	if got := texts(results); got != "drop, done" || !errors.As(err, &crash) ||
		crash.Object.Name != "web-2" {
		t.Errorf("got %s, %v", got, err)
	}
}

// A guest with both exports gets single events by the one and batches by the other.
func TestBatchBesidesEvents(t *testing.T) {
	m := guestModule()
	m.Func("on_batch", "i", "i", "", konst(1))
	host, _ := testHost(t)
	i := instance(t, host, testSpec(onEvent(m, konst(2))))
	expectVerdict(t, i, podAdd(t), Retry)
	if results, err := i.HandleBatch(t.Context(), batchOf(t, 1)); err != nil ||
		texts(results) != "drop" {
		t.Errorf("got %s, %v", texts(results), err)
	}
}

func TestNextRecord(t *testing.T) {
	m := guestModule(imported(abi.ModuleEvent, "next"))
	// It copies the record to address 0, then asks again.
	var code [][]byte
	code = append(code, wasmtest.Store(32, next()))
	for n := range int32(5) {
		code = append(code, wasmtest.Store(4*n, wasmtest.Load(recordAt+4*n)))
	}
	code = append(code, wasmtest.Store(36, next()), wasmtest.Store(40, next()), konst(0))
	host, _ := testHost(t)
	i := instance(t, host, testSpec(onBatch(m, code...)))
	e := podUpdate(t)
	e.Missed, e.Resumed = 2, true
	expectVerdict(t, i, e, Done)
	b, _ := i.guest.memory.Read(0, 44)
	size := int32(len(podText))
	for n, want := range map[int]int32{0: 2, 1: 4 | 8, 2: size, 3: size, 4: -1, 8: 20, 9: -1,
		10: -1} {
		if got := int32(binary.LittleEndian.Uint32(b[4*n:])); got != want {
			t.Errorf("word %d is %d, want %d", n, got, want)
		}
	}
}

func TestNextStatuses(t *testing.T) {
	// In on_event there is no batch.
	f := imported(abi.ModuleEvent, "next")
	if got, _ := run(t, probe(f, nil, 1024, 100), podAdd(t), 0); got != int64(abi.WrongPhase) {
		t.Errorf("in on_event: got %d", got)
	}
	for _, test := range []struct {
		room int64
		want int64
	}{{19, -2}, {0, -2}, {20, 20}, {-1, 20}} {
		m := guestModule(f)
		wasm := onBatch(m, wasmtest.Store64(0, resultOf(f, 0, []int64{1024, test.room})), konst(0))
		host, _ := testHost(t)
		i := instance(t, host, testSpec(wasm))
		expectVerdict(t, i, podAdd(t), Done)
		if got, _ := i.guest.memory.ReadUint64Le(0); int64(got) != test.want {
			t.Errorf("with room for %d: got %d, want %d", test.room, int64(got), test.want)
		}
	}
}

// Before the first event of a batch and behind the last there is no event to read.
func TestBatchPhases(t *testing.T) {
	for _, name := range []string{"field", "object", "changed", "emit"} {
		module := abi.ModuleEvent
		if name == "emit" {
			module = abi.ModuleResult
		}
		f := imported(module, name)
		m := guestModule(imported(abi.ModuleEvent, "next"), f)
		call := resultOf(f, 1, make([]int64, len(f.Params)))
		wasm := onBatch(m, wasmtest.Store64(0, call), next(), drop, wasmtest.Store64(8, call),
			next(), drop, wasmtest.Store64(16, call), konst(0))
		host, _ := testHost(t)
		i := instance(t, host, testSpec(wasm))
		expectVerdict(t, i, podAdd(t), Done)
		b, _ := i.guest.memory.Read(0, 24)
		wrong := int64(abi.WrongPhase)
		for n, want := range []bool{true, false, true} {
			if got := int64(binary.LittleEndian.Uint64(b[8*n:])); (got == wrong) != want {
				t.Errorf("%s, time %d: got %d", name, n, got)
			}
		}
	}
}

func TestBatchPrefetches(t *testing.T) {
	m := guestModule(imported(abi.ModuleEvent, "next"), imported(abi.ModuleEvent, "path"),
		imported(abi.ModuleEvent, "prefetch"))
	m.Data(8192, "metadata.name")
	m.Func("configure", "", "i", "", konst(8192), konst(13), invoke(1), drop,
		konst(2048), konst(100), konst(512), konst(1), invoke(2)) // zeros are at 512
	wasm := onBatch(m, forEach(
		wasmtest.Store(0, append(append(wasmtest.Load(0), wasmtest.Load(2048+16+1)...),
			wasmtest.Add...))), konst(0))
	host, _ := testHost(t)
	i := instance(t, host, testSpec(wasm))
	if _, err := i.HandleBatch(t.Context(), batchOf(t, 1, 1, 1)); err != nil {
		t.Fatal(err)
	}
	var want uint32 // the sum of bytes 1 to 4 of web-0, web-1 and web-2
	for n := range 3 {
		want += binary.LittleEndian.Uint32(fmt.Appendf(nil, "eb-%d", n))
	}
	if got, _ := i.guest.memory.ReadUint32Le(0); got != want {
		t.Errorf("got %#x, want %#x", got, want)
	}
}

// A crash is one of the batch; it names the event that was pulled last.
func TestBatchCrashes(t *testing.T) {
	at := func(code ...[]byte) []byte { // code runs for the second event
		m := guestModule(imported(abi.ModuleEvent, "next"))
		return onBatch(m, next(), drop, next(), drop, slices.Concat(code...), konst(0))
	}
	host, log := testHost(t)
	for _, test := range []struct {
		name, object string
		wasm         []byte
		reason       Reason
		cause        string
	}{
		{"trap", "web-1", at(unreachable), ReasonTrap, "wasm error: unreachable"},
		{"late", "web-1", at(wasmtest.Forever), ReasonDeadline, "it ran longer than 300ms"},
		{"bad verdict in a record", "web-1", at(setVerdict(4), next(), drop), ReasonProtocol,
			"the verdict in the record of event 1 of the " +
				"batch is 4, it must be 0 (done), 1 (drop), 2 (retry), 3 (fail) or -1 (that of the batch)"},
		{"bad verdict in the last record", "web-1", at(setVerdict(-2)), ReasonProtocol,
			"the verdict in the record of event 1 of the " +
				"batch is -2, it must be 0 (done), 1 (drop), 2 (retry), 3 (fail) or -1 (that of the batch)"},
		{"bad verdict", "web-0", onBatch(guestModule(), konst(4)), ReasonProtocol,
			"its result is 4, it must be 0 (done), 1 (drop), 2 (retry) or 3 (fail)"},
		{"bad pointer", "web-1", at(konst(65530), konst(20), invoke(0), drop), ReasonProtocol,
			"it passed a range of 20 bytes at address 65530, its memory has 65536 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			log.Reset()
			spec := testSpec(test.wasm)
			if test.reason == ReasonDeadline {
				spec.Limits.Deadline = 100 * time.Millisecond // of each of three
			}
			i := instance(t, host, spec)
			results, err := i.HandleBatch(t.Context(), batchOf(t, 1, 2, 3))
			var crash *CrashError
			if results != nil || !errors.As(err, &crash) {
				t.Fatalf("got %v, %v", results, err)
			}
			cause, _, _ := strings.Cut(untimed(crash.Cause), "\n")
			if cause = strings.TrimSuffix(cause,
				" (recovered by wazero)"); crash.Func != "on_batch" ||
				crash.Reason != test.reason ||
				crash.Object.Name != test.object || cause != test.cause {
				t.Errorf("got %v", err)
			}
			if i.guest != nil {
				t.Error("the instance is still there")
			}
			if n := strings.Count(log.String(), "func=on_batch"); n != 1 {
				t.Errorf("logged %d times:\n%s", n, log)
			}
		})
	}
}

// Limits of output are those of each event, not of the batch.
func TestBatchEmissions(t *testing.T) {
	host, _ := testHost(t)
	spec := testSpec(sorting(0))
	spec.Grants.Emit = &EmitGrant{Count: 1, Bytes: 3}
	results, err := instance(t, host, spec).HandleBatch(t.Context(), batchOf(t, 2, 2, 2))
	if got := texts(results); err != nil || got != "done data [1], done data [1], done data [1]" {
		t.Errorf("got %s, %v", got, err)
	}
}

func BenchmarkBatch(b *testing.B) {
	m := guestModule(imported(abi.ModuleEvent, "next"))
	wasm := onBatch(m, forEach(), konst(0))
	for _, n := range []int{1, 16, 256} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			host, _ := testHost(b)
			i := instance(b, host, Spec{Listener: "pods", Wasm: wasm})
			events := batchOf(b, make([]event.Op, n)...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := i.HandleBatch(b.Context(), events); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/event")
		})
	}
}
