package meter

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// The value types that generated modules use. Floating-point numbers and vectors do not leave a
// function, since engines may differ in the bits of NaN.
const (
	i32  byte = 0x7f
	i64  byte = 0x7e
	f64  byte = 0x7c
	v128 byte = 0x7b
	ref  byte = 0x70
)

// generator makes valid modules that come to an end. From the same seed it makes the same module,
// as it is or so that it counts its own instructions, which is how the rewriter's arithmetic is
// checked by something that knows nothing of it.
type generator struct {
	*rand.Rand
	counting bool

	types  []string // encoded function types
	sigs   []signature
	memory bool
	bodies [][]byte

	// of the function that is being made
	code   []byte
	locals []byte // types, parameters first
	own    int    // number of parameters
	index  int
	labels []bool // open blocks, innermost last: whether a branch may lead there without values
	budget int    // how much more to make
}

type signature struct{ params, results []byte }

const (
	hostFunc   = 0 // the imported function
	counter    = 0 // global: number of instructions, if counting
	countName  = "count"
	globalI32  = 1
	globalI64  = 2
	globalRef  = 3
	tableSizes = "\x08\x05"
)

// generate makes a module.
func generate(seed uint64, counting bool) []byte {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1)), counting: counting}
	g.memory = g.IntN(8) > 0
	g.typ(signature{[]byte{i32}, []byte{i32}}) // of the imported function
	for range 1 + g.IntN(5) {
		g.sigs = append(g.sigs, signature{g.some(3), g.some(3)})
	}
	g.sigs[0].params = nil
	for i := range g.sigs {
		g.function(i)
	}
	g.sigs = append(g.sigs, signature{}) // for the start function
	g.function(len(g.sigs) - 1)
	return g.module()
}

// some makes a list of types.
func (g *generator) some(most int) []byte {
	ts := make([]byte, g.IntN(most+1))
	for i := range ts {
		ts[i] = []byte{i32, i64}[g.IntN(2)]
	}
	return ts
}

func (g *generator) typ(s signature) uint32 {
	t := fmt.Sprintf("\x60%c%s%c%s", len(s.params), s.params, len(s.results), s.results)
	if i := slices.Index(g.types, t); i >= 0 {
		return uint32(i)
	}
	g.types = append(g.types, t)
	return uint32(len(g.types) - 1)
}

func (g *generator) module() []byte {
	uint32s := wasmtest.Uint
	var types, funcs, exports, codes []byte
	for _, s := range g.sigs {
		funcs = append(funcs, uint32s(g.typ(s))...)
	}
	for _, t := range g.types {
		types = append(types, t...)
	}
	export := func(name string, kind byte, index uint32) []byte {
		return append(append(wasmbin.AppendName(nil, name), kind), uint32s(index)...)
	}
	exports = slices.Concat(export("run", 0, 1), export(countName, 3, counter),
		export("a", 3, globalI32), export("b", 3, globalI64))
	n := uint32(len(g.sigs))
	section := func(id byte, items uint32, content []byte) []byte {
		return wasmtest.Section(id, append(uint32s(items), content...))
	}
	out := []byte(wasmbin.Preamble)
	add := func(b []byte) { out = append(out, b...) }
	add(section(wasmbin.SectionType, uint32(len(g.types)), types))
	add(section(wasmbin.SectionImport, 1,
		append(wasmbin.AppendName(wasmbin.AppendName(nil, "env"), "host"), 0, 0)))
	add(section(wasmbin.SectionFunction, n, funcs))
	add(section(wasmbin.SectionTable, 2, []byte{ref, 1, 8, 20, ref, 0, 5}))
	count := uint32(4)
	if g.memory {
		add(section(wasmbin.SectionMemory, 1, []byte{1, 1, 4}))
		exports = append(exports, export("memory", 2, 0)...)
		count++
	}
	add(section(wasmbin.SectionGlobal, 4, slices.Concat([]byte{i64, 1, opI64Const, 0, opEnd},
		[]byte{i32, 1, opI32Const, 7, opEnd},
		[]byte{i64, 1, opI64Const, 0x7f, opEnd}, []byte{ref, 1, opRefFunc, byte(n), opEnd})))
	add(section(wasmbin.SectionExport, count, exports))
	if g.IntN(4) == 0 {
		add(wasmtest.Section(wasmbin.SectionStart, uint32s(n)))
	}
	// Functions 1 to n by index, and by expression; the latter, passive one is for table.init.
	elements := append([]byte{0, opI32Const, 1, opEnd, byte(n)}, sequence(n)...)
	elements = append(elements, 5, ref, 3, opRefFunc, byte(n), opEnd, wasmbin.RefNull, ref, opEnd,
		opRefFunc, 0, opEnd)
	add(section(wasmbin.SectionElement, 2, elements))
	datas := uint32(0)
	if g.memory {
		add(wasmtest.Section(wasmbin.SectionDataCount, uint32s(1)))
		datas = 1
	}
	for _, b := range g.bodies {
		codes = append(append(codes, uint32s(uint32(len(b)))...), b...)
	}
	add(section(wasmbin.SectionCode, n, codes))
	add(section(wasmbin.SectionData, datas,
		append([]byte{1}, wasmbin.AppendName(nil,
			"a passive data segment, for init")...)[:datas*34]))
	var names []byte
	for i := range n {
		names = wasmbin.AppendName(append(names, byte(i+1)), fmt.Sprintf("f%d", i))
	}
	return append(out, wasmtest.Section(wasmbin.SectionCustom,
		append(wasmbin.AppendName(nil, "name"), section(functionNames, n, names)...))...)
}

