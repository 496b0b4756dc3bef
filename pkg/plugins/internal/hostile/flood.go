package hostile

import (
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// floods call host functions without end, with what makes most work.
func floods(url string) []Case {
	var cases []Case
	for _, u := range uses(url) {
		long := u.long
		if long == 0 {
			long = textLength
		}
		end := int32(atText)
		if u.configure { // the memory has one page there
			end, long = 1<<16-long%(1<<16)-1, min(long, 60_000)
			if long > 50_000 {
				end = 0
			}
		}
		cases = append(cases,
			Case{Name: "flood of large " + u.String(), Want: u.export() + ": deadline",
				Module: u.where(url, loop(u.call(end, long), forget(u.function())))},
			Case{Name: "flood of small " + u.String(), Want: u.export() + ": deadline",
				Module: u.where(url, loop(u.call(0, 3), forget(u.function())))})
	}
	set := func(args ...[]byte) []byte { return host(abi.ModuleKV, "set", args...) }
	flood := func(code ...[]byte) func() []byte { return use{}.where(url, loop(code...)) }
	// another key each time
	next := wasmtest.Store(atKey, cat(local(4), konst(1), wasmtest.Add, op(0x22, 4)))
	return append(cases,
		Case{Name: "flood of new keys", Want: "on_event: deadline",
			Module: flood(next, set(konst(atKey), konst(4), konst(atText), konst(abi.MaxKVValue),
				konst64(0)), drop)},
		Case{Name: "flood of keys that end", Want: "on_event: deadline",
			Module: flood(next, set(konst(atKey), konst(4), konst(atKey), konst(4), konst64(1)),
				drop)},
		Case{Name: "flood of emitted events", Want: "on_event: deadline",
			Module: caller(url, func(m *wasmtest.Module) [][]byte {
				configured(m)
				m.Data(256, `{"type":"a"}`)
				return [][]byte{
					loop(host(abi.ModuleResult, "emit", konst(1), konst(256), konst(12)), drop)}
			})},
		Case{Name: "flood of emitted arrays in arrays", Want: "on_event: deadline",
			Module: caller(url, func(m *wasmtest.Module) [][]byte {
				configured(m)
				return [][]byte{konst(atText), konst('['), konst(1 << 20), bulk(11, 0),
					loop(host(abi.ModuleResult, "emit", konst(2), konst(atText), konst(1<<20)),
						drop)}
			})},
		Case{Name: "flood of iterators over all objects", Want: "on_event: deadline",
			Module: caller(url, func(m *wasmtest.Module) [][]byte {
				configured(m)
				m.Data(256, Index)
				open := host(abi.ModuleCache, "by_index", konst(0), konst(256), size(Index),
					konst(atName), konst(0))
				read := host(abi.ModuleCache, "iter_field", konst(1), konst(-1), konst(atText),
					konst(textLength))
				return [][]byte{loop(open, drop, host(abi.ModuleCache, "iter_next", konst(1)), drop,
					read, drop)}
			})},
		Case{Name: "a request that is never answered", Want: "verdict | on_event: deadline",
			Module: use{}.where(url,
				cat(host(abi.ModuleHTTP, "request", konst(atHead), size(head(url)), konst(0),
					konst(0)), drop))},
	)
}

// phases are what goes wrong while a guest starts, and at its end.
func phases() []Case {
	guests := func(change func(m *wasmtest.Module)) func() []byte {
		return with(func(m *wasmtest.Module) [][]byte {
			change(m)
			return nil
		})
	}
	verdict := func(v int32) func() []byte { return runs(konst(v), wasmtest.Return) }
	const bad = "on_event: protocol"
	cases := []Case{
		{Name: "a start function that traps", Module: guests(func(m *wasmtest.Module) {
			m.Start(m.Func("", "", "", "", unreachable))
		}),
			Want: "start: trap"},
		{Name: "recursion in the start function", Module: guests(func(m *wasmtest.Module) {
			self := m.Func("", "", "", "")
			m.Body(self, "", call(self))
			m.Start(self)
		}), Want: "start: trap"},
		{Name: "_initialize that traps", Module: guests(func(m *wasmtest.Module) {
			m.Func("_initialize", "", "", "", unreachable)
		}),
			Want: "_initialize: trap"},
		{Name: "configure that traps", Module: guests(func(m *wasmtest.Module) {
			m.Func("configure", "", "i", "", unreachable)
		}),
			Want: "configure: trap"},
		{Name: "configure that refuses", Module: guests(func(m *wasmtest.Module) {
			m.Func("configure", "", "i", "", konst(-1))
		}),
			Want: "configure: refused"},
		{Name: "configure that traps with all its memory in use",
			Module: guests(func(m *wasmtest.Module) {
				m.Func("configure", "", "i", "", wasmtest.Grow(63), drop, unreachable)
			}), Want: "configure: memory"},
		{Name: "a start function with a parameter", Module: guests(func(m *wasmtest.Module) {
			m.Start(m.Func("", "i", "", ""))
		}),
			Want: invalid},
		{Name: "a start function that is not there", Module: guests(func(m *wasmtest.Module) {
			m.Start(99)
		}), Want: invalid},
		{Name: "the verdict 4", Module: verdict(4), Want: bad},
		{Name: "the verdict -1", Module: verdict(-1), Want: bad},
		{Name: "the smallest verdict", Module: verdict(-1 << 31), Want: bad},
		{Name: "the verdict 7 about a batch", Module: guests(func(m *wasmtest.Module) {
			m.Func("on_batch", "i", "i", "", konst(7))
		}),
			Want: "on_batch: protocol", Events: 2},
		{Name: "the verdict 7 about an event of a batch",
			Module: batch(nextEvent, wasmtest.Store(16, konst(7)), nextEvent),
			Want:   "on_batch: protocol", Events: 2},
		{Name: "a batch without end", Module: batch(loop(nextEvent)), Want: "on_batch: deadline",
			Events: 2},
		{Name: "a batch whose records are not in the memory",
			Module: batch(host(abi.ModuleEvent, "next", konst(-20), konst(20)), drop),
			Want:   "on_batch: protocol", Events: 2},
		{Name: "a batch that is not looked at", Module: batch(), Want: "verdict", Events: 100},
		{Name: "on_event that calls itself once more",
			Module: with(func(m *wasmtest.Module) [][]byte {
				self := uint32(marker + 1) // on_event comes next
				again := cat(konst(9), local(1), local(2), local(3), call(self), drop)
				return [][]byte{local(0), konst(9), op(0x47), wasmtest.If(again)}
			}), Want: "verdict"},
	}
	// Each host function, before there is anything for it to work on.
	for _, u := range uses("http://127.0.0.1:1/") {
		at := func(export, results string, code ...[]byte) func() []byte {
			return caller("http://127.0.0.1:1/", func(m *wasmtest.Module) [][]byte {
				f := m.Func(export, "", results, "", u.call(0, 3), forget(u.function()),
					cat(code...))
				if export == "" {
					m.Start(f)
				}
				return nil
			})
		}
		cases = append(cases,
			Case{Name: u.String() + " in the start function", Module: at("", ""), Want: "verdict"},
			Case{Name: u.String() + " in _initialize", Module: at("_initialize", ""),
				Want: "verdict"},
			Case{Name: u.String() + " in configure", Module: at("configure", "i", konst(0)),
				Want: "verdict"})
	}
	return cases
}

var nextEvent = cat(host(abi.ModuleEvent, "next", konst(0), konst(20)), drop)

// batch is a guest whose on_batch runs some code.
func batch(code ...[]byte) func() []byte {
	return caller("http://127.0.0.1:1/", func(m *wasmtest.Module) [][]byte {
		m.Func("on_batch", "i", "i", "", cat(code...), konst(0))
		return nil
	})
}
