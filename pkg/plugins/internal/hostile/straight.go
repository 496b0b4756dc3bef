package hostile

import (
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// straight are guests that take long, or much, without a loop that would check: their work is in
// straight code, in the calls of it, on the way back from calls, or in the frames of functions.
func straight() []Case {
	late, full := "on_event: deadline", "on_event: trap | on_event: deadline"
	return []Case{
		{Name: "calls of a small function that chases pointers",
			Module: chased(func(m *wasmtest.Module, leaf uint32) [][]byte {
				f := m.Func("", "i", "i", "", local(0), repeat(20_000, call(leaf)))
				return [][]byte{loop(konst(0), call(f), drop)}
			}), Want: late, Memory: 9 << 20},
		{Name: "a chase in straight code",
			Module: chased(func(_ *wasmtest.Module, _ uint32) [][]byte {
				return [][]byte{loop(konst(0), repeat(30_000, op(0x28, 2, 0)), drop)}
			}), Want: late, Memory: 9 << 20},
		{Name: "a chase on the way back from calls",
			Module: chased(func(m *wasmtest.Module, _ uint32) [][]byte {
				self := m.Func("", "i", "", "")
				m.Body(self, "", local(0), wasmtest.If(local(0), konst(1), op(0x6b), call(self)),
					konst(0), repeat(700, op(0x28, 2, 0)), drop)
				return [][]byte{loop(konst(20_000), call(self))}
			}), Want: late, Memory: 9 << 20},
		{Name: "a branch past all checks",
			Module: chased(func(_ *wasmtest.Module, _ uint32) [][]byte {
				skipped := cat(op(0x02, 0x40), konst(1), op(0x0d, 0), repeat(200, konst(1), drop),
					op(0x0b))
				return [][]byte{
					loop(repeat(50, konst(0), repeat(100, op(0x28, 2, 0)), drop, skipped))}
			}), Want: late, Memory: 9 << 20},
		{Name: "frames of values that are never used",
			Module: with(func(m *wasmtest.Module) [][]byte {
				return framed(m, 4_000, 100_000, false)
			}),
			Want: full},
		{Name: "frames of values that are never used, in all functions",
			Module: with(func(m *wasmtest.Module) [][]byte {
				code := framed(m, 4_000, 20, false)
				m.Func("_initialize", "", "", "", code...)
				m.Func("configure", "", "i", "", cat(code...), konst(0))
				m.Start(m.Func("", "", "", "", code...))
				return code
			}), Want: "verdict | on_event: trap"},
		{Name: "frames of values that are needed one after the other",
			Module: with(func(m *wasmtest.Module) [][]byte {
				return framed(m, 4_000, 100_000, true)
			}), Want: full},
		{Name: "memory that grows in steps",
			Module: runs(loop(wasmtest.Grow(64), less, wasmtest.If(unreachable))),
			Want:   "on_event: memory", Memory: 256 << 20},
		{Name: "fields given ahead that are missing",
			Module: caller("http://127.0.0.1:1/", func(m *wasmtest.Module) [][]byte {
				// handle 0 each
				configured(m, op(0x03, 0x40),
					cat(konst(1024), local(0), konst(2), op(0x74), op(0x6a), konst(0),
						op(0x36, 2, 0)),
					local(0), konst(1), op(0x6a, 0x22, 0), konst(abi.MaxPrefetch),
					op(0x48, 0x0d, 0, 0x0b),
					host(abi.ModuleEvent, "prefetch", konst(8192), konst(4096), konst(1024),
						konst(abi.MaxPrefetch)), drop)
				return nil
			}), Want: "verdict | " + late, Events: 20},
		{Name: "log lines that grow when they are quoted",
			Module: caller("http://127.0.0.1:1/", func(m *wasmtest.Module) [][]byte {
				configured(m)
				return [][]byte{konst(atText), konst(0), konst(abi.MaxLogLine), bulk(11, 0),
					loop(host(abi.ModuleLog, "log", konst(3), konst(atText),
						konst(abi.MaxLogLine)))}
			}), Want: late},
		{Name: "emissions of a large batch",
			Module: caller("http://127.0.0.1:1/", func(m *wasmtest.Module) [][]byte {
				m.Func("on_batch", "i", "i", "", wasmtest.Grow(grownPages-1), drop, konst(atText),
					konst('1'), konst(1<<20), bulk(11, 0),
					op(0x03, 0x40), host(abi.ModuleEvent, "next", konst(0), konst(20)), konst(0),
					op(0x4e),
					wasmtest.If(host(abi.ModuleResult, "emit", konst(2), konst(atText),
						konst(1<<20)), drop, op(0x0c, 1)), op(0x0b), konst(0))
				return nil
			}), Want: "verdict | on_batch: deadline", Events: 64},
	}
}

// chased is a guest with 8 MiB of memory, each line of which holds the address of another, and a
// small function that follows 63 of them.
func chased(change func(m *wasmtest.Module, leaf uint32) (onEvent [][]byte)) func() []byte {
	const pages, lines = 128, 128 << 10
	return func() []byte {
		m := &wasmtest.Module{}
		m.Memory(pages, -1)
		m.Export("memory", 2, 0)
		m.Func("informerd_abi_v1", "", "", "")
		m.Func("configure", "", "i", "i", op(0x03, 0x40),
			local(0), konst(6), op(0x74), local(0), konst(1664525), op(0x6c), konst(1013904223),
			op(0x6a), konst(lines-1), op(0x71),
			konst(6), op(0x74), op(0x36, 2, 0), local(0), konst(1), op(0x6a, 0x22, 0), konst(lines),
			op(0x48, 0x0d, 0, 0x0b), konst(0))
		leaf := m.Func("", "i", "i", "", local(0), repeat(63, op(0x28, 2, 0)))
		return onEvent(m, change(m, leaf)...)
	}
}

// framed calls a function in itself whose frame is large because of code that is not executed:
// values that are there at once, or one after the other.
func framed(m *wasmtest.Module, values int, depth int32, sequence bool) [][]byte {
	nothing, self := m.Func("", "", "", ""), m.Func("", "i", "", "")
	load := cat(konst(64), op(0x29, 3, 0))
	unused := cat(konst(0), repeat(values, load), call(nothing), repeat(values-1, op(0x7c)),
		op(0x37, 3, 0))
	if sequence {
		unused = repeat(values, konst(64), load, call(nothing), op(0x37, 3, 0))
	}
	m.Body(self, "", local(0), konst(0), op(0x48), wasmtest.If(unused), local(0),
		wasmtest.If(local(0), konst(1), op(0x6b), call(self)))
	return [][]byte{konst(depth), call(self)}
}
