package hostile

import (
	"encoding/binary"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// The functions of WASI that the cases use, numbered as they are imported.
const (
	exit = iota
	write
	read
	random
	clock
	poll
	yield
)

var wasiImports = []struct{ name, params, results string }{
	{"proc_exit", "i", ""}, {"fd_write", "iiii", "i"}, {"fd_read", "iiii", "i"}, {
		"random_get", "ii", "i"},
	{"clock_time_get", "iIi", "i"}, {"poll_oneoff", "iiii", "i"}, {"sched_yield", "", "i"},
}

// Where a program has its vectors, which point to a text of 1 MiB, and its subscriptions.
const (
	atVectors       = 0
	atSubscriptions = 16_384
	atOccurrences   = 32_768
	vectors         = 1024
	subscriptions   = 64
)

func importWASI(m *wasmtest.Module) {
	for _, f := range wasiImports {
		m.Import(abi.ModuleWASI, f.name, f.params, f.results)
	}
}

func addVectors(m *wasmtest.Module) {
	var vector [8]byte
	binary.LittleEndian.PutUint32(vector[:], atText)
	binary.LittleEndian.PutUint32(vector[4:], 1<<20)
	m.Data(atVectors, string(repeat(vectors, vector[:])))
	var year [48]byte
	binary.LittleEndian.PutUint32(year[16:], 1) // the monotonic clock
	binary.LittleEndian.PutUint64(year[24:], 365*24*3600*1_000_000_000)
	m.Data(atSubscriptions, string(repeat(subscriptions, year[:])))
}

var (
	doExit  = func(code int32) []byte { return cat(konst(code), call(exit)) }
	doWrite = func(fd, at, n int32) []byte {
		return cat(konst(fd), konst(at), konst(n), konst(12_000), call(write), drop)
	}
	doRead = func(fd int32) []byte {
		return cat(konst(fd), konst(atVectors), konst(vectors), konst(12_000), call(read), drop)
	}
	doPoll = cat(konst(atSubscriptions), konst(atOccurrences), konst(subscriptions), konst(12_000),
		call(poll), drop)
)

// wasi does with WASI what it should not.
func wasi() []Case {
	calls := func(change func(m *wasmtest.Module) (onEvent [][]byte)) func() []byte {
		return func() []byte {
			m := &wasmtest.Module{}
			importWASI(m)
			guest(m)
			addVectors(m)
			code := change(m)
			return onEvent(m, wasmtest.Grow(grownPages-1), drop, cat(code...))
		}
	}
	does := func(code ...[]byte) func() []byte {
		return calls(func(*wasmtest.Module) [][]byte { return code })
	}
	starts := func(export, results string, code ...[]byte) func() []byte {
		return calls(func(m *wasmtest.Module) [][]byte {
			if f := m.Func(export, "", results, "", code...); export == "" {
				m.Start(f)
			}
			return nil
		})
	}
	const late = "on_event: deadline"
	return []Case{
		{Name: "proc_exit in on_event", Module: does(doExit(0)), Want: "on_event: exit"},
		{Name: "proc_exit in configure", Module: starts("configure", "i", doExit(0), konst(0)),
			Want: "configure: exit"},
		{Name: "proc_exit in _initialize", Module: starts("_initialize", "", doExit(-1)),
			Want: "_initialize: exit"},
		{Name: "proc_exit in the start function", Module: starts("", "", doExit(7)),
			Want: "start: exit"},
		{Name: "proc_exit in a recursion", Module: calls(func(m *wasmtest.Module) [][]byte {
			f := m.Func("", "i", "", "")
			m.Body(f, "", local(0), wasmtest.If(local(0), konst(1), op(0x6b), call(f)), doExit(1))
			return [][]byte{konst(10_000), call(f)}
		}), Want: "on_event: exit"},
		{Name: "flood of stdout", Module: does(loop(doWrite(1, atVectors, vectors))), Want: late},
		{Name: "flood of stderr", Module: does(loop(doWrite(2, atVectors, vectors))), Want: late},
		{Name: "flood of empty lines", Module: does(konst(atText), konst('\n'), konst(1<<20),
			bulk(11, 0), loop(doWrite(2, atVectors, vectors))), Want: late},
		{Name: "flood of random_get",
			Module: does(loop(konst(0), konst(64<<10), call(random), drop)), Want: late},
		{Name: "flood of clock_time_get",
			Module: does(loop(konst(0), konst64(0), konst(0), call(clock), drop)), Want: late},
		{Name: "flood of sched_yield", Module: does(loop(call(yield), drop)), Want: late},
		{Name: "flood of reads", Module: does(loop(doRead(0))), Want: late},
		{Name: "sleep of a year", Module: does(doPoll), Want: "verdict"},
		{Name: "sleep of a year again and again", Module: does(loop(doPoll)), Want: late},
		{Name: "sleep until something can be read",
			Module: does(wasmtest.Store(atSubscriptions+8, konst(1)), loop(doPoll)), Want: late},
		{Name: "write to another file",
			Module: does(doWrite(3, atVectors, vectors), doWrite(-1, atVectors, vectors)),
			Want:   "verdict"},
		{Name: "vectors that are not in the memory", Module: does(doWrite(1, -8, 1)),
			Want: "on_event: protocol"},
		{Name: "vectors that point out of the memory",
			Module: does(wasmtest.Store64(0, konst64(-1)), doWrite(1, 0, 1)),
			Want:   "on_event: protocol"},
		{Name: "2^32-1 vectors", Module: does(doWrite(1, 0, -1)), Want: "verdict"},
		{Name: "2^29 vectors", Module: does(doWrite(1, 0, 1<<29)), Want: "verdict"},
		{Name: "2^32-1 subscriptions", Module: does(konst(0), konst(0), konst(-1), konst(0),
			call(poll), drop), Want: "verdict"},
		{Name: "subscriptions behind the memory",
			Module: does(konst(-48), konst(0), konst(1), konst(0), call(poll), drop),
			Want:   "on_event: protocol"},
		{Name: "random bytes behind the memory",
			Module: does(konst(-2), konst(4), call(random), drop), Want: "on_event: protocol"},
	}
}

// commands are programs that read events and write verdicts, and do not do it well.
func commands() []Case {
	program := func(text string, code ...[]byte) func() []byte {
		return func() []byte {
			m := &wasmtest.Module{}
			importWASI(m)
			m.Memory(64, -1)
			m.Export("memory", 2, 0)
			addVectors(m)
			m.Data(atText, text)
			// a vector for it
			m.Data(8192, string(binary.LittleEndian.AppendUint32([]byte{0, 0, 1, 0},
				uint32(len(text)))))
			m.Func("_start", "", "", "", cat(code...))
			return m.Bytes()
		}
	}
	say := doWrite(1, 8192, 1)
	const good = `{"verdict":"done"}` + "\n"
	const bad = "_start: protocol"
	return []Case{
		{Name: "command: loop", Module: program("", forever), Want: "_start: deadline"},
		{Name: "command: loop about a batch", Module: program("", forever),
			Want: "_start: deadline", Events: 3},
		{Name: "command: no verdict", Module: program(""), Want: bad},
		{Name: "command: a verdict without reading", Module: program(good, say), Want: "verdict"},
		{Name: "command: two verdicts about one event", Module: program(good, say, say), Want: bad},
		{Name: "command: verdicts without end", Module: program(good, loop(say)), Want: bad},
		{Name: "command: one verdict about two events", Module: program(good, say), Want: bad,
			Events: 2},
		{Name: "command: reads without end", Module: program("", loop(doRead(0))),
			Want: "_start: deadline"},
		{Name: "command: a line without end",
			Module: program("", loop(doWrite(1, atVectors, vectors))), Want: bad},
		{Name: "command: empty lines without end", Module: program("\n\n\n\n\n\n\n\n", loop(say)),
			Want: "_start: deadline"},
		{Name: "command: stderr without end",
			Module: program("", loop(doWrite(2, atVectors, vectors))), Want: "_start: deadline"},
		{Name: "command: no JSON", Module: program("done\n", say), Want: bad},
		{Name: "command: JSON in JSON in JSON",
			Module: program("", konst(atText), konst('['), konst(1<<20), bulk(11, 0),
				doWrite(1, atVectors, 1)), Want: bad},
		{Name: "command: a verdict that there is not",
			Module: program(`{"verdict":"delete"}`+"\n", say), Want: bad},
		{Name: "command: a verdict that is not UTF-8",
			Module: program("{\"verdict\":\"do\xffne\"}\n", say), Want: bad},
		{Name: "command: unknown fields", Module: program(`{"verdict":"done","rights":"all"}`+"\n",
			say), Want: bad},
		{Name: "command: emits a reserved type",
			Module: program(`{"verdict":"done","emit":[{"type":"dev.informerd.x"}]}`+"\n", say),
			Want:   bad + " | verdict"},
		{Name: "command: ends with 1", Module: program(good, say, doExit(1)), Want: "_start: exit"},
		{Name: "command: ends with 0 before its verdict", Module: program(good, doExit(0)),
			Want: bad},
		{Name: "command: ends with 0 in the start function", Module: func() []byte {
			m := &wasmtest.Module{}
			importWASI(m)
			m.Memory(1, -1)
			m.Export("memory", 2, 0)
			m.Start(m.Func("", "", "", "", doExit(0)))
			m.Func("_start", "", "", "")
			return m.Bytes()
		}, Want: "start: exit"},
		{Name: "command: traps", Module: program(good, say, unreachable), Want: "_start: trap"},
		{Name: "command: takes all memory",
			Module: program("", loop(wasmtest.Grow(1), less, wasmtest.If(unreachable))),
			Want:   "_start: trap | _start: memory"},
		{Name: "command: with host functions", Module: func() []byte {
			m := &wasmtest.Module{}
			m.Import(abi.ModuleKV, "delete", "ii", "i")
			m.Memory(1, -1)
			m.Export("memory", 2, 0)
			m.Func("_start", "", "", "")
			return m.Bytes()
		}, Want: "refused: which makes it a WASI command"},
		{Name: "command: sleep of a year", Module: program(good, doPoll, say), Want: "verdict"},
	}
}
