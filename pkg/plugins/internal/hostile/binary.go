package hostile

import "github.com/informerd/informerd/pkg/plugins/internal/wasmtest"

// binaries are broken or no modules at all.
func binaries() []Case {
	changed := func(at int, b ...byte) func() []byte {
		return func() []byte {
			module := nothing()
			copy(module[at:], b)
			return module
		}
	}
	sections := func(content ...[]byte) func() []byte {
		return func() []byte { return append(nothing()[:8:8], cat(content...)...) }
	}
	half := func() []byte { m := nothing(); return m[:len(m)/2] }
	return []Case{
		{Name: "nothing at all", Module: bytes(nil),
			Want: "refused: no module | refused: the file is empty"},
		{Name: "text", Module: bytes([]byte("(module)")),
			Want: "refused: it does not begin with \\0asm"},
		{Name: "an ELF file", Module: bytes([]byte("\x7fELF\x02\x01\x01\x00")),
			Want: "refused: it does not begin with \\0asm"},
		{Name: "version 2", Module: changed(4, 2),
			Want: "refused: version 0x2 of WebAssembly is unknown"},
		{Name: "a component", Module: changed(4, 0x0d, 0, 1, 0),
			Want: "refused: this is a WebAssembly component"},
		{Name: "half a module", Module: half, Want: "refused: the file is cut off"},
		{Name: "the preamble alone", Module: sections(),
			Want: "refused: it does not export the function"},
		{Name: "a number of six bytes", Module: sections(op(1, 0x80, 0x80, 0x80, 0x80, 0x80, 0)),
			Want: "refused: number is too long"},
		{Name: "a number of more than 32 bits",
			Module: sections(op(1, 0xff, 0xff, 0xff, 0xff, 0x7f)),
			Want:   "refused: number is too long"},
		{Name: "an overlong constant", Module: runs(op(0x41, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00),
			drop), Want: "refused: number is too long"},
		{Name: "a constant with too many bits", Module: runs(op(0x41, 0xff, 0xff, 0xff, 0xff, 0x7f),
			drop), Want: "verdict | refused: not valid"},
		{Name: "an overlong 64-bit constant", Module: runs(op(0x42), repeat(10, op(0x80)), op(0x00),
			drop), Want: "refused: number is too long"},
		{Name: "numbers of five bytes that would do with one",
			Module: runs(op(0x41, 0x81, 0x80, 0x80, 0x80, 0x00), drop), Want: "verdict"},
		{Name: "a section twice",
			Module: sections(wasmtest.Section(1, op(0)), wasmtest.Section(1, op(0))),
			Want:   "refused: a duplicate"},
		{Name: "sections in the wrong order",
			Module: sections(wasmtest.Section(3, op(0)), wasmtest.Section(1, op(0))),
			Want:   "refused: out of order"},
		{Name: "a section of 4 GiB", Module: sections(op(1, 0xff, 0xff, 0xff, 0xff, 0x0f)),
			Want: "refused: the file is cut off"},
		{Name: "functions without bodies", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Replace(10, op(0))
			return nil
		}),
			Want: "refused: functions are declared, 0 have code"},
		{Name: "a body without an end", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Replace(10, wasmtest.Vector(op(2, 0, 0x0b), op(2, 0, 0x01)))
			return nil
		}), Want: invalid},
		{Name: "code behind the end of a function",
			Module: runs(konst(0), op(0x0b), unreachable, konst(0)), Want: invalid},
		{Name: "wrong types on the stack", Module: runs(konst64(1), op(0x6a)), Want: invalid},
		{Name: "an empty stack", Module: runs(drop), Want: invalid},
		{Name: "a branch out of more blocks than there are",
			Module: runs(op(0x0c), wasmtest.Uint(1<<31)), Want: "refused: a branch out of"},
		{Name: "a name that is not UTF-8", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Export("\xff\xfe", 0, 0)
			return nil
		}),
			Want: "refused: name is not valid UTF-8"},
	}
}

