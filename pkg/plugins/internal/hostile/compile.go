package hostile

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// Recipe is a module whose only purpose is to be costly to load. A, B and C say how much of what
// there is; what they mean depends on Kind.
type Recipe struct {
	Kind    string
	A, B, C int
}

func (r Recipe) String() string { return fmt.Sprintf("%s %d %d %d", r.Kind, r.A, r.B, r.C) }

// recipes make modules, each from three numbers of at least 1.
var recipes = map[string]func(m *wasmtest.Module, a, b, c int){
	// a loops without a branch back, in the innermost of which b variables are read c times.
	"loops": func(m *wasmtest.Module, a, b, c int) {
		withVariables(m, b, cat(repeat(a, op(0x03, 0x40)),
			repeat(c, eachVariable(b, func(v uint32) []byte {
				return cat(local(v), drop)
			})), repeat(a, op(0x0b))))
	},
	// The same with branches back, and variables that are changed.
	"changing": func(m *wasmtest.Module, a, b, c int) {
		change := eachVariable(b, func(v uint32) []byte {
			return cat(local(v), konst64(1), op(0x7c, 0x21), wasmtest.Uint(v))
		})
		withVariables(m, b, cat(repeat(a, op(0x03, 0x40)), repeat(c, change),
			repeat(a, local(0), op(0x0d, 0, 0x0b))))
	},
	// a branches out of a block one after the other, and b reads of c variables behind them.
	"chain": func(m *wasmtest.Module, a, b, c int) {
		reads := []byte{}
		for n := range b {
			reads = append(reads, cat(local(uint32(1+n%c)), drop)...)
		}
		withVariables(m, c, cat(op(0x02, 0x40), repeat(a, local(0), op(0x0d, 0)), reads, op(0x0b)))
	},
	// a values that are there while b branches are passed, in each of c functions.
	"live": func(m *wasmtest.Module, a, b, c int) {
		for range c {
			f := m.Func("", "i", "", "")
			m.Body(f, "", op(0x02, 0x40), konst(0), repeat(a, local(0), op(0x29, 0, 0)),
				repeat(b, local(0), op(0x0d, 0)), repeat(a-1, op(0x7c)),
				op(0x37, 3, 0, 0x0b))
		}
	},
	// a functions of b calls, each with c arguments.
	"calls": func(m *wasmtest.Module, a, b, c int) {
		leaf := m.Func("", string(slices.Repeat([]byte("i"), c)), "", "")
		m.Body(leaf, "")
		for range a {
			m.Func("", "", "", "", repeat(b, repeat(c, konst(1)), call(leaf)))
		}
	},
	// a tables of b targets each, all of them c blocks up at most.
	"tables": func(m *wasmtest.Module, a, b, c int) {
		targets := wasmtest.Uint(uint32(b))
		for n := range b + 1 {
			targets = append(targets, wasmtest.Uint(uint32(n%c))...)
		}
		f := m.Func("", "i", "", "")
		m.Body(f, "", repeat(a, repeat(c, op(0x02, 0x40)), local(0), op(0x0e), targets,
			repeat(c, op(0x0b))))
	},
	// b blocks in each other in each of a functions, with c constants in the innermost.
	"blocks": func(m *wasmtest.Module, a, b, c int) {
		for range a {
			m.Func("", "", "", "", repeat(b, op(0x02, 0x40)), repeat(c, konst(1), drop),
				repeat(b, op(0x0b)))
		}
	},
	// a functions of b additions, with c variables each.
	"functions": func(m *wasmtest.Module, a, b, c int) {
		for range a {
			m.Variables(m.Func("", "i", "", ""), uint32(c), wasmtest.I64,
				repeat(b, local(0), konst(1), op(0x6a, 0x21, 0)))
		}
	},
	// a types of up to b parameters, and c functions of them.
	"types": func(m *wasmtest.Module, a, b, c int) {
		for n := range a {
			params := fmt.Appendf(nil, "%b", n) // all differ
			for i, digit := range params {
				params[i] = map[byte]byte{'0': 'i', '1': 'I'}[digit]
			}
			m.Type(string(append(params, slices.Repeat([]byte("i"), max(0, b-len(params)))...)), "")
		}
		for n := range c {
			m.Func("", string(slices.Repeat([]byte("i"), 1+n%b)), "", "")
		}
	},
	// a data segments of b bytes, and a table's element of c functions.
	"data": func(m *wasmtest.Module, a, b, c int) {
		text := string(make([]byte, b))
		for range a {
			m.Passive(text)
		}
		m.Table(uint32(min(c, 60_000)), -1)
		m.Element(0, make([]uint32, min(c, 60_000))...)
	},
	// a functions of b instructions on vectors, of which c values are there at once.
	"vectors": func(m *wasmtest.Module, a, b, c int) {
		zero := cat(op(0xfd, 12), make([]byte, 16))
		for range a {
			// i8x16.add
			m.Func("", "", "", "", repeat(c, zero), repeat(b, zero, op(0xfd, 0x6e)),
				repeat(c, drop))
		}
	},
	// a branches to a block of b values, which is checked for each, behind code that is never
	// reached.
	"checks": func(m *wasmtest.Module, a, b, c int) {
		results := string(slices.Repeat([]byte("i"), b))
		t := m.Type("", results)
		f := m.Func("", "", "", "")
		m.Body(f, "", repeat(c, op(0x02), wasmtest.Uint(t), op(0x00), repeat(a, op(0x0c, 0)),
			op(0x0b), repeat(b, drop)))
	},
	// a functions with names of b letters, c of them to each function's name section in all.
	"names": func(m *wasmtest.Module, a, b, c int) {
		name := slices.Repeat([]byte("n"), b)
		var entries [][]byte
		for n := range a {
			m.Func("", "", "", "")
			entries = append(entries, cat(wasmtest.Uint(uint32(n+1)), wasmtest.Text(string(name))))
		}
		content := wasmtest.Vector(entries...)
		m.Custom("name", cat(op(1), wasmtest.Uint(uint32(len(content))), content))
	},
}

