package plugins

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

const bufferAt = 1024 // where prefetching guests have their buffer

// prefetching is a guest that declares fields of the object, or of the old one if their path begins
// with "old:". What prefetch answered is at address 0. Handles stand from address 8.
func prefetching(room int32, paths ...string) []byte {
	m := guestModule(imported(abi.ModuleEvent, "path"), imported(abi.ModuleEvent, "prefetch"))
	var configure [][]byte
	at := int32(8192)
	for n, p := range paths {
		p, old := strings.CutPrefix(p, "old:")
		m.Data(at, p)
		which := konst(0)
		if old {
			which = konst(abi.PrefetchOld)
		}
		configure = append(configure,
			wasmtest.Store(8+4*int32(n), append(append(append(konst(at), konst(int32(len(p)))...),
				invoke(0)...), append(which, wasmtest.Add...)...)))
		at += int32(len(p))
	}
	configure = append(configure,
		wasmtest.Store(0, append(
			append(append(append(konst(bufferAt), konst(room)...), konst(8)...),
				konst(int32(len(paths)))...), invoke(1)...)), konst(0))
	m.Func("configure", "", "i", "", configure...)
	return onEvent(m, konst(0))
}

// buffered reads the buffer as a guest does: tag and text of each field, or its length if it does
// not fit.
func buffered(t *testing.T, i *Instance, room uint32) string {
	t.Helper()
	b, _ := i.guest.memory.Read(bufferAt, room)
	var fields []string
	for n := range binary.LittleEndian.Uint32(b) {
		e := b[4+12*n:]
		tag, length, at := binary.LittleEndian.Uint32(e), binary.LittleEndian.Uint32(e[4:]),
			binary.LittleEndian.Uint32(e[8:])
		text := fmt.Sprintf("%d bytes", length)
		if at != 0 {
			text = string(b[at : at+length])
		}
		fields = append(fields, fmt.Sprintf("%d:%s", tag, text))
	}
	return strings.Join(fields, " ")
}

func TestPrefetch(t *testing.T) {
	all := []string{"spec.nodeName", `metadata.labels["app"]`, "spec.priority", "spec.nothing",
		"spec.x", "status.containerStatuses"}
	for _, test := range []struct {
		name  string
		room  uint32
		paths []string
		event func(*testing.T) event.Event
		want  string
	}{
		{"every kind", 200, all, addEvent, `4:n1 4:web 3:10 0: 1:null 5:[{"restartCount":5}]`},
		{"no room for the first", 17, []string{"spec.nodeName", "spec.nothing"}, addEvent, ""},
		{"what is long does not fit", 4 + 3*12 + 5,
			[]string{"status", "spec.nodeName", "spec.hostNetwork"}, addEvent,
			"6:60 bytes 4:n1 2:4 bytes"},
		{"it fits to the last byte", 4 + 12 + 2, []string{"spec.nodeName"}, addEvent, "4:n1"},
		{"it is one byte too long", 4 + 12 + 1, []string{"spec.nodeName"}, addEvent, "4:2 bytes"},
		{"missing takes no room", 4 + 12, []string{"spec.nothing"}, addEvent, "0:"},
		{"old and new", 200, []string{"old:spec.nodeName", "spec.nodeName"}, podUpdate,
			"4:n0 4:n1"},
		{"there is no old object", 200, []string{"old:spec.nodeName", "spec.nodeName"}, addEvent,
			"0: 4:n1"},
		{"none", 0, nil, addEvent, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			host, _ := testHost(t)
			i := instance(t, host, testSpec(prefetching(int32(test.room), test.paths...)))
			for range 2 {
				expectVerdict(t, i, test.event(t), Done)
				status, _ := i.guest.memory.ReadUint32Le(0)
				want := int32(0)
				if test.want == "" && test.room > 0 {
					want = int32(abi.BadArgument)
				}
				if int32(status) != want {
					t.Errorf("the status is %d, want %d", int32(status), want)
				}
				if test.room > 0 {
					if got := buffered(t, i, test.room); got != test.want {
						t.Errorf("got  %s\nwant %s", got, test.want)
					}
				}
			}
		})
	}
}

