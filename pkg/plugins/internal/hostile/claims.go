package hostile

import (
	"strings"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// claims state more than they have: memories, tables and counts.
func claims() []Case {
	tables := func(min uint32, max int64) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte {
			m.Table(min, max)
			return nil
		})
	}
	memories := func(min uint32, max int64) func() []byte {
		return func() []byte {
			m := &wasmtest.Module{}
			m.Memory(min, max)
			m.Export("memory", 2, 0)
			m.Func("informerd_abi_v1", "", "", "")
			return onEvent(m)
		}
	}
	cases := []Case{
		{Name: "a memory of 4 GiB", Module: memories(65536, -1),
			Want: "refused: it needs 4096 MiB of memory to start"},
		{Name: "a memory of more than there can be", Module: memories(1<<31, -1),
			Want: "refused: it needs"},
		{Name: "a memory that is smaller than its minimum", Module: memories(2, 1), Want: invalid},
		{Name: "a maximum of more than there can be", Module: memories(1, 1<<31), Want: invalid},
		{Name: "a maximum of 4 GiB", Module: memories(1, 65536), Want: "verdict"},
		{Name: "two memories", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Memory(1, -1)
			return nil
		}),
			Want: "refused: it has 2 memories, at most one is allowed"},
		{Name: "16 memories", Module: with(func(m *wasmtest.Module) [][]byte {
			for range 15 {
				m.Memory(1, -1)
			}
			return nil
		}), Want: "refused: it has 16 memories"},
		{Name: "a table of 2^27", Module: tables(1<<27, -1),
			Want: "refused: a table of 134217728 elements"},
		{Name: "a table of 2^32-1", Module: tables(1<<32-1, -1),
			Want: "refused: a table of 4294967295 elements"},
		{Name: "a table with a maximum of 2^32-1", Module: tables(0, 1<<32-1), Want: "verdict"},
		{Name: "a table that is smaller than its minimum", Module: tables(2, 1), Want: invalid},
	}
	for _, c := range []struct {
		name string
		id   byte
	}{{"types", 1}, {"imports", 2}, {"functions", 3}, {"tables", 4}, {"memories", 5}, {
		"globals", 6}, {"exports", 7},
		{"element segments", 9}, {"bodies", 10}, {"data segments", 11}} {
		for _, n := range []uint32{1 << 27, 1<<32 - 1} {
			cases = append(cases,
				Case{Name: count(n) + " " + c.name, Module: with(func(m *wasmtest.Module) [][]byte {
					m.Replace(c.id, wasmtest.Uint(n))
					return nil
				}), Want: "refused: items stated, but only 0 bytes are left"})
		}
	}
	return cases
}

func count(n uint32) string {
	if n == 1<<27 {
		return "2^27"
	}
	return "2^32-1"
}