// withVariables adds a function with so many variables behind its parameter.
func withVariables(m *wasmtest.Module, n int, code []byte) {
	m.Variables(m.Func("", "i", "", ""), uint32(n), wasmtest.I64, code)
}

func eachVariable(n int, code func(uint32) []byte) (all []byte) {
	for v := range uint32(n) {
		all = append(all, code(1+v)...)
	}
	return all
}

// kinds are those of recipes, in order.
func kinds() []string {
	var all []string
	for kind := range recipes {
		all = append(all, kind)
	}
	slices.Sort(all)
	return all
}

// Module makes the module.
func (r Recipe) Module() []byte {
	m := guest(&wasmtest.Module{})
	recipes[r.Kind](m, r.A, r.B, r.C)
	return onEvent(m)
}

// Size is about how many bytes the module has, so that one that is too large is not made.
func (r Recipe) Size() int {
	a, b, c := r.A, r.B, r.C
	switch r.Kind {
	case "loops", "changing":
		return 7*a + 12*b*c
	case "chain":
		return 4*a + 4*b
	case "live":
		return c * (6*a + 4*b)
	case "calls":
		return a * b * (2*c + 3)
	case "tables":
		return a * (2*b + 3*c)
	case "blocks":
		return a * (3*b + 3*c)
	case "functions":
		return a * (7*b + 10)
	case "types":
		return a*(b+4) + 10*c
	case "data":
		return a*(b+4) + c
	case "vectors":
		return a * (20*b + 20*c)
	case "checks":
		return c * (2*a + b)
	}
	return a * (b + 10)
}

// Random returns a recipe of at most so many bytes.
func Random(random *rand.Rand, most int) Recipe {
	kinds := kinds()
	for {
		number := func() int { return 1 << random.IntN(18) * (2 + random.IntN(3)) / 2 }
		if r := (Recipe{kinds[random.IntN(len(kinds))], number(), number(),
			number()}).bounded(); r.Size() <= most {
			return r
		}
	}
}

// Near returns a recipe that differs in one number, of at most so many bytes.
func (r Recipe) Near(random *rand.Rand, most int) Recipe {
	for range 100 {
		next := r
		number := []*int{&next.A, &next.B, &next.C}[random.IntN(3)]
		*number = max(1, *number*(1+random.IntN(8))/4)
		if next = next.bounded(); next != r && next.Size() <= most {
			return next
		}
	}
	return Random(random, most)
}

// bounded keeps to what the first look at a module allows, behind which is what costs.
func (r Recipe) bounded() Recipe {
	limit := func(n *int, most int) { *n = min(*n, most) }
	switch r.Kind {
	case "loops", "changing":
		limit(&r.A, 3_000)
		limit(&r.B, 49_000)
	case "chain":
		limit(&r.A, 11_900)
		limit(&r.C, 49_000)
	case "live":
		limit(&r.B, 11_900)
	case "calls", "types":
		limit(&r.C, 99_000)
		limit(&r.B, 900)
		if r.Kind == "calls" {
			r.B, r.C = r.C, min(r.B, 900)
		}
		limit(&r.A, 9_000)
	case "tables", "blocks":
		limit(&r.B, 11_000)
		limit(&r.C, 11_000)
	case "functions", "names":
		limit(&r.A, 99_000)
		limit(&r.C, 49_000)
	case "data":
		limit(&r.A, 99_000)
	case "checks":
		limit(&r.A, 11_000)
		limit(&r.B, 900)
		limit(&r.C, 1+11_000/(r.A+1))
	}
	return r
}
