package wasmfile

import "fmt"

// countBranches passes over a function's instructions and counts those that make basic blocks: br_table with all its
// targets, and loops and instructions on ranges more than once. The time the engine takes to compile a function grows with
// the square of it.
func countBranches(r *reader) (branches uint64) {
	for len(r.b) > 0 {
		switch op := r.byte(); {
		case op == 0x02 || op == 0x04: // block, if
			branches++
			blockType(r)
		case op == 0x03: // loop
			branches += branchesOfLoop
			blockType(r)
		case op == 0x05: // else
			branches++
		case op == 0x0c || op == 0x0d: // br, br_if
			branches++
			r.u32()
		case op == 0x0e: // br_table
			n := r.count(1)
			branches += uint64(n) + 1
			for range n {
				r.u32()
			}
			r.u32()
		case op == 0xfc:
			branches += skipBulk(r)
		default:
			skipImmediates(r, op)
		}
	}
	return branches
}

// skipImmediates passes over what follows the code of an instruction that does not branch.
func skipImmediates(r *reader, op byte) {
	switch {
	case op <= 0x01, op == 0x0b, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	case op == 0x10, op >= 0x20 && op <= 0x26, op == 0xd2: // an index
		r.u32()
	case op == 0x11, op >= 0x28 && op <= 0x3e: // two indexes, alignment and offset
		r.u32()
		r.u32()
	case op == 0x1c: // select with types
		if n := r.byte(); n != 1 && r.err == nil {
			r.fail(fmt.Errorf("select with %d types, one is needed", n))
		}
		checkValueType(r, r.byte())
	case op == 0x3f, op == 0x40:
		r.byte()
	case op == 0xd0:
		checkRefType(r, r.byte())
	case op == 0x41:
		r.skipLEB(5)
	case op == 0x42:
		r.skipLEB(10)
	case op == 0x43:
		r.take(4)
	case op == 0x44:
		r.take(8)
	case op == 0xfd:
		skipVector(r)
	default:
		unknownInstruction(r, uint32(op))
	}
}

// skipBulk passes over conversions and the bulk instructions on memories and tables, and tells how many branches one
// counts for.
func skipBulk(r *reader) (branches uint64) {
	switch op := r.u32(); {
	case op <= 7:
		return 0
	case op == 9, op == 13, op == 16: // data.drop, elem.drop, table.size
		r.u32()
		return 0
	case op == 11, op == 15, op == 17: // an index
		r.u32()
	case op == 8, op == 10, op == 12, op == 14: // two indexes
		r.u32()
		r.u32()
	default:
		unknownInstruction(r, 0xfc00|op)
	}
	return branchesOfBulk
}

// blockType passes over the type of a block: none, a value's, or the index of a function's. The engine reads all of them as
// signed numbers and knows further negative ones, with something behind them, so those are refused however they are written.
func blockType(r *reader) {
	switch t := r.signed(5); {
	case t >= 0 && t < 1<<32, t == -64:
	case t < -64 || t > 0:
		r.fail(fmt.Errorf("block of the unknown type %d", t))
	default:
		checkValueType(r, byte(t&0x7f))
	}
}

// skipVector passes over the instructions on 128-bit vectors. The engine takes the first byte of the number for the whole
// and the second one, 1, for a nop, so that no other form of the number may pass here.
func skipVector(r *reader) {
	op := uint32(r.byte())
	if op >= 0x80 {
		if second := r.byte(); second != 1 && r.err == nil {
			r.fail(fmt.Errorf("instruction 0xfd %#x %#x is not part of WebAssembly 2.0", op, second))
		}
	}
	if op <= 11 || op >= 84 && op <= 93 { // alignment and offset
		r.u32()
		r.u32()
	}
	switch {
	case op == 12 || op == 13:
		r.take(16)
	case op >= 21 && op <= 34, op >= 84 && op <= 91: // a lane
		r.byte()
	}
}

func unknownInstruction(r *reader, op uint32) {
	if r.err == nil {
		r.fail(fmt.Errorf("instruction %#x is not part of WebAssembly 2.0", op))
	}
}
