package wasmbin

import (
	"math"
)

// passCode passes over a function's instructions, and returns how many branches it has, which are
// what makes basic blocks: br_table counts with all its targets, and ifs, loops and instructions on
// ranges more than once.
func (r *Reader) passCode() (branches uint64) {
	for r.More() {
		switch op := r.Byte(); op {
		case Block:
			branches++
			r.blockType()
		case If:
			branches += branchesOfIf
			r.blockType()
		case Loop:
			branches += branchesOfLoop
			r.blockType()
		case Else:
			branches++
		case Br, BrIf, BrTable:
			branches += r.Targets(op, func(uint32) {})
		case Bulk:
			branches += branchesOf(r.BulkOp())
		case End, Return:
		case Call, RefFunc:
			r.U32()
		case CallIndirect:
			r.U32()
			r.U32()
		case MemoryGrow:
			r.GrowMemory()
		default:
			r.Immediates(op, math.MaxUint32)
		}
	}
	return branches
}

// branchesOf returns how many branches an instruction behind wasmbin.Bulk counts for: none unless
// it works on a range.
func branchesOf(op uint32) uint64 {
	switch op {
	case MemoryInit, MemoryCopy, MemoryFill, TableInit,
		TableCopy, TableGrow,
		TableFill:
		return branchesOfBulk
	}
	return 0
}
