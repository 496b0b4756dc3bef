package wasmbin

// The instructions that callers look at.
const (
	Unreachable  = 0x00
	Nop          = 0x01
	Block        = 0x02
	Loop         = 0x03
	If           = 0x04
	Else         = 0x05
	End          = 0x0b
	Br           = 0x0c
	BrIf         = 0x0d
	BrTable      = 0x0e
	Return       = 0x0f
	Call         = 0x10
	CallIndirect = 0x11
	SelectTyped  = 0x1c
	LocalGet     = 0x20
	LocalTee     = 0x22
	GlobalGet    = 0x23
	GlobalSet    = 0x24
	MemorySize   = 0x3f
	MemoryGrow   = 0x40
	I32Const     = 0x41
	I64Const     = 0x42
	F32Const     = 0x43
	F64Const     = 0x44
	RefNull      = 0xd0
	RefFunc      = 0xd2
	Bulk         = 0xfc
	Vector       = 0xfd
)

// The instructions behind Bulk that work on ranges.
const (
	MemoryInit = 8
	MemoryCopy = 10
	MemoryFill = 11
	TableInit  = 12
	TableCopy  = 14
	TableGrow  = 15
	TableFill  = 17
)

// blockType passes over the type of a block: none, a value's, or the index of a function's. The
// engine reads all of them as signed numbers and knows further negative ones, with something behind
// them, so those are refused however they are written.
func (r *Reader) blockType() {
	switch t := r.Signed(5); {
	case t >= 0 && t < 1<<32, t == -64:
	case t < -64 || t > 0:
		r.Fail("block of the unknown type %d", t)
	default:
		r.checkValueType(byte(t & 0x7f))
	}
}

// Targets reads the labels of a branch, which is Br, BrIf or BrTable.
func (r *Reader) Targets(op byte, label func(uint32)) (n uint64) {
	n = 1
	if op == BrTable {
		n += uint64(r.Count(1))
	}
	for range n {
		l := r.U32()
		if r.Err != nil {
			return 0
		}
		label(l)
	}
	return n
}

// Immediates passes over what follows an instruction that neither branches nor names a function,
// memory.grow and those behind Bulk excepted. The module has so many globals.
func (r *Reader) Immediates(op byte, globals uint32) {
	switch {
	case op <= Nop, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	case op >= LocalGet && op <= LocalTee: // the engine knows the number of locals
		r.U32()
	case op == GlobalGet, op == GlobalSet:
		r.Below(globals, "global")
	case op == 0x25, op == 0x26: // table.get, table.set
		r.U32()
	case op >= 0x28 && op <= 0x3e: // loads and stores
		r.U32()
		r.U32()
	case op == SelectTyped:
		if n := r.Byte(); n != 1 {
			r.Fail("select with %d types, one is needed", n)
		}
		r.ValueType()
	case op == MemorySize:
		r.firstMemory()
	case op == Vector:
		r.vector()
	default:
		if !r.constant(op) {
			r.Fail("instruction %#x is not part of WebAssembly 2.0", op)
		}
	}
}

// constant passes over what follows a constant; false if the instruction is none. References to
// functions are not among them.
func (r *Reader) constant(op byte) bool {
	switch op {
	case I32Const:
		r.Signed(5)
	case I64Const:
		r.Signed(10)
	case F32Const:
		r.Take(4)
	case F64Const:
		r.Take(8)
	case RefNull:
		r.RefType()
	default:
		return false
	}
	return true
}

// ConstExpr passes over a constant expression, and hands each instruction that is not a plain
// constant to other, which passes over what follows it: GlobalGet and RefFunc.
func (r *Reader) ConstExpr(other func(op byte)) {
	for r.Err == nil {
		switch op := r.Byte(); {
		case op == End, r.Err != nil:
			return
		case op == GlobalGet, op == RefFunc:
			other(op)
		case op == Vector:
			if r.Byte() != 12 {
				r.Fail("not a constant expression")
			}
			r.Take(16)
		case !r.constant(op):
			r.Fail("instruction %#x in a constant expression", op)
		}
	}
}

// GrowMemory passes over what follows MemoryGrow.
func (r *Reader) GrowMemory() { r.firstMemory() }

// BulkOp passes over a conversion, or an instruction on a range of a memory or table, behind Bulk,
// and returns which it was.
func (r *Reader) BulkOp() (op uint32) {
	switch op = r.U32(); op {
	case 0, 1, 2, 3, 4, 5, 6, 7:
	case MemoryInit:
		r.U32()
		r.firstMemory()
	case MemoryCopy:
		r.firstMemory()
		r.firstMemory()
	case MemoryFill:
		r.firstMemory()
	case 9, 13, 16, TableGrow, TableFill: // data.drop, elem.drop, table.size
		r.U32()
	case TableInit, TableCopy:
		r.U32()
		r.U32()
	default:
		r.Fail("instruction 0xfc %d is not part of WebAssembly 2.0", op)
		return 0
	}
	return op
}

// vector passes over an instruction on 128-bit vectors. The engine takes the first byte of its
// number for the whole and the second one, 1, for a nop, so that no other form of the number may
// pass here.
func (r *Reader) vector() {
	op := uint32(r.Byte())
	if op >= 0x80 {
		if second := r.Byte(); second != 1 {
			r.Fail("instruction 0xfd %#x %#x is not part of WebAssembly 2.0", op, second)
		}
	}
	if op <= 11 || op >= 84 && op <= 93 { // alignment and offset
		r.U32()
		r.U32()
	}
	switch {
	case op == 12 || op == 13: // v128.const, i8x16.shuffle
		r.Take(16)
	case op >= 21 && op <= 34, op >= 84 && op <= 91: // a lane
		r.Byte()
	}
}
