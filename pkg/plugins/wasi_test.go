package plugins

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// A guest may import every host function, and each has something to do.
func TestEveryHostFunctionLoads(t *testing.T) {
	m := &wasmtest.Module{}
	for _, f := range abi.Imports {
		if !slices.ContainsFunc(hostFunctions, func(h abi.Function) bool {
			return h.Module == f.Module && h.Name == f.Name
		}) {
			t.Fatalf("%s %s has no body", f.Module, f.Name)
		}
	}
	for _, f := range hostFunctions {
		m.Import(f.Module, f.Name, short(f.Params), short(f.Results))
	}
	m.Memory(1, 1)
	m.Export("memory", 2, 0)
	m.Func("informerd_abi_v1", "", "", "")
	host, _ := testHost(t)
	instance(t, host, withRights(t, testSpec(onEvent(m, konst(0)))))
}

func TestWASIResults(t *testing.T) {
	for _, test := range []struct {
		name    string
		args    []int64
		want    int64
		written string // from address 1024, without zeros at the end
	}{
		{"args_get", []int64{1024, 1028}, 0, "\x04\x04\x00\x00handler"},
		{"args_sizes_get", []int64{1024, 1028}, 0, "\x01\x00\x00\x00\x08"},
		{"environ_get", []int64{1024, 1024}, 0, ""},
		{"environ_sizes_get", []int64{1024, 1028}, 0, ""},
		{"clock_res_get", []int64{0, 1024}, 0, "\xe8\x03"},
		{"clock_res_get", []int64{2, 1024}, 28, ""},
		{"clock_time_get", []int64{2, 0, 1024}, 28, ""},
		{"sched_yield", nil, 0, ""},
		{"random_get", []int64{1024, 65537}, 28, ""},
		{"poll_oneoff", []int64{0, 1024, 0, 2000}, 28, ""},
		{"poll_oneoff", []int64{0, 1024, 65, 2000}, 28, ""},
		{"fd_close", []int64{1}, 0, ""},
		{"fd_close", []int64{3}, 8, ""},
		{"fd_fdstat_get", []int64{2, 1024}, 0, "\x02\x00\x00\x00\x00\x00\x00\x00\x40"},
		{"fd_fdstat_get", []int64{3, 1024}, 8, ""},
		{"fd_fdstat_set_flags", []int64{1, 4}, 0, ""},
		{"fd_read", []int64{0, 0, 0, 1024}, 0, ""},
		{"fd_read", []int64{1, 0, 0, 1024}, 8, ""},
		{"fd_seek", []int64{1, 0, 0, 1024}, 70, ""},
		{"fd_seek", []int64{9, 0, 0, 1024}, 8, ""},
		{"fd_write", []int64{0, 0, 0, 1024}, 8, ""},
		{"fd_write", []int64{3, 0, 0, 1024}, 8, ""},
		{"fd_write", []int64{1, 0, 1025, 1024}, 28, ""},
		{"fd_prestat_get", []int64{3, 1024}, 8, ""},
		{"fd_readdir", []int64{3, 1024, 10, 0, 2000}, 8, ""},
		{"path_open", []int64{3, 0, 1024, 1, 0, 0, 0, 0, 2000}, 76, ""},
		{"path_unlink_file", []int64{3, 1024, 1}, 76, ""},
	} {
		got, written := run(t, probe(imported(abi.ModuleWASI, test.name), nil, test.args...),
			podAdd(t), 64)
		if written = strings.TrimRight(written, "\x00"); got != test.want ||
			written != test.written {
			t.Errorf("%s%v: got %d, %q, want %d, %q", test.name, test.args, got, written, test.want,
				test.written)
		}
	}
}

func TestWASIClocksAndRandom(t *testing.T) {
	get := imported(abi.ModuleWASI, "clock_time_get")
	_, written := run(t, probe(get, nil, 0, 0, 1024), podAdd(t), 8)
	now := time.Unix(0, int64(binary.LittleEndian.Uint64([]byte(written))))
	if d := time.Since(now); d < 0 || d > time.Minute {
		t.Errorf("the clock is wrong by %v", d)
	}
	if _, written = run(t, probe(get, nil, 1, 0, 1024), podAdd(t), 8); written == strings.Repeat(
		"\x00", 8) {
		t.Error("the monotonic clock is at 0")
	}
	random := probe(imported(abi.ModuleWASI, "random_get"), nil, 1024, 16)
	_, first := run(t, random, podAdd(t), 20)
	_, second := run(t, random, podAdd(t), 20)
	if first[:16] == second[:16] || first[16:] != "\x00\x00\x00\x00" {
		t.Errorf("got %x and %x", first, second)
	}
}

