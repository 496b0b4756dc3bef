package hostile

import (
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// imports ask for what there is not, or not for guests.
func imports() []Case {
	one := func(module, name, params, results string) func() []byte {
		return func() []byte {
			m := &wasmtest.Module{}
			m.Import(module, name, params, results)
			return onEvent(guest(m))
		}
	}
	other := func(module, name string, kind ...byte) func() []byte { // as another kind
		return func() []byte {
			m := guest(&wasmtest.Module{})
			m.Replace(2, wasmtest.Vector(cat(wasmtest.Text(module), wasmtest.Text(name), kind)))
			return onEvent(m)
		}
	}
	many := func(n int) func() []byte {
		return func() []byte {
			m := &wasmtest.Module{}
			for range n {
				m.Import(abi.ModuleLog, "enabled", "i", "i")
			}
			return onEvent(guest(m))
		}
	}
	const unknown = "refused: there is no such module"
	return []Case{
		{Name: "import from env", Module: one("env", "system", "i", "i"), Want: unknown},
		{Name: "import without names", Module: one("", "", "", ""), Want: unknown},
		{Name: "import of the meter's visit", Module: one("informerd/meter", "visit", "", ""),
			Want: unknown},
		{Name: "import of an unknown function", Module: one(abi.ModuleKV, "drop_all", "", ""),
			Want: "refused: there is no such function"},
		{Name: "import of a later version", Module: one("informerd/kv.v2", "get", "iiii", "i"),
			Want: unknown},
		{Name: "import of a name with a NUL", Module: one(abi.ModuleKV+"\x00", "get", "iiii", "i"),
			Want: unknown},
		{Name: "import of a socket", Module: one(abi.ModuleWASI, "sock_accept", "iii", "i"),
			Want: "refused: not given this part of WASI"},
		{Name: "import of another type", Module: one(abi.ModuleEvent, "object", "iIii", "i"),
			Want: "refused: it must be"},
		{Name: "import of a memory", Module: other(abi.ModuleEvent, "object", 2, 0, 1),
			Want: "refused: it must be a function"},
		{Name: "import of a table", Module: other(abi.ModuleEvent, "object", 1, 0x70, 0, 1),
			Want: "refused: it must be a function"},
		{Name: "import of a mutable global", Module: other(abi.ModuleEvent, "object", 3, 0x7e, 1),
			Want: "refused: it must be a function"},
		{Name: "import of a tag", Module: other(abi.ModuleEvent, "object", 4, 0, 0),
			Want: "refused: of the unknown kind 4"},
		{Name: "import of a table of 2^27", Module: other(abi.ModuleEvent, "object", 1, 0x70, 0,
			0x80, 0x80, 0x80, 0x40),
			Want: "refused: a table of 134217728 elements"},
		{Name: "1,000 imports of the same", Module: many(1000), Want: "verdict"},
		{Name: "1,001 imports", Module: many(1001), Want: "refused: 1001 imports"},
	}
}

// exports are not what they should be, or try to get at what the host adds.
func exports() []Case {
	export := func(name string, kind byte, index uint32) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte {
			m.Global(1)
			m.Export(name, kind, index)
			return nil
		})
	}
	without := func(build func(m *wasmtest.Module)) func() []byte {
		return func() []byte {
			m := &wasmtest.Module{}
			build(m)
			return m.Bytes()
		}
	}
	return []Case{
		{Name: "the name memory twice", Module: export("memory", 2, 0), Want: invalid},
		{Name: "the name on_event twice", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Func("on_event", "iiii", "i", "", konst(3))
			return nil
		}), Want: invalid},
		{Name: "the memory under another name", Module: without(func(m *wasmtest.Module) {
			m.Memory(1, -1)
			m.Export("mem", 2, 0)
			m.Func("informerd_abi_v1", "", "", "")
			onEvent(m)
		}), Want: "refused: it does not export its memory"},
		{Name: "a memory that is not there", Module: without(func(m *wasmtest.Module) {
			m.Export("memory", 2, 0)
			m.Func("informerd_abi_v1", "", "", "")
			onEvent(m)
		}), Want: "refused: it must be a memory"},
		{Name: "a memory that is the second one", Module: without(func(m *wasmtest.Module) {
			m.Memory(1, -1)
			m.Export("memory", 2, 1)
			m.Func("informerd_abi_v1", "", "", "")
			onEvent(m)
		}), Want: invalid},
		{Name: "a memory that is a function", Module: without(func(m *wasmtest.Module) {
			m.Memory(1, -1)
			m.Export("memory", 0, 0)
			m.Func("informerd_abi_v1", "", "", "")
			onEvent(m)
		}), Want: "refused: it must be a memory"},
		{Name: "an export of a function that is not there", Module: export("x", 0, 1<<31),
			Want: invalid},
		{Name: "an export of an unknown kind", Module: export("x", 9, 0), Want: invalid},
		{Name: "on_event of another type", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Func("on_batch", "I", "i", "", konst(0))
			return nil
		}), Want: "refused: it must be (i32) -> i32"},
		{Name: "on_event that is imported", Module: func() []byte {
			m := &wasmtest.Module{}
			m.Import(abi.ModuleEvent, "object", "iiii", "i")
			guest(m)
			m.Export("on_event", 0, 0) // of the same type, as it happens
			return m.Bytes()
		}, Want: "verdict | on_event: protocol"},
		{Name: "the fuel's name", Module: export("informerd.fuel", 3, 0), Want: "verdict"},
		{Name: "the fuel's name, as a function", Module: export("informerd.fuel", 0, marker),
			Want: "verdict"},
		{Name: "the fuel itself", Module: export("x", 3, 1), Want: invalid},
		{Name: "the fuel, read", Module: runs(wasmtest.GetGlobal(0), drop), Want: invalid},
		{Name: "the fuel, written", Module: runs(konst64(1<<62), wasmtest.SetGlobal(0)),
			Want: invalid},
		{Name: "the fuel in a global's value", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Replace(6, wasmtest.Vector(op(0x7e, 0, 0x23, 1, 0x0b)))
			return nil
		}), Want: invalid},
		{Name: "a call of what the meter adds",
			Module: runs(konst(0), konst(0), konst(1), bulk(11, 0), call(marker+2)), Want: invalid},
		{Name: "a reference to what the meter adds",
			Module: runs(op(0xd2), wasmtest.Uint(marker+3), drop), Want: invalid},
		{Name: "an element that the meter adds", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Table(1, 1)
			m.Element(0, marker+2)
			return nil
		}), Want: invalid},
		{Name: "a function's names that are the meter's",
			Module: with(func(m *wasmtest.Module) [][]byte {
				m.Func("meter.visit", "", "", "")
				m.Custom("name",
					wasmtest.Section(1, wasmtest.Vector(cat(op(0), wasmtest.Text("meter.visit")),
						cat(op(1), wasmtest.Text("meter.bytes")))))
				return nil
			}), Want: "verdict"},
	}
}
