package wasmbin

import (
	"math"
)

// count passes over a function's instructions. Branches are what makes basic blocks: br_table with
// all its targets, and ifs, loops and instructions on ranges more than once.
func (c *counter) count(r *Reader) {
	for r.More() {
		switch op := r.Byte(); op {
		case Block:
			c.branches++
			r.blockType()
		case If:
			c.branches += branchesOfIf
			c.push(-1)
			r.blockType()
		case Loop:
			c.branches += branchesOfLoop
			c.loops++
			r.blockType()
		case Else:
			c.branches++
		case Br:
			c.branches += r.Targets(op, func(uint32) {})
		case BrIf, BrTable:
			c.branches += r.Targets(op, func(uint32) {})
			c.push(-1)
		case Bulk:
			c.branches += branchesOf(r.BulkOp())
			c.push(-3)
		case End, Return:
		case Call:
			c.calls++
			r.U32()
		case RefFunc:
			c.push(1)
			r.U32()
		case CallIndirect:
			c.calls++
			c.push(-1)
			r.U32()
			r.U32()
		case MemoryGrow:
			r.GrowMemory()
		case LocalGet, localSet, LocalTee:
			c.local(r.U32(), op)
			c.push(pushes(op))
		default:
			c.push(pushes(op))
			r.Immediates(op, math.MaxUint32)
		}
	}
}

// pushes is how many values an instruction adds to the operand stack, as far as its first byte
// says.
func pushes(op byte) int64 {
	switch {
	case op == LocalGet, op == GlobalGet, op == MemorySize,
		op >= I32Const && op <= F64Const,
		op == RefNull:
		return 1
	case op == 0x1a, op == localSet, op == GlobalSet: // drop
		return -1
	case op == 0x1b, op == SelectTyped, op >= 0x36 && op <= 0x3e: // select, stores
		return -2
	case op >= 0x46 && op <= 0x4f, op >= 0x51 && op <= 0x66, op >= 0x6a && op <= 0x78, op >= 0x7c &&
		op <= 0x8a, op >= 0x92 && op <= 0x98,
		op >= 0xa0 && op <= 0xa6: // comparisons and arithmetic of two values
		return -1
	}
	return 0
}

const localSet = LocalGet + 1

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
