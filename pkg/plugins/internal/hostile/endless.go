package hostile

import "github.com/informerd/informerd/pkg/plugins/internal/wasmtest"

// loops never end, wherever a guest may run.
func loops() []Case {
	guests := func(change func(m *wasmtest.Module)) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte {
			change(m)
			return nil
		})
	}
	return []Case{
		{Name: "loop in on_event", Module: runs(forever), Want: "on_event: deadline"},
		{Name: "loop in on_batch", Module: guests(func(m *wasmtest.Module) {
			m.Func("on_batch", "i", "i", "", forever, konst(0))
		}),
			Want: "on_batch: deadline", Events: 3},
		{Name: "loop in configure", Module: guests(func(m *wasmtest.Module) {
			m.Func("configure", "", "i", "", forever, konst(0))
		}),
			Want: "configure: deadline"},
		{Name: "loop in _initialize", Module: guests(func(m *wasmtest.Module) {
			m.Func("_initialize", "", "", "", forever)
		}),
			Want: "_initialize: deadline"},
		{Name: "loop in the start function", Module: guests(func(m *wasmtest.Module) {
			m.Start(m.Func("", "", "", "", forever))
		}),
			Want: "start: deadline"},
		{Name: "loop in the marker", Module: func() []byte {
			m := &wasmtest.Module{}
			m.Memory(1, -1)
			m.Export("memory", 2, 0)
			m.Func("informerd_abi_v1", "", "", "", forever)
			return onEvent(m)
		}, Want: "verdict"}, // it is never called
		{Name: "loop behind a verdict's place", Module: runs(konst(0), forever, drop),
			Want: "on_event: deadline"},
		{Name: "loop with a long body", Module: runs(loop(repeat(20_000, konst(1), drop))),
			Want: "on_event: deadline"},
		{Name: "loops in loops", Module: runs(nested(200)), Want: "on_event: deadline"},
		{Name: "br_table that leads back",
			Module: runs(op(0x03, 0x40), local(0), op(0x0e, 3, 0, 0, 0, 0, 0x0b)),
			Want:   "on_event: deadline"},
		{Name: "loop that divides", Module: runs(loop(konst64(-1), konst64(3), op(0x7f), drop)),
			Want: "on_event: deadline"},
		{Name: "loop of stores", Module: runs(loop(wasmtest.Store64(64, konst64(7)))),
			Want: "on_event: deadline"},
		{Name: "loop that traps in the end", Module: runs(wasmtest.Times(4, 1<<20), unreachable),
			Want: "on_event: trap"},
		{Name: "code that the meter does not take, but the engine does", Module: odd(forever),
			Want: "refused: cannot be metered"},
	}
}

// odd runs code in a module that the meter does not take, but the engine does.
func odd(code ...[]byte) func() []byte {
	return with(func(m *wasmtest.Module) [][]byte {
		addOdd(m)
		return code
	})
}

// addOdd adds a function in which the type of a block is written in two bytes, which is wrong.
func addOdd(m *wasmtest.Module) {
	m.Func("odd", "", "", "", op(0x02, 0xff, 0x7f), konst(1), op(0x0b), drop)
}

func repeat(n int, code ...[]byte) []byte {
	one := cat(code...)
	b := make([]byte, 0, n*len(one))
	for range n {
		b = append(b, one...)
	}
	return b
}

// nested is loops in loops; the innermost restarts, and all others behind it.
func nested(depth int) []byte {
	code := forever
	for range depth {
		code = loop(code)
	}
	return code
}

// fib adds a function without a loop that takes a time which doubles with its argument.
func fib(m *wasmtest.Module) uint32 {
	less := func(n int32) []byte { return cat(local(0), konst(n), op(0x6b)) }
	self := m.Func("", "i", "", "")
	m.Body(self, "", local(0), wasmtest.If(less(1), call(self), less(1), call(self)))
	return self
}

// recursions use up the time or the stack.
func recursions() []Case {
	deep := func(params, locals string, code func(self uint32) []byte) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte {
			self := m.Func("", params, "", "")
			m.Body(self, locals, code(self))
			args := [][]byte{}
			for range params {
				args = append(args, konst(1<<30))
			}
			return append(args, call(self))
		})
	}
	large := ""
	for range 5_000 {
		large += "I"
	}
	return []Case{
		{Name: "recursion without loops", Module: with(func(m *wasmtest.Module) [][]byte {
			return [][]byte{konst(60), call(fib(m))}
		}),
			Want: "on_event: deadline"},
		{Name: "recursion without loops in configure",
			Module: with(func(m *wasmtest.Module) [][]byte {
				f := fib(m)
				m.Func("configure", "", "i", "", konst(60), call(f), konst(0))
				return nil
			}), Want: "configure: deadline"},
		{Name: "mutual recursion", Module: with(func(m *wasmtest.Module) [][]byte {
			a := m.Func("", "", "", "")
			b := m.Func("", "", "", "", call(a))
			m.Body(a, "", call(b))
			return [][]byte{call(a)}
		}), Want: "on_event: trap | on_event: deadline"},
		{Name: "recursion through a table", Module: with(func(m *wasmtest.Module) [][]byte {
			m.Table(1, 1)
			self := m.Func("", "", "", "")
			m.Element(0, self)
			m.Body(self, "", konst(0), op(0x11), wasmtest.Uint(m.Type("", "")), op(0))
			return [][]byte{call(self)}
		}), Want: "on_event: trap | on_event: deadline"},
		{Name: "recursion with large frames", Module: deep("i", large, func(self uint32) []byte {
			// All variables get values that are read after the call.
			var code, after []byte
			for n := uint32(1); n <= 5_000; n++ {
				// extend, local.set
				code = append(code, cat(local(0), op(0xac, 0x21), wasmtest.Uint(n))...)
				after = append(after, cat(local(n), drop)...)
			}
			return cat(code, local(0), call(self), after)
		}), Want: "on_event: trap | on_event: deadline"},
		{Name: "deep recursion that returns again and again",
			Module: with(func(m *wasmtest.Module) [][]byte {
				self := m.Func("", "i", "", "")
				m.Body(self, "", local(0), wasmtest.If(local(0), konst(1), op(0x6b), call(self)))
				return [][]byte{loop(konst(20_000), call(self))}
			}), Want: "on_event: deadline"},
		{Name: "calls of a function with 50,000 variables",
			Module: with(func(m *wasmtest.Module) [][]byte {
				f := m.Func("", "i", "", "")
				m.Variables(f, 50_000, wasmtest.I64, manyVariables(1, 50_000, 2_000))
				return [][]byte{loop(konst(0), call(f))}
			}), Want: "on_event: deadline"},
		{Name: "calls that reach far down", Module: with(func(m *wasmtest.Module) [][]byte {
			f := m.Func("", "", "", "")
			for range 40 { // each calls the one before it twice
				f = m.Func("", "", "", "", call(f), call(f))
			}
			return [][]byte{call(f)}
		}), Want: "on_event: deadline"},
	}
}

// manyVariables uses many variables, but only if the parameter is not 0.
func manyVariables(first, n, used uint32) []byte {
	var sum []byte
	for i := range used {
		v := first + i*(n/used)
		// add, local.set
		sum = append(sum, cat(local(v), konst64(1), op(0x7c, 0x21), wasmtest.Uint(v))...)
	}
	return cat(local(0), wasmtest.If(loop(sum)))
}
