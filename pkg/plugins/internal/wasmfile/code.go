package wasmfile

import (
	"math"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// countBranches passes over a function's instructions and counts those that make basic blocks: br_table with all its
// targets, and ifs, loops and instructions on ranges more than once. The time the engine takes to compile a function grows
// with the square of it.
func countBranches(r *wasmbin.Reader) (branches uint64) {
	for r.More() {
		switch op := r.Byte(); op {
		case wasmbin.Block:
			branches++
			r.BlockType()
		case wasmbin.If:
			branches += branchesOfIf
			r.BlockType()
		case wasmbin.Loop:
			branches += branchesOfLoop
			r.BlockType()
		case wasmbin.Else:
			branches++
		case wasmbin.Br, wasmbin.BrIf, wasmbin.BrTable:
			branches += r.Targets(op, func(uint32) {})
		case wasmbin.Bulk:
			branches += branchesOf(r.BulkOp())
		case wasmbin.End, wasmbin.Return:
		case wasmbin.Call, wasmbin.RefFunc:
			r.U32()
		case wasmbin.CallIndirect:
			r.U32()
			r.U32()
		case wasmbin.MemoryGrow:
			r.GrowMemory()
		default:
			r.Immediates(op, math.MaxUint32)
		}
	}
	return branches
}

// branchesOf tells how many branches an instruction behind wasmbin.Bulk counts for: none unless it works on a range.
func branchesOf(op uint32) uint64 {
	switch op {
	case wasmbin.MemoryInit, wasmbin.MemoryCopy, wasmbin.MemoryFill, wasmbin.TableInit, wasmbin.TableCopy, wasmbin.TableGrow,
		wasmbin.TableFill:
		return branchesOfBulk
	}
	return 0
}