// sizes are as large as they say.
func sizes() []Case {
	const mib = 1 << 20
	items := func(id byte, n int, item []byte) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte {
			m.Replace(id, cat(wasmtest.Uint(uint32(n)), repeat(n, item)))
			return nil
		})
	}
	globals := cat(op(0x7f, 1), konst(0), op(0x0b))
	segment := cat(op(0), konst(0), op(0x0b), wasmtest.Text(""))
	functions := func(n int, body []byte) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte {
			f := m.Func("", "", "", "")
			m.Body(f, "", body)
			for range n - 1 {
				m.Body(m.Func("", "", "", ""), "", body)
			}
			return nil
		})
	}
	return []Case{
		{Name: "100 MB", Module: func() []byte {
			return custom(nothing(), 100*mib)
		}, Want: "refused: raise limits.module"},
		{Name: "a custom section of 7 MiB", Module: func() []byte {
			return custom(nothing(), 7*mib)
		}, Want: "verdict"},
		{Name: "a million custom sections", Module: func() []byte {
			return append(nothing(), repeat(mib, wasmtest.Section(0, wasmtest.Text("x")))...)
		}, Want: "verdict"},
		{Name: "a million name sections", Module: func() []byte {
			return append(nothing(), repeat(mib, wasmtest.Section(0, wasmtest.Text("name")))...)
		}, Want: "verdict"},
		{Name: "names without end", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Custom("name", cat(op(1), wasmtest.Uint(5), wasmtest.Uint(1<<32-1)))
			return nil
		}), Want: "verdict"},
		{Name: "a name of 4 MiB", Module: with(func(m *wasmtest.Module) [][]byte {
			names := cat(op(1), wasmtest.Uint(marker), wasmtest.Text(strings.Repeat("n", 4*mib)))
			m.Custom("name", wasmtest.Section(1, names))
			return [][]byte{unreachable}
		}), Want: "on_event: trap"},
		{Name: "100,001 globals", Module: items(6, 100_001, globals),
			Want: "refused: 100001 globals"},
		{Name: "100,000 globals", Module: items(6, 100_000, globals), Want: "verdict"},
		{Name: "100,001 functions", Module: items(3, 100_001, op(0)),
			Want: "refused: 100001 functions"},
		{Name: "99,000 empty functions", Module: functions(99_000, nil), Want: "verdict"},
		{Name: "100,000 data segments", Module: items(11, 100_000, segment), Want: "verdict"},
		{Name: "a data segment of 8 MiB", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Data(0, string(make([]byte, 8*mib-1000)))
			return nil
		}), Want: "start: trap"},
		{Name: "a data segment behind the memory", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Data(65530, "longer than this")
			return nil
		}), Want: "start: trap"},
		{Name: "a million elements", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Table(wholeTable, wholeTable)
			m.Replace(9, wasmtest.Vector(cat(op(0), konst(0), op(0x0b), wasmtest.Uint(mib),
				repeat(mib, op(marker)))))
			return nil
		}), Want: "refused: more than 262144 elements"},
		{Name: "elements behind the table", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Table(1, 1)
			m.Element(1, marker)
			return nil
		}), Want: "verdict"}, // the engine leaves them out
		{Name: "br_table of a million",
			Module: runs(op(0x02, 0x40), local(0), op(0x0e), wasmtest.Uint(mib),
				repeat(mib+1, op(0)), op(0x0b)),
			Want: "refused: bytes, at most 524288 are allowed"},
		{Name: "br_table of 100,000",
			Module: runs(op(0x02, 0x40), local(0), op(0x0e), wasmtest.Uint(100_000),
				repeat(100_001, op(0)), op(0x0b)),
			Want: "refused: compiling takes too long: a function has 100"},
		{Name: "blocks in blocks, 100,000 of them",
			Module: runs(repeat(100_000, op(0x02, 0x40)), repeat(100_000, op(0x0b))),
			Want:   "refused: compiling takes too long"},
		{Name: "blocks in blocks, 11,000 of them",
			Module: runs(repeat(11_000, op(0x02, 0x40)), repeat(11_000, op(0x0b))), Want: "verdict",
			Slow: true},
		{Name: "loops in loops, 3,900 of them",
			Module: runs(repeat(3_900, op(0x03, 0x40)), op(0x0c), wasmtest.Uint(3_899),
				repeat(3_900, op(0x0b))), Want: "on_event: deadline", Slow: true},
		{Name: "ifs in ifs, 10,000 of them", Module: runs(repeat(10_000, local(0), op(0x04, 0x40)),
			repeat(10_000, op(0x0b))),
			Want: "refused: compiling takes too long"},
		{Name: "ifs in ifs, 5,900 of them", Module: runs(repeat(5_900, local(0), op(0x04, 0x40)),
			repeat(5_900, op(0x0b))), Want: "verdict", Slow: true},
		{Name: "a function of nearly 8 MiB", Module: runs(repeat(2*mib, konst(1), drop)),
			Want: "refused: at most 524288 are allowed"},
		{Name: "a function of 500 KiB", Module: runs(repeat(170_000, konst(1), drop)),
			Want: "verdict"},
		{Name: "16 functions of 500 KiB", Module: functions(15, repeat(170_000, konst(1), drop)),
			Want: "verdict", Slow: true},
		{Name: "a stack of 100,000 values",
			Module: runs(repeat(100_000, konst(1)), repeat(100_000, drop)), Want: "verdict"},
		{Name: "50,001 variables", Module: variables(50_001),
			Want: "refused: too many local variables"},
		{Name: "50,000 variables", Module: variables(50_000), Want: "verdict"},
		{Name: "2^32-1 variables", Module: variables(1<<32 - 1),
			Want: "refused: too many local variables"},
		{Name: "1,001 parameters", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Func("", strings.Repeat("i", 1001), "", "")
			return nil
		}), Want: "refused: 1001 parameters or results"},
		{Name: "1,000 results", Module: with(func(m *wasmtest.Module) [][]byte {
			f := m.Func("", "", strings.Repeat("i", 1000), "", repeat(1000, konst(1)))
			return [][]byte{call(f), repeat(1000, drop)}
		}), Want: "verdict"},
	}
}

func custom(module []byte, size int) []byte {
	return append(module, wasmtest.Section(0, cat(wasmtest.Text("x"), make([]byte, size)))...)
}

func variables(n uint32) func() []byte {
	return with(func(m *wasmtest.Module) [][]byte {
		m.Variables(m.Func("", "", "", ""), n, wasmtest.I64)
		return nil
	})
}
