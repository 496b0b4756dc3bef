package hostile

import "github.com/informerd/informerd/pkg/plugins/internal/wasmtest"

var null = op(0xd0, 0x70) // ref.null func

// less is whether the number on the stack is below 0, as that of a refused grow is.
var less = cat(konst(0), op(0x48))

// growth takes as much as it is given, and more.
func growth() []Case {
	tables := func(n int, code ...[]byte) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte {
			for range n {
				m.Table(0, -1)
			}
			return code
		})
	}
	return []Case{
		{Name: "memory.grow without end", Module: runs(loop(wasmtest.Grow(1), drop)),
			Want: "on_event: deadline"},
		{Name: "memory.grow by 0 without end", Module: runs(loop(wasmtest.Grow(0), drop)),
			Want: "on_event: deadline"},
		{Name: "memory.grow by 4 GiB without end", Module: runs(loop(wasmtest.Grow(-1), drop)),
			Want: "on_event: deadline"},
		{Name: "memory.grow until refused, then a trap",
			Module: runs(loop(wasmtest.Grow(1), less, wasmtest.If(unreachable))),
			Want:   "on_event: memory"},
		{Name: "memory.grow and use of all of it", Module: runs(wasmtest.Grow(63), drop,
			loop(konst(0), konst(1), konst(64<<16), bulk(11, 0))), Want: "on_event: deadline"},
		{Name: "memory.grow in configure", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Func("configure", "", "i", "", loop(wasmtest.Grow(1), drop), konst(0))
			return nil
		}), Want: "configure: deadline"},
		{Name: "table.grow without end", Module: tables(1, loop(null, konst(1), bulk(15, 0), drop)),
			Want: "on_event: deadline"},
		{Name: "table.grow by 2^27", Module: tables(1, loop(null, konst(1<<27), bulk(15, 0), drop)),
			Want: "on_event: deadline"},
		{Name: "table.grow by 2^32-1", Module: tables(1, loop(null, konst(-1), bulk(15, 0), drop)),
			Want: "on_event: deadline"},
		{Name: "table.grow of 16 tables", Module: tables(16, growAll(16)),
			Want: "verdict | on_event: deadline"},
		{Name: "17 tables", Module: tables(17), Want: "refused: 17 tables, at most 16 are allowed"},
	}
}

func growAll(tables int) (code []byte) {
	for t := range tables {
		code = append(code, cat(null, konst(wholeTable), bulk(15, byte(t)), drop)...)
	}
	return code
}

const wholeTable = 65_536

// ranges work on as much as there is, again and again.
func ranges() []Case {
	const all = grownPages << 16
	grown := func(code ...[]byte) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte {
			m.Table(wholeTable, wholeTable)
			m.Table(wholeTable, wholeTable)
			return [][]byte{wasmtest.Grow(grownPages - 1), drop, cat(code...)}
		})
	}
	return []Case{
		{Name: "memory.fill", Module: grown(loop(konst(0), konst(7), konst(all), bulk(11, 0))),
			Want: "on_event: deadline"},
		{Name: "memory.fill of one byte",
			Module: grown(loop(konst(0), konst(7), konst(1), bulk(11, 0))),
			Want:   "on_event: deadline"},
		{Name: "memory.fill, 2,900 times in a row",
			Module: grown(repeat(2_900, konst(0), konst(7), konst(all), bulk(11, 0))),
			Want:   "on_event: deadline | verdict", Slow: true}, // by how fast memory is
		{Name: "memory.copy onto itself",
			Module: grown(loop(konst(1), konst(0), konst(all-1), bulk(10, 0, 0))),
			Want:   "on_event: deadline"},
		{Name: "memory.copy, backwards",
			Module: grown(loop(konst(0), konst(1), konst(all-1), bulk(10, 0, 0))),
			Want:   "on_event: deadline"},
		{Name: "memory.init", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Passive(string(make([]byte, 1<<20)))
			return [][]byte{wasmtest.Grow(grownPages - 1), drop,
				loop(konst(0), konst(0), konst(1<<20), bulk(8, 0, 0))}
		}), Want: "on_event: deadline"},
		{Name: "memory.fill beyond the end",
			Module: grown(konst(all), konst(1), konst(-1), bulk(11, 0)), Want: "on_event: trap"},
		{Name: "memory.copy of 4 GiB", Module: grown(konst(0), konst(0), konst(-1), bulk(10, 0, 0)),
			Want: "on_event: trap"},
		{Name: "memory.copy whose end wraps around",
			Module: grown(konst(-1), konst(-1), konst(2), bulk(10, 0, 0)), Want: "on_event: trap"},
		{Name: "memory.init beyond the segment", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Passive("abc")
			return [][]byte{konst(0), konst(1), konst(-1), bulk(8, 0, 0)}
		}), Want: "on_event: trap"},
		{Name: "memory.init of a dropped segment", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Passive("abc")
			return [][]byte{bulk(9, 0), konst(0), konst(0), konst(1), bulk(8, 0, 0)}
		}), Want: "on_event: trap"},
		{Name: "table.fill", Module: grown(loop(konst(0), null, konst(wholeTable), bulk(17, 0))),
			Want: "on_event: deadline"},
		{Name: "table.copy", Module: grown(loop(konst(0), konst(0), konst(wholeTable),
			bulk(14, 0, 1))), Want: "on_event: deadline"},
		{Name: "table.fill beyond the end", Module: grown(konst(1), null, konst(-1), bulk(17, 0)),
			Want: "on_event: trap"},
	}
}