// A guest that sleeps for an hour goes on at once, and its monotonic clock has moved by that hour.
func TestWASISleepReturnsAtOnce(t *testing.T) {
	poll, clock := imported(abi.ModuleWASI, "poll_oneoff"), imported(abi.ModuleWASI,
		"clock_time_get")
	for _, test := range []struct {
		absolute byte
		timeout  func() time.Duration
	}{
		{0, func() time.Duration { return time.Hour }},
		{1, func() time.Duration { return time.Since(wasiStarted) + time.Hour }},
	} {
		subscriptions := make([]byte, 96)
		subscriptions[0] = 42                                // what the guest knows it by
		binary.LittleEndian.PutUint32(subscriptions[16:], 1) // the monotonic clock
		binary.LittleEndian.PutUint64(subscriptions[24:], uint64(test.timeout()))
		subscriptions[40] = test.absolute
		subscriptions[48], subscriptions[56] = 43, 1 // another one, to a file
		m := guestModule(poll, clock)
		m.Data(0, string(subscriptions))
		wasm := onEvent(m,
			konst(1), konst64(0), konst(1000), invoke(1), drop,
			konst(0), konst(1024), konst(2), konst(1008), invoke(0), drop,
			konst(1), konst64(0), konst(1016), invoke(1), drop,
			konst(0))
		host, _ := testHost(t)
		i := instance(t, host, testSpec(wasm))
		expectVerdict(t, i, podAdd(t), Done)
		mem := i.guest.memory
		before, _ := mem.ReadUint64Le(1000)
		after, _ := mem.ReadUint64Le(1016)
		if d := time.Duration(after - before); d < time.Hour-time.Minute ||
			d > time.Hour+time.Minute {
			t.Errorf("the clock moved by %v", d)
		}
		if n, _ := mem.ReadUint32Le(1008); n != 2 {
			t.Errorf("%d events, want 2", n)
		}
		first, _ := mem.Read(1024, 32)
		second, _ := mem.Read(1056, 32)
		if first[0] != 42 || first[8] != 0 || first[10] != 0 {
			t.Errorf("the clock's event is %x", first)
		}
		if second[0] != 43 || second[8] != wasiBadFile || second[10] != 1 {
			t.Errorf("the file's event is %x", second)
		}
	}
}

// printing is a guest that writes a text to a file, in two parts, as often as is said.
func printing(fd, times int32, text string) []byte {
	m := guestModule(imported(abi.ModuleWASI, "fd_write"))
	half := len(text) / 2
	var vectors []byte
	for _, v := range []int{1024, half, 1024 + half, len(text) - half} {
		vectors = binary.LittleEndian.AppendUint32(vectors, uint32(v))
	}
	m.Data(0, string(vectors))
	m.Data(1024, text)
	return onEvent(m, wasmtest.Times(4, times, konst(fd), konst(0), konst(2), konst(100), invoke(0),
		drop), konst(0))
}

func TestWASIOutputGoesToTheLog(t *testing.T) {
	for _, test := range []struct {
		fd   int32
		text string
		want string
	}{
		{1, "hello\nworld\n", "level=INFO msg=hello listener=pods from=\"handler stdout\"\n" +
			"level=INFO msg=world listener=pods from=\"handler stdout\"\n"},
		{2, "panic: x\n", "level=WARN msg=\"panic: x\" listener=pods from=\"handler stderr\"\n"},
		{1, "not complete", ""},
	} {
		host, log := testHost(t)
		i := instance(t, host, testSpec(printing(test.fd, 1, test.text)))
		expectVerdict(t, i, podAdd(t), Done)
		if written, _ := i.guest.memory.ReadUint32Le(100); int(written) != len(test.text) {
			t.Errorf("%d bytes were taken of %d", written, len(test.text))
		}
		if log.String() != test.want {
			t.Errorf("got  %s\nwant %s", log, test.want)
		}
	}
}

func TestWASIOutputFlood(t *testing.T) {
	host, log := testHost(t)
	text := strings.Repeat(strings.Repeat("x", 9)+"\n", 1000)
	expectVerdict(t, instance(t, host, testSpec(printing(1, 1000, text))), podAdd(t), Done)
	lines := strings.Count(log.String(), "\n")
	if most := outputLinesPerSecond * (burst +
		10); lines < outputLinesPerSecond*burst ||
		lines > most {
		t.Errorf("%d lines were logged, at most %d may be", lines, most)
	}
}

// The host takes only so much at once, so that the deadline has its chance.
func TestWASIWriteIsPartial(t *testing.T) {
	host, _ := testHost(t)
	m := guestModule(imported(abi.ModuleWASI, "fd_write"))
	var vectors []byte
	for range 3 {
		vectors = binary.LittleEndian.AppendUint32(vectors, 1024)
		vectors = binary.LittleEndian.AppendUint32(vectors, 40_000)
	}
	m.Data(0, string(vectors))
	i := instance(t, host, testSpec(onEvent(m, konst(1), konst(0), konst(3), konst(100), invoke(0),
		drop, konst(0))))
	expectVerdict(t, i, podAdd(t), Done)
	if written, _ := i.guest.memory.ReadUint32Le(100); written != wasiMaxWrite {
		t.Errorf("%d bytes were taken, want %d", written, wasiMaxWrite)
	}
}
