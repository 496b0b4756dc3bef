package meter

import "github.com/informerd/informerd/pkg/plugins/internal/wasmbin"

// The reader and the numbers are wasmbin's; they have short names here, as the code is full of
// them.
type (
	reader  = wasmbin.Reader
	section = wasmbin.Section
)

const (
	opUnreachable  = wasmbin.Unreachable
	opNop          = wasmbin.Nop
	opBlock        = wasmbin.Block
	opLoop         = wasmbin.Loop
	opIf           = wasmbin.If
	opElse         = wasmbin.Else
	opEnd          = wasmbin.End
	opBr           = wasmbin.Br
	opBrIf         = wasmbin.BrIf
	opBrTable      = wasmbin.BrTable
	opReturn       = wasmbin.Return
	opCall         = wasmbin.Call
	opCallIndirect = wasmbin.CallIndirect
	opDrop         = 0x1a
	opLocalGet     = wasmbin.LocalGet
	opLocalTee     = wasmbin.LocalTee
	opGlobalGet    = wasmbin.GlobalGet
	opGlobalSet    = wasmbin.GlobalSet
	opI32Store     = 0x36
	opI64Store32   = 0x3e
	opMemorySize   = wasmbin.MemorySize
	opMemoryGrow   = wasmbin.MemoryGrow
	opI32Const     = wasmbin.I32Const
	opI64Const     = wasmbin.I64Const
	opRefFunc      = wasmbin.RefFunc
	opBulk         = wasmbin.Bulk

	bulkMemoryInit = wasmbin.MemoryInit
	bulkMemoryCopy = wasmbin.MemoryCopy
	bulkMemoryFill = wasmbin.MemoryFill
	bulkTableInit  = wasmbin.TableInit
	bulkTableCopy  = wasmbin.TableCopy
	bulkTableGrow  = wasmbin.TableGrow
	bulkTableFill  = wasmbin.TableFill
)

// helperOf returns, for each instruction behind opBulk, which helper charges for its range; helpers
// stands for none.
var helperOf = [...]helper{helpers, helpers, helpers, helpers, helpers, helpers, helpers, helpers,
	bulkMemoryInit: helperBytes, 9: helpers, bulkMemoryCopy: helperCopy, bulkMemoryFill: helperFill,
	bulkTableInit: helperEntries, 13: helpers, bulkTableCopy: helperEntries,
	bulkTableGrow: helperEntries, 16: helpers,
	bulkTableFill: helperEntries}
