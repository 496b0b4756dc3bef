package hostile

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// Program is a running guest made of parts, each of which is dear for the units it pays: for a
// search after what holds up the host the longest. The zero value does nothing.
type Program []Part

// Part is one kind of work, and how much of it.
type Part struct {
	Kind int
	N    int // 1 to 64
}

// The kinds of parts.
const (
	partChase    = iota // loads, each from where the last one says
	partTouch           // stores, each into another page
	partCross           // loads across the borders of pages
	partDivide          // divisions that wait for one another
	partRoot            // square roots of numbers that are hardly more than 0
	partCalls           // calls of a small function that chases pointers
	partTable           // calls through a table
	partSwitch          // br_table
	partCopy            // memory.copy
	partFill            // memory.fill
	partTableSet        // table.fill
	partGrow            // memory.grow by nothing
	partRef             // ref.func, which the engine leaves native code for
	partNested          // calls in one another, with values that are needed afterwards
	partKept            // the same, with many values one after the other
	partReturns         // calls in one another, and work on the way back
	partSkipped         // a branch past much code
	parts
)

var partNames = [parts]string{"chase", "touch", "cross", "divide", "root", "calls", "table",
	"switch", "copy", "fill", "tableset",
	"grow", "ref", "nested", "kept", "returns", "skipped"}

// ProgramMemory is the pages of a Program's memory.
const ProgramMemory = 2048

// String writes a program so that ParseProgram reads it.
func (p Program) String() string {
	var words []string
	for _, part := range p {
		words = append(words, fmt.Sprintf("%s:%d", partNames[part.Kind], part.N))
	}
	return strings.Join(words, " ")
}

// ParseProgram reads what String wrote.
func ParseProgram(text string) (Program, error) {
	var p Program
	for word := range strings.FieldsSeq(text) {
		name, number, _ := strings.Cut(word, ":")
		part := Part{Kind: -1}
		for kind, known := range partNames {
			if name == known {
				part.Kind = kind
			}
		}
		if _, err := fmt.Sscan(number, &part.N); err != nil || part.Kind < 0 || part.N < 1 ||
			part.N > 64 {
			return nil, fmt.Errorf("%q is not a part of a program", word)
		}
		p = append(p, part)
	}
	return p, nil
}

// RandomProgram makes one of a few parts.
func RandomProgram(r *rand.Rand) (p Program) {
	for range 1 + r.IntN(5) {
		p = append(p, Part{r.IntN(parts), 1 + r.IntN(64)})
	}
	return p
}

// Changed is a program that differs a little.
func (p Program) Changed(r *rand.Rand) Program {
	q := append(Program{}, p...)
	switch at := r.IntN(len(q)); r.IntN(4) {
	case 0:
		q[at].N = 1 + r.IntN(64)
	case 1:
		q[at].Kind = r.IntN(parts)
	case 2:
		if len(q) > 1 {
			return append(q[:at], q[at+1:]...)
		}
	case 3:
		if len(q) < 12 {
			return append(q, Part{r.IntN(parts), 1 + r.IntN(64)})
		}
	}
	return q
}

// The variables of a program's code.
const (
	varDepth = iota // the parameter
	varPointer
	varPlace // where the next store goes
	varInteger
	varFloat
)

const (
	programBytes = ProgramMemory << 16
	lines        = programBytes / 64
)

// Module makes the module: "init" has to be called once, "run" continues without end.
func (p Program) Module() []byte {
	m := &wasmtest.Module{}
	m.Memory(ProgramMemory, ProgramMemory)
	m.Table(wholeTable, wholeTable)
	m.Func("init", "", "", "i", op(0x03, 0x40), // mem[i*64] = another line's address
		local(0), konst(6), op(0x74), local(0), konst(1664525), op(0x6c), konst(1013904223),
		op(0x6a), konst(lines-1), op(0x71),
		konst(6), op(0x74), op(0x36, 2, 0), local(0), konst(1), op(0x6a, 0x22, 0), konst(lines),
		op(0x48, 0x0d, 0, 0x0b))
	leaf := m.Func("leaf", "i", "i", "", local(0), repeat(62, op(0x28, 2, 0)))
	m.Element(0, leaf, leaf)
	var code []byte
	for _, part := range p {
		code = append(code, part.code(m, leaf)...)
	}
	run := m.Func("run", "", "", "")
	m.Locals(run, "iiiIf", loop(code))
	return m.Bytes()
}

