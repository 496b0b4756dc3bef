package meter

import (
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

func (g *generator) statements(depth int) {
	for range 1 + g.IntN(5) {
		if g.budget--; g.budget > 0 {
			g.statement(depth)
		}
	}
}

// statement adds code that leaves nothing on the stack.
func (g *generator) statement(depth int) {
	kinds := 18
	if depth == 0 {
		kinds = 11
	}
	switch g.IntN(kinds) {
	case 0, 1:
		t := []byte{i32, i64, f64, v128}[g.IntN(4)]
		g.expression(t, 3)
		g.op(0x21, g.variable(t))
	case 2:
		g.expression(i32, 2)
		g.op(opGlobalSet, globalI32)
	case 3:
		g.expression(i64, 2)
		g.op(opGlobalSet, globalI64)
	case 4:
		g.store()
	case 5:
		g.bulkMemory()
	case 6:
		g.bulkTable()
	case 7:
		g.grow()
	case 8:
		g.branch()
	case 9:
		g.free(opNop)
	case 10:
		g.call()
	case 11, 12:
		g.conditional(depth)
	case 13, 14:
		g.open([]byte{opBlock, 0x40}, true)
		g.statements(depth - 1)
		g.close()
	case 15, 16:
		g.loop(depth)
	case 17:
		g.loopOfValues(depth)
	}
}

func (g *generator) conditional(depth int) {
	g.expression(i32, 2)
	g.op() // the if itself
	g.open([]byte{opIf, 0x40}, true)
	g.statements(depth - 1)
	if g.IntN(2) == 0 {
		g.free(opElse)
		g.statements(depth - 1)
	}
	switch g.IntN(12) {
	case 0:
		g.op(opUnreachable)
	case 1:
		for _, t := range g.sigs[g.index].results {
			g.expression(t, 1)
		}
		g.op(opReturn)
		g.statement(0) // never executed
	}
	g.close()
}

// loop adds a loop of a few rounds, which restart in one or two places.
func (g *generator) loop(depth int) {
	round := g.local(i32)
	g.konst(1 + g.IntN(6))
	g.op(0x21, round)
	g.open([]byte{opLoop, 0x40}, false)
	g.statements(depth - 1)
	if g.IntN(2) == 0 {
		g.again(round)
		g.statements(depth - 1)
	}
	if g.IntN(8) > 0 { // else the code runs once
		g.again(round)
	}
	g.close()
}

func (g *generator) again(round byte) {
	g.op(opLocalGet, round)
	g.konst(1)
	g.op(0x6b)
	g.op(opLocalTee, round)
	g.konst(0)
	g.op(0x4a) // gt_s
	g.op(opBrIf, 0)
}

// loopOfValues adds a loop that takes two values and returns two.
func (g *generator) loopOfValues(depth int) {
	round := g.local(i32)
	g.konst(1 + g.IntN(6))
	g.op(0x21, round)
	t := g.typ(signature{[]byte{i32, i64}, []byte{i32, i64}})
	g.expression(i32, 1)
	g.expression(i64, 1)
	g.open(append([]byte{opLoop}, wasmtest.Uint(t)...), false)
	g.expression(i64, 1)
	g.op(0x7c) // i64.add
	g.again(round)
	g.close()
	g.op(0x21, g.variable(i64))
	g.op(0x21, g.variable(i32))
}

func (g *generator) branch() {
	l := g.label()
	if l < 0 {
		return
	}
	switch g.IntN(3) {
	case 0:
		g.expression(i32, 2)
		g.op(opBrIf, byte(l))
	case 1:
		g.expression(i32, 2)
		g.op(opBrTable, 2, byte(l), byte(g.label()), byte(g.label()))
		g.statement(0)
	case 2:
		g.expression(i32, 1)
		g.op()
		g.open([]byte{opIf, 0x40}, false)
		g.op(opBr, byte(l+1))
		g.statement(0)
		g.close()
	}
}

// call calls a later function, or one by the table, which may be none or of another type.
func (g *generator) call() {
	if g.index+1 >= len(g.sigs) || g.IntN(6) == 0 {
		g.expression(i32, 1)
		g.op(opCall, hostFunc)
		g.op(0x1a) // drop
		return
	}
	f := g.index + 1 + g.IntN(len(g.sigs)-g.index-1)
	s := g.sigs[f]
	for _, t := range s.params {
		g.expression(t, 1)
	}
	if g.IntN(3) == 0 {
		g.konst(f + 1 + g.IntN(8)/7) // see module: the table has them from 1 on
		g.op(opCallIndirect, byte(g.typ(s)), 0)
	} else {
		g.op(opCall, byte(f+1))
	}
	for i := range s.results {
		g.op(0x21, g.variable(s.results[len(s.results)-1-i]))
	}
}

// address pushes one that is mostly within the memory.
func (g *generator) address() {
	g.expression(i32, 1)
	if g.IntN(20) > 0 {
		g.konst(0x7ff)
		g.op(0x71) // and
	}
}

func (g *generator) store() {
	if !g.memory {
		return
	}
	g.address()
	if g.IntN(2) == 0 {
		g.expression(i32, 2)
		g.op(0x36, 2, 8)
	} else {
		g.expression(i64, 2)
		g.op(0x37, 0, 0x80, 1)
	}
}

func (g *generator) bulkMemory() {
	if !g.memory {
		return
	}
	n := g.IntN(200)
	bulk := func(b ...byte) {
		g.konst(n)
		g.costs(1+int64(n)/16, append([]byte{opBulk}, b...)...)
	}
	g.address()
	switch g.IntN(4) {
	case 0:
		g.expression(i32, 1)
		bulk(bulkMemoryFill, 0)
	case 1:
		g.address()
		bulk(bulkMemoryCopy, 0, 0)
	case 2:
		g.konst(g.IntN(4))
		n %= 30
		bulk(bulkMemoryInit, 0, 0)
	case 3:
		g.op(0x1a)
		if g.IntN(5) == 0 {
			g.op(opBulk, 9, 0) // data.drop
		}
	}
}

func (g *generator) bulkTable() {
	n := g.IntN(4)
	bulk := func(extra int64, b ...byte) {
		g.konst(n)
		g.costs(1+extra+int64(n), append([]byte{opBulk}, b...)...)
	}
	switch g.IntN(6) {
	case 0:
		g.konst(g.IntN(3))
		g.op(opRefFunc, byte(1+g.IntN(len(g.sigs))))
		bulk(0, bulkTableFill, 1)
	case 1:
		g.konst(g.IntN(3))
		g.konst(1 + g.IntN(3))
		bulk(0, bulkTableCopy, 1, 0)
	case 2:
		g.konst(g.IntN(3))
		g.konst(0)
		bulk(0, bulkTableInit, 1, 1)
	case 3:
		g.op(wasmbin.RefNull, ref)
		bulk(leave, bulkTableGrow, byte(g.IntN(2)))
		g.op(opGlobalSet, globalI32)
	case 4:
		g.konst(1)
		g.op(opGlobalGet, globalRef)
		g.op(0x26, 1) // table.set
	case 5:
		if g.IntN(5) == 0 {
			g.op(opBulk, 13, 1) // elem.drop
		}
	}
}

func (g *generator) grow() {
	if !g.memory {
		return
	}
	got := g.local(i32)
	pages := g.IntN(3)
	g.konst(pages)
	g.costs(1+leave, opMemoryGrow, 0)
	g.op(opLocalTee, got)
	if g.counting {
		g.free(opLocalGet, got, opI32Const, 0x7f, opI32Ne, opIf, 0x40)
		g.costs(int64(pages) * unitsPerPage)
		g.free(opEnd)
	}
	g.op(opGlobalSet, globalI32)
}

// expression adds code that leaves one value on the stack.
func (g *generator) expression(t byte, depth int) {
	if g.budget--; depth == 0 || g.budget <= 0 {
		g.leaf(t)
		return
	}
	switch t {
	case i32:
		g.int32(depth - 1)
	case i64:
		g.int64(depth - 1)
	case f64:
		g.leaf(f64)
		g.expression(i32, depth-1)
		g.op(0xb7)                          // f64.convert_i32_s
		g.op([]byte{0xa0, 0xa2}[g.IntN(2)]) // add, mul
	case v128:
		g.expression(i32, depth-1)
		g.op(wasmbin.Vector, 17) // i32x4.splat
		g.leaf(v128)
		// add, and, sub
		g.op(append([]byte{wasmbin.Vector}, [][]byte{{0xae, 1}, {0x4e}, {
			0xb1, 1}}[g.IntN(3)]...)...)
	}
}

func (g *generator) leaf(t byte) {
	switch {
	case g.IntN(3) == 0:
		g.op(opLocalGet, g.variable(t))
	case t == i32:
		g.konst(g.IntN(1<<g.IntN(31)) - g.IntN(3))
	case t == i64:
		g.op(wasmtest.Const64(int64(g.Uint64() >> g.IntN(64)))...)
	case t == f64:
		g.op(0x44, 0, 0, 0, 0, 0, 0, byte(g.IntN(256)), 0x3f)
	case t == v128:
		g.op(wasmbin.Vector, 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
			byte(g.IntN(256)))
	}
}

func (g *generator) int32(depth int) {
	switch g.IntN(14) {
	case 0, 1, 2:
		g.expression(i32, depth)
		g.expression(i32, depth)
		if g.IntN(40) > 0 { // else divisors may be 0
			g.konst(1)
			g.op(0x72) // or
		}
		g.op(0x6a + byte(g.IntN(15))) // from add to rotr, division too
	case 3:
		g.expression(i64, depth)
		g.expression(i64, depth)
		g.op(0x51 + byte(g.IntN(10))) // comparisons
	case 4:
		g.expression(i64, depth)
		g.op(0xa7) // i32.wrap_i64
	case 5:
		g.expression(i32, depth)
		g.expression(i32, depth)
		g.expression(i32, depth)
		if g.IntN(2) == 0 {
			g.op(opSelect)
		} else {
			g.op(wasmbin.SelectTyped, 1, i32)
		}
	case 6:
		g.expression(i32, depth)
		g.op()
		g.open([]byte{opIf, i32}, false)
		g.expression(i32, depth)
		g.free(opElse)
		g.expression(i32, depth)
		g.close()
	case 7:
		g.open([]byte{opBlock, i32}, false)
		g.expression(i32, depth)
		g.expression(i32, depth)
		g.op(opBrIf, 0)
		g.close()
	case 8:
		g.expression(v128, depth)
		g.op(wasmbin.Vector, 27, byte(g.IntN(4))) // i32x4.extract_lane
	case 9:
		g.expression(f64, depth)
		if g.IntN(2) == 0 {
			g.op(opBulk, 2) // i32.trunc_sat_f64_s
		} else {
			g.op(0xaa) // i32.trunc_f64_s, which may trap
		}
	case 10:
		g.konst(g.IntN(7))
		g.op(0x25, 0) // table.get
		g.op(0xd1)    // ref.is_null
	case 11:
		g.op(opBulk, 16, byte(g.IntN(2))) // table.size
	case 12:
		if !g.memory {
			g.leaf(i32)
			return
		}
		g.address()
		g.op([]byte{0x28, 0x2c, 0x2f}[g.IntN(3)], 0, 4) // loads
	case 13:
		g.expression(i32, depth)
		g.op(opCall, hostFunc)
	}
}

func (g *generator) int64(depth int) {
	switch g.IntN(4) {
	case 0, 1:
		g.expression(i64, depth)
		g.expression(i64, depth)
		if g.IntN(40) > 0 {
			g.op(wasmtest.Const64(1)...)
			g.op(0x84)
		}
		g.op(0x7c + byte(g.IntN(15)))
	case 2:
		g.expression(i32, depth)
		g.op(0xac + byte(g.IntN(2)))
	case 3:
		g.expression(f64, depth)
		g.op(opBulk, 6)
	}
}
