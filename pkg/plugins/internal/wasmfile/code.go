package wasmfile

import "fmt"

// countBranches passes over a function's instructions and counts those that make basic blocks, br_table with all its
// targets. The time the engine takes to compile a function grows with the square of it.
func countBranches(r *reader) (branches uint64) {
	for len(r.b) > 0 {
		switch op := r.byte(); {
		case op >= 0x02 && op <= 0x04: // block, loop, if
			branches++
			r.skipLEB(5)
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
		r.take(r.u32())
	case op == 0x3f, op == 0x40, op == 0xd0:
		r.byte()
	case op == 0x41:
		r.skipLEB(5)
	case op == 0x42:
		r.skipLEB(10)
	case op == 0x43:
		r.take(4)
	case op == 0x44:
		r.take(8)
	case op == 0xfc:
		skipBulk(r)
	case op == 0xfd:
		skipVector(r)
	default:
		unknownInstruction(r, uint32(op))
	}
}

// skipBulk passes over conversions and the bulk instructions on memories and tables.
func skipBulk(r *reader) {
	switch op := r.u32(); {
	case op <= 7:
	case op == 9, op == 11, op == 13, op >= 15 && op <= 17: // an index
		r.u32()
	case op == 8, op == 10, op == 12, op == 14: // two indexes
		r.u32()
		r.u32()
	default:
		unknownInstruction(r, 0xfc00|op)
	}
}

// skipVector passes over the instructions on 128-bit vectors.
func skipVector(r *reader) {
	op := r.u32()
	if op <= 11 || op >= 84 && op <= 93 { // alignment and offset
		r.u32()
		r.u32()
	}
	switch {
	case op == 12 || op == 13:
		r.take(16)
	case op >= 21 && op <= 34, op >= 84 && op <= 91: // a lane
		r.byte()
	case op > 255:
		unknownInstruction(r, 0xfd00|op)
	}
}

func unknownInstruction(r *reader, op uint32) {
	if r.err == nil {
		r.fail(fmt.Errorf("instruction %#x is not part of WebAssembly 2.0", op))
	}
}