// nestedFunc adds a function that calls itself a number of times, with code before and after.
func nestedFunc(m *wasmtest.Module, locals string, before, after []byte) uint32 {
	self := m.Func("", "i", "", "")
	m.Locals(self, locals, before, local(varDepth),
		wasmtest.If(local(varDepth), konst(1), op(0x6b), call(self)), after)
	return self
}

func (p Part) code(m *wasmtest.Module, leaf uint32) []byte {
	n, get, set := p.N, func(v byte) []byte { return op(0x20, v) }, func(v byte) []byte {
		return op(0x21, v)
	}
	// an address that is in the memory, whatever was stored
	masked := cat(konst(programBytes-128), op(0x71))
	lowHalf := cat(konst(programBytes/2-1), op(0x71))
	load := op(0x28, 2, 0)
	chase := func(n int) []byte {
		return cat(get(varPointer), masked, repeat(n, load, masked), set(varPointer))
	}
	next := func(by int32) []byte {
		return cat(get(varPlace), konst(by), op(0x6a), masked, op(0x22, varPlace))
	}
	switch p.Kind {
	case partChase:
		return cat(get(varPointer), masked, repeat(n*8, load), set(varPointer))
	case partTouch:
		return repeat(n, next(4096+64), konst(7<<6), op(0x36, 2, 0))
	case partCross:
		return repeat(n, next(4096*17), lowHalf, op(0x29, 0), wasmtest.Uint(4092), drop)
	case partDivide:
		// or, div_s
		return cat(get(varInteger), repeat(n, konst64(-3), op(0x84), konst64(7), op(0x7f)),
			set(varInteger))
	case partRoot:
		return cat(op(0x44, 1, 0, 0, 0, 0, 0, 0, 0),
			repeat(n, op(0x9f), op(0x44, 1, 0, 0, 0, 0, 0, 0, 0), op(0xa2)), set(varFloat))
	case partCalls:
		return cat(get(varPointer), masked, repeat(n*16, call(leaf)), set(varPointer))
	case partTable:
		return cat(get(varPointer), masked,
			repeat(n*16, konst(1), op(0x11), wasmtest.Uint(m.Type("i", "i")), op(0)),
			set(varPointer))
	case partSwitch:
		return repeat(n, op(0x02, 0x40, 0x02, 0x40, 0x02, 0x40), chase(1), get(varPointer),
			konst(6), op(0x76), konst(3), op(0x71), op(0x0e, 2, 0, 1, 2, 0x0b, 0x0b, 0x0b))
	case partCopy:
		return repeat(4, next(1<<20), lowHalf, konst(64), konst(int32(n*n*256)), bulk(10, 0, 0))
	case partFill:
		return repeat(4, next(1<<20), lowHalf, konst(0), konst(int32(n*n*256)), bulk(11, 0))
	case partTableSet:
		return cat(konst(2), null, konst(int32(n*1000)), bulk(17, 0))
	case partGrow:
		return repeat(n, wasmtest.Grow(0), drop)
	case partRef:
		return repeat(n, op(0xd2), wasmtest.Uint(leaf), drop)
	case partNested: // n*50 values at once
		f := nestedFunc(m, "", cat(konst(64), repeat(n*50, konst(64), op(0x29, 3, 0))),
			cat(repeat(n*50-1, op(0x7c)), op(0x37, 3, 0)))
		return cat(konst(1<<20), call(f))
	case partKept: // one after the other, each across a call
		nothing := m.Func("", "", "", "")
		kept := repeat(n*50, konst(64), konst(64), op(0x29, 3, 0), call(nothing), op(0x37, 3, 0))
		// if it is negative
		f := nestedFunc(m, "", cat(get(varDepth), konst(0), op(0x48), wasmtest.If(kept)), nil)
		return cat(konst(1<<20), call(f))
	case partReturns:
		f := nestedFunc(m, "i", nil, cat(get(varPointer), repeat(n*8, load), set(varPointer)))
		return cat(konst(30_000), call(f))
	default: // partSkipped
		return repeat(n, op(0x02, 0x40), konst(1), op(0x0d, 0), chase(300), op(0x0b), chase(2))
	}
}