// A packed object's fields are read without unpacking it.
func TestPrefetchOfPackedObjects(t *testing.T) {
	var p object.Parser
	text := func(n int) []byte {
		return []byte(strings.ReplaceAll(podText, "web-1", fmt.Sprintf("web-%d", n)))
	}
	host, _ := testHost(t)
	i := instance(t, host, testSpec(prefetching(200, "metadata.name", "spec.nodeName")))
	for n := range 5 {
		o, err := p.Parse(text(n))
		if err != nil {
			t.Fatal(err)
		}
		expectVerdict(t, i, event.Event{Op: event.Add, Object: o.Stored()}, Done)
		if got, want := buffered(t, i, 200), fmt.Sprintf("4:web-%d 4:n1", n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestPrefetchStatuses(t *testing.T) {
	prefetch := imported(abi.ModuleEvent, "prefetch")
	for _, test := range []struct {
		name string
		args []int64
		want int64
	}{
		{"a handle that is not there", []int64{1024, 100, 16, 1}, -2}, // 5 at address 16
		{"a negative handle", []int64{1024, 100, 20, 1}, -2},
		{"the old object's handle that is not there", []int64{1024, 100, 24, 1}, -2},
		{"too many handles", []int64{1024, 32768, 0, 65}, -2},
		{"a negative number of handles", []int64{1024, 32768, 0, -1}, -2},
		{"no room for the head", []int64{1024, 15, 8, 1}, -2},
		{"no room at all", []int64{1024, 0, 8, 1}, -2},
		{"good", []int64{1024, 16, 8, 1}, 0},
		{"64 times the same", []int64{1024, 772, 28, 64}, 0},
	} {
		m := guestModule(imported(abi.ModuleEvent, "path"), prefetch)
		m.Data(16, "\x05\x00\x00\x00\xff\xff\xff\xff\x01\x00\x01\x00")
		m.Data(8192, "spec")
		m.Func("configure", "", "i", "", konst(8192), konst(4), invoke(0), drop,
			wasmtest.Store64(0, resultOf(prefetch, 1, test.args)), konst(0))
		host, _ := testHost(t)
		i := instance(t, host, testSpec(onEvent(m, konst(0))))
		if got, _ := i.guest.memory.ReadUint64Le(0); int64(got) != test.want {
			t.Errorf("%s: got %d, want %d", test.name, int64(got), test.want)
		}
	}
	got, _ := run(t, probe(prefetch, nil, 1024, 100, 0, 0), podAdd(t), 0)
	if got != int64(abi.WrongPhase) {
		t.Errorf("in on_event: got %d", got)
	}
}

// A buffer or a list of handles outside of the memory is a crash in configure, so that there is
// none later.
func TestPrefetchBadPointers(t *testing.T) {
	for _, test := range []struct {
		args      []int64
		bytes, at uint32
	}{
		{[]int64{65530, 16, 8, 1}, 16, 65530},
		{[]int64{-1, 16, 8, 1}, 16, 1<<32 - 1},
		{[]int64{0, -1, 8, 1}, 1<<32 - 1, 0},
		{[]int64{0, 16, 65534, 1}, 4, 65534},
		{[]int64{0, 16, -4, 1}, 4, 1<<32 - 4},
	} {
		m := guestModule(imported(abi.ModuleEvent, "prefetch"))
		m.Func("configure", "", "i", "", resultOf(imported(abi.ModuleEvent, "prefetch"), 0,
			test.args), drop, konst(0))
		host, _ := testHost(t)
		_, err := host.Load(t.Context(), testSpec(onEvent(m, konst(0))))
		want := fmt.Sprintf(`listener "pods": handler guest.wasm: handler crashed in configure: protocol: `+
			"it passed a range of %d bytes at address %d, its memory has 65536 bytes", test.bytes,
			test.at)
		var crash *CrashError
		if !errors.As(err, &crash) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// The last call counts, and one that is refused changes nothing.
func TestPrefetchIsDeclaredAgain(t *testing.T) {
	for _, test := range []struct {
		name string
		then []int64
		want string
	}{
		{"another buffer", []int64{bufferAt, 100, 12, 1}, "4:Running"},
		{"refused", []int64{bufferAt, 1, 12, 1}, "4:n1"},
		{"ended", []int64{0, 0, 0, 0}, ""},
	} {
		path, prefetch := imported(abi.ModuleEvent, "path"), imported(abi.ModuleEvent, "prefetch")
		m := guestModule(path, prefetch)
		m.Data(12, "\x01")
		m.Data(8192, "spec.nodeNamestatus.phase")
		m.Func("configure", "", "i", "",
			konst(8192), konst(13), invoke(0), drop,
			konst(8205), konst(12), invoke(0), drop,
			resultOf(prefetch, 1, []int64{bufferAt, 100, 8, 1}), drop, resultOf(prefetch, 1,
				test.then), drop, konst(0))
		host, _ := testHost(t)
		i := instance(t, host, testSpec(onEvent(m, konst(0))))
		expectVerdict(t, i, podAdd(t), Done)
		if got := buffered(t, i, 100); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

// twoPrefetched is twoFields with prefetch: it traps unless both fields are there and fit.
func twoPrefetched() []byte {
	return allPrefetched("status.phase", "status.containerStatuses[0].restartCount")
}

// allPrefetched traps unless all the fields are there and fit.
func allPrefetched(paths ...string) []byte {
	m := guestModule(imported(abi.ModuleEvent, "path"), imported(abi.ModuleEvent, "prefetch"))
	m.Data(8192, strings.Join(paths, ""))
	var configure, check [][]byte
	at, isZero := int32(8192), []byte{0x45}
	for n, path := range paths {
		handle := 8 + 4*int32(n)
		configure = append(configure,
			wasmtest.Store(handle, append(append(konst(at), konst(int32(len(path)))...),
				invoke(0)...)))
		at += int32(len(path))
		check = append(check, wasmtest.Load(bufferAt+abi.PrefetchHead+8+abi.PrefetchEntry*int32(n)),
			isZero, wasmtest.If(unreachable))
	}
	configure = append(configure, konst(bufferAt), konst(2000), konst(8), konst(int32(len(paths))),
		invoke(1))
	m.Func("configure", "", "i", "", configure...)
	return onEvent(m, append(check, konst(0))...)
}

// sixteenFields are some that podText has.
var sixteenFields = []string{
	"apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.resourceVersion",
	"metadata.labels", "metadata.uid",
	"spec.nodeName", "spec.priority", "spec.hostNetwork", "spec.x", "spec", "status.phase",
	"status.containerStatuses",
	"status.containerStatuses[0].restartCount", "status",
}

// Two fields of a pod, read by two calls of field and by prefetch, on their own and besides what
// any event costs; and sixteen.
func BenchmarkTwoFields(b *testing.B) {
	for _, bench := range []struct {
		name string
		wasm []byte
	}{
		{"nothing", nothing()}, {"field", twoFields()}, {"prefetch", twoPrefetched()},
		{"prefetch one", allPrefetched("status.phase")}, {
			"prefetch sixteen", allPrefetched(sixteenFields...)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			host, _ := testHost(b)
			i := instance(b, host, Spec{Listener: "pods", Wasm: bench.wasm})
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
