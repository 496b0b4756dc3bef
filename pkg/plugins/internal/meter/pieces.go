package meter

import "github.com/informerd/informerd/pkg/plugins/internal/wasmbin"

// An instruction on a large range of the memory is done in pieces, between which the host is
// visited. If the range leaves the memory, it is done at once instead, since that traps before
// anything is written.

// defaultPiece is how many bytes of a range are done without a visit: they take 0.02 ms, and up to
// 0.25 ms if nothing of it was used before, since the system finds memory for each 4 KiB then.
const defaultPiece = 64 << 10

// The parameters of helperFill and helperCopy.
const (
	rangeTo     = 0
	rangeValue  = 1 // of a fill
	rangeFrom   = 1 // of a copy
	rangeLength = 2
)

const (
	opBrIfBack  = 0 // the label of the loop
	opLocalSet  = 0x21
	opI32GtU    = 0x4b
	opI64LeU    = 0x58
	opI32Add    = 0x6a
	opI32Sub    = 0x6b
	opI32And    = 0x71
	opI64Add    = 0x7c
	blockIsVoid = 0x40
)

// appendFill is
//
//	if n > piece && inside(to) {
//		do { memory.fill(to, value, piece); to += piece; n -= piece; visit() } while n > piece
//	}
//	memory.fill(to, value, n)
func (m *module) appendFill(b []byte) []byte {
	fill := func(b []byte, n []byte) []byte {
		b = append(b, opLocalGet, rangeTo, opLocalGet, rangeValue)
		return append(append(b, n...), opBulk, bulkMemoryFill, 0)
	}
	b = m.appendInside(m.appendIsLarge(b), rangeTo)
	b = append(b, opI32And, opIf, blockIsVoid, opLoop, blockIsVoid)
	b = m.appendMove(fill(b, m.piece()), rangeTo, opI32Add)
	b = m.appendAgain(m.appendMove(b, rangeLength, opI32Sub))
	return fill(append(b, opEnd), []byte{opLocalGet, rangeLength})
}

// appendCopy is
//
//	if n > piece && inside(to) && inside(from) {
//		if to > from { // the last piece first, since it may lie where the first one goes
//			do { n -= piece; memory.copy(to + n, from + n, piece); visit() } while n > piece
//		} else {
//			do { memory.copy(to, from, piece); to += piece; from += piece; n -= piece; visit() } while n > piece
//		}
//	}
//	memory.copy(to, from, n)
func (m *module) appendCopy(b []byte) []byte {
	whole := []byte{opLocalGet, rangeLength}
	copied := func(b, n []byte) []byte {
		return append(append(b, n...), opBulk, bulkMemoryCopy, 0, 0)
	}
	b = m.appendInside(m.appendIsLarge(b), rangeTo)
	b = append(m.appendInside(append(b, opI32And), rangeFrom), opI32And, opIf, blockIsVoid)
	b = append(b, opLocalGet, rangeTo, opLocalGet, rangeFrom, opI32GtU, opIf, blockIsVoid, opLoop,
		blockIsVoid)
	b = m.appendMove(b, rangeLength, opI32Sub)
	b = append(b, opLocalGet, rangeTo, opLocalGet, rangeLength, opI32Add, opLocalGet, rangeFrom,
		opLocalGet, rangeLength, opI32Add)
	b = m.appendAgain(copied(b, m.piece()))
	b = append(b, opElse, opLoop, blockIsVoid)
	b = copied(append(b, opLocalGet, rangeTo, opLocalGet, rangeFrom), m.piece())
	b = m.appendMove(m.appendMove(b, rangeTo, opI32Add), rangeFrom, opI32Add)
	b = m.appendAgain(m.appendMove(b, rangeLength, opI32Sub))
	b = append(b, opEnd, opEnd, opLocalGet, rangeTo, opLocalGet, rangeFrom)
	return copied(b, whole)
}

func (m *module) piece() []byte {
	return wasmbin.AppendSigned([]byte{opI32Const}, int64(int32(m.pieces)))
}

// appendIsLarge pushes n > piece.
func (m *module) appendIsLarge(b []byte) []byte {
	return append(append(append(b, opLocalGet, rangeLength), m.piece()...), opI32GtU)
}

// appendInside pushes whether the range that begins at a parameter is within the memory.
func (m *module) appendInside(b []byte, begin byte) []byte {
	b = append(b, opLocalGet, begin, opI64ExtendI32U, opLocalGet, rangeLength, opI64ExtendI32U,
		opI64Add)
	return append(b, opMemorySize, 0, opI64ExtendI32U, opI64Const, 16, opI64Shl, opI64LeU)
}

// appendMove adds a piece to a parameter, or takes it away.
func (m *module) appendMove(b []byte, parameter, op byte) []byte {
	return append(append(append(b, opLocalGet, parameter), m.piece()...), op, opLocalSet, parameter)
}

// appendAgain visits the host and ends the loop, which restarts while there is more than a
// piece.
func (m *module) appendAgain(b []byte) []byte {
	b = m.appendIsLarge(wasmbin.AppendUint(append(b, opCall), m.imported))
	return append(b, opBrIf, opBrIfBack, opEnd)
}