// features are of later versions of WebAssembly.
func features() []Case {
	typed := func(bytes ...byte) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte { m.Replace(1, bytes); return nil })
	}
	memory := func(bytes ...byte) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte { m.Replace(5, bytes); return nil })
	}
	const not = "refused: not part of WebAssembly 2.0"
	return []Case{
		{Name: "threads: a shared memory", Module: memory(1, 3, 1, 1), Want: not},
		{Name: "threads: atomic.fence", Module: runs(op(0xfe, 3, 0)), Want: not},
		{Name: "threads: memory.atomic.wait32",
			Module: runs(konst(0), konst(0), konst64(-1), op(0xfe, 1, 2, 0), drop), Want: not},
		{Name: "memory64", Module: memory(1, 4, 1), Want: not},
		{Name: "custom page sizes", Module: memory(1, 8, 1, 0), Want: not},
		{Name: "tail calls: return_call", Module: runs(op(0x12, marker)), Want: not},
		{Name: "tail calls: return_call_indirect", Module: runs(konst(0), op(0x13, 0, 0)),
			Want: not},
		{Name: "exceptions: throw", Module: runs(op(0x08, 0)), Want: not},
		{Name: "exceptions: try_table", Module: runs(op(0x1f, 0x40, 0, 0x0b)), Want: not},
		{Name: "exceptions: a tag section", Module: func() []byte {
			return append(nothing(), wasmtest.Section(13, op(1, 0, 0))...)
		}, Want: not},
		{Name: "GC: a structure", Module: typed(1, 0x5f, 1, 0x7f, 0),
			Want: "refused: type 0x5f is no function type"},
		{Name: "GC: a recursive group", Module: typed(1, 0x4e, 1, 0x60, 0, 0),
			Want: "refused: type 0x4e is no function type"},
		{Name: "GC: struct.new", Module: runs(op(0xfb, 0, 0)), Want: not},
		{Name: "typed references: call_ref", Module: runs(op(0x14, 0)), Want: not},
		{Name: "typed references: a type of two bytes", Module: typed(1, 0x60, 1, 0x63, 0x70, 0),
			Want: not},
		{Name: "relaxed SIMD", Module: runs(op(0xfd, 0x80, 2)), Want: not},
		{Name: "wide arithmetic", Module: runs(op(0xfc, 19)), Want: not},
		{Name: "several memories: memory.size of the second", Module: runs(op(0x3f, 1), drop),
			Want: "refused: a memory other than the first one"},
	}
}

// numbers are odd in what they compute, and no more than that.
func numbers() []Case {
	nan := cat(op(0x44), repeat(8, op(0xff)))
	return []Case{
		{Name: "NaN with all its bits", Module: runs(nan, nan, op(0xa0), drop), Want: "verdict"},
		{Name: "NaN as an integer", Module: runs(nan, op(0xaa), drop), Want: "on_event: trap"},
		{Name: "a division by zero", Module: runs(konst(1), konst(0), op(0x6d), drop),
			Want: "on_event: trap"},
		{Name: "a division that overflows", Module: runs(konst(-1<<31), konst(-1), op(0x6d), drop),
			Want: "on_event: trap"},
		{Name: "an unaligned load", Module: runs(konst(3), op(0x29, 3, 0), drop), Want: "verdict"},
		{Name: "a load that claims too much alignment",
			Module: runs(konst(0), op(0x29, 4, 0), drop), Want: invalid},
		{Name: "a load across the end", Module: runs(konst(65533), op(0x28, 2, 0), drop),
			Want: "on_event: trap"},
		{Name: "a load whose offset wraps around",
			Module: runs(konst(-1), op(0x28, 2), wasmtest.Uint(1<<32-1), drop),
			Want:   "on_event: trap"},
		{Name: "a call of a null reference", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Table(1, 1)
			return [][]byte{konst(0), op(0x11), wasmtest.Uint(m.Type("", "")), op(0)}
		}), Want: "on_event: trap"},
		{Name: "a call of a function of another type",
			Module: with(func(m *wasmtest.Module) [][]byte {
				m.Table(1, 1)
				m.Element(0, marker)
				return [][]byte{konst(0), konst(0), op(0x11), wasmtest.Uint(m.Type("i", "")), op(0)}
			}), Want: "on_event: trap"},
		{Name: "a call behind the table", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Table(1, 1)
			return [][]byte{konst(-1), op(0x11), wasmtest.Uint(m.Type("", "")), op(0)}
		}), Want: "on_event: trap"},
	}
}