func sequence(n uint32) (out []byte) {
	for i := range n {
		out = append(out, byte(i+1))
	}
	return out
}

// function makes the body of one function. It calls none but later ones, so that there is no
// recursion.
func (g *generator) function(i int) {
	s := g.sigs[i]
	g.code, g.index, g.own = nil, i, len(s.params)
	g.locals = append(slices.Clone(s.params), i32, i32, i64, i64, f64, v128)
	g.labels, g.budget = []bool{len(s.results) == 0}, 60
	g.statements(2)
	for _, t := range s.results {
		g.expression(t, 3)
	}
	g.free(opEnd)
	own := g.locals[g.own:]
	body := wasmtest.Uint(uint32(len(own)))
	for _, t := range own {
		body = append(body, 1, t)
	}
	g.bodies = append(g.bodies, append(body, g.code...))
}

// free adds an instruction that costs nothing.
func (g *generator) free(b ...byte) { g.code = append(g.code, b...) }

// op adds an instruction that costs one unit.
func (g *generator) op(b ...byte) { g.costs(1, b...) }

// costs adds an instruction that costs more.
func (g *generator) costs(n int64, b ...byte) {
	if g.counting {
		g.code = append(g.code, opGlobalGet, counter)
		g.code = append(g.code, wasmtest.Const64(n)...)
		g.code = append(g.code, 0x7c, opGlobalSet, counter)
	}
	g.code = append(g.code, b...)
}

func (g *generator) konst(v int) { g.op(wasmtest.Const(int32(v))...) }

// local adds a variable.
func (g *generator) local(t byte) byte {
	g.locals = append(g.locals, t)
	return byte(len(g.locals) - 1)
}

// variable picks one that is not a loop's.
func (g *generator) variable(t byte) byte {
	var of []byte
	for i, have := range g.locals[:g.own+6] {
		if have == t {
			of = append(of, byte(i))
		}
	}
	return of[g.IntN(len(of))]
}

// open begins a block, close ends it.
func (g *generator) open(b []byte, plain bool) {
	g.labels = append(g.labels, plain)
	g.free(b...)
}

func (g *generator) close() {
	g.labels = g.labels[:len(g.labels)-1]
	g.free(opEnd)
}

// label picks a block to branch to, by its distance, -1 if there is none.
func (g *generator) label() int {
	var of []int
	for i, plain := range g.labels {
		if plain {
			of = append(of, len(g.labels)-1-i)
		}
	}
	if len(of) == 0 {
		return -1
	}
	return of[g.IntN(len(of))]
}
