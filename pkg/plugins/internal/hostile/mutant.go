package hostile

import (
	"math/rand/v2"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// Good are small modules of every kind, which do something with all that there is.
func Good() [][]byte {
	const url = "http://127.0.0.1:1/"
	uses := uses(url)
	everything := caller(url, func(m *wasmtest.Module) [][]byte {
		m.Table(4, 8)
		m.Global(3)
		m.Element(1, number(abi.ModuleLog, "enabled"))
		m.Passive("passive")
		m.Custom("name", wasmtest.Section(1,
			wasmtest.Vector(cat(wasmtest.Uint(uint32(len(abi.Imports))), wasmtest.Text("marker")))))
		helper := m.Func("", "iI", "I", "II", local(1), konst64(3), op(0x7c))
		var code [][]byte
		for _, u := range uses {
			if !u.configure {
				code = append(code, u.call(atKey, 3), forget(u.function()))
			}
		}
		m.Func("_initialize", "", "", "", wasmtest.Const(1), wasmtest.SetGlobal(0))
		configured(m, uses[4].call(32_768, 8_192), drop)
		m.Func("on_batch", "i", "i", "", loop(host(abi.ModuleEvent, "next", konst(0), konst(20)),
			less, wasmtest.If(konst(0), wasmtest.Return)), konst(0))
		return append(code,
			konst(1), konst64(2), call(helper), drop,
			konst(0), konst(1), op(0x11), wasmtest.Uint(m.Type("i", "i")), op(0), drop,
			wasmtest.Times(4, 10), wasmtest.GetGlobal(0), op(0x04, 0x40), op(0x01), op(0x05),
			unreachable, op(0x0b),
			local(0), op(0x02, 0x40, 0x02, 0x40), local(0), op(0x0e, 2, 0, 1, 1, 0x0b, 0x0b, 0x1a),
			konst(0), konst(0), konst(3), bulk(8, 1, 0), konst(0), konst(64), konst(9),
			bulk(10, 0, 0),
			null, konst(1), bulk(15, 0), drop)
	})
	var program func() []byte
	for _, c := range commands() {
		if c.Name == "command: a verdict without reading" {
			program = c.Module
		}
	}
	return [][]byte{nothing(), everything(), runs(wasmtest.Grow(1), drop, wasmtest.Times(4, 100))(),
		program()}
}

// Mutant damages a module in one to three places, or cuts it off. What it is given stays as it is.
func Mutant(seed uint64, module []byte) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	m := append(make([]byte, 0, len(module)+64), module...)
	if r.IntN(8) == 0 {
		m = m[:r.IntN(len(m))]
	}
	for range 1 + r.IntN(2)*r.IntN(3) {
		if len(m) == 0 {
			break
		}
		at := r.IntN(len(m))
		end := min(len(m), at+1+r.IntN(16))
		switch r.IntN(8) {
		case 0: // a number's last byte, its other bytes, and what is most often special
			m[at] = []byte{0, 1, 0x0b, 0x40, 0x7f, 0x80, 0xfc, 0xff}[r.IntN(8)]
		case 1:
			m = append(m[:at], m[end:]...)
		case 2:
			m = append(m[:end], append([]byte(nil), m[at:]...)...) // twice
		default:
			m[at] ^= 1 << r.IntN(8)
		}
	}
	return m
}
