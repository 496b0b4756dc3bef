package hostile

import "github.com/informerd/informerd/pkg/plugins/internal/wasmtest"

// Huge are guests of 2 GiB of memory that work on all of it with a single instruction. They are to
// be run with a limit of that size, and each must end with its deadline.
func Huge() []Case {
	const pages, bytes = 1 << 15, -1 << 31 // 2 GiB
	guest := func(code ...[]byte) func() []byte {
		return func() []byte {
			m := &wasmtest.Module{}
			m.Memory(pages, -1)
			m.Export("memory", 2, 0)
			m.Func("informerd_abi_v1", "", "", "")
			return onEvent(m, code...)
		}
	}
	const late = "on_event: deadline"
	return []Case{
		{Name: "memory.fill of 2 GiB", Module: guest(konst(0), konst(7), konst(bytes), bulk(11, 0)),
			Want: late, Slow: true},
		{Name: "memory.copy of 2 GiB",
			Module: guest(konst(0), konst(1), konst(1<<31-1), bulk(10, 0, 0)), Want: late,
			Slow: true},
		{Name: "memory.copy of 2 GiB, backwards",
			Module: guest(konst(1), konst(0), konst(1<<31-1), bulk(10, 0, 0)), Want: late,
			Slow: true},
	}
}
