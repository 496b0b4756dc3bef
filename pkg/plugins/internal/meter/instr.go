package meter

// The instructions that the rewriter looks at.
const (
	opUnreachable  = 0x00
	opNop          = 0x01
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0b
	opBr           = 0x0c
	opBrIf         = 0x0d
	opBrTable      = 0x0e
	opReturn       = 0x0f
	opCall         = 0x10
	opCallIndirect = 0x11
	opSelectTyped  = 0x1c
	opLocalGet     = 0x20
	opLocalTee     = 0x22
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opMemorySize   = 0x3f
	opMemoryGrow   = 0x40
	opI32Const     = 0x41
	opI64Const     = 0x42
	opRefNull      = 0xd0
	opRefFunc      = 0xd2
	opBulk         = 0xfc
	opVector       = 0xfd

	bulkMemoryInit = 8
	bulkMemoryCopy = 10
	bulkMemoryFill = 11
	bulkTableInit  = 12
	bulkTableCopy  = 14
	bulkTableGrow  = 15
	bulkTableFill  = 17
)

// immediates passes over what follows an instruction that neither branches nor names a function.
func (p *planner) immediates(op byte) {
	r := p.r
	switch {
	case op <= opNop, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	case op >= opLocalGet && op <= opLocalTee: // the engine knows the number of locals
		r.u32()
	case op == opGlobalGet, op == opGlobalSet:
		r.below(p.m.globals, "global")
	case op == 0x25, op == 0x26: // table.get, table.set
		r.u32()
	case op >= 0x28 && op <= 0x3e: // loads and stores
		r.u32()
		r.u32()
	case op == opSelectTyped:
		if r.byte() != 1 {
			r.failf("select with other than one type")
		}
		r.valueType()
	case op == opMemorySize:
		r.zero()
	case op == opI32Const:
		r.signed(5)
	case op == opI64Const:
		r.signed(10)
	case op == 0x43: // f32.const
		r.take(4)
	case op == 0x44: // f64.const
		r.take(8)
	case op == opRefNull:
		r.refType()
	case op == opVector:
		skipVector(r)
	default:
		r.failf("instruction %#x is not part of WebAssembly 2.0", op)
	}
}

// skipBulk passes over a conversion, or an instruction on a range of a memory or table, and tells which it was.
func skipBulk(r *reader) (op uint32) {
	switch op = r.u32(); op {
	case 0, 1, 2, 3, 4, 5, 6, 7:
	case bulkMemoryInit:
		r.u32()
		r.zero()
	case bulkMemoryCopy:
		r.zero()
		r.zero()
	case bulkMemoryFill:
		r.zero()
	case 9, 13, 16, bulkTableGrow, bulkTableFill: // data.drop, elem.drop, table.size
		r.u32()
	case bulkTableInit, bulkTableCopy:
		r.u32()
		r.u32()
	default:
		r.failf("instruction 0xfc %d is not part of WebAssembly 2.0", op)
	}
	return op
}

// skipVector passes over an instruction on 128-bit vectors. The engine takes the first byte of its number for the whole
// and the second one, 1, for a nop, so that no other form of the number may pass here.
func skipVector(r *reader) {
	op := uint32(r.byte())
	if op >= 0x80 && r.byte() != 1 {
		r.failf("instruction 0xfd %#x is not part of WebAssembly 2.0", op)
	}
	if op <= 11 || op >= 84 && op <= 93 { // alignment and offset
		r.u32()
		r.u32()
	}
	switch {
	case op == 12 || op == 13: // v128.const, i8x16.shuffle
		r.take(16)
	case op >= 21 && op <= 34, op >= 84 && op <= 91: // a lane
		r.byte()
	}
}
