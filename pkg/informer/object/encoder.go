package object

import "encoding/binary"

// This file makes and reads packed objects. A packed object's text is the fields of its header, one
// behind the other, then what is remembered of values of fieldsV1 that its base does not know
// (managed.go), then all bytes of its JSON that its base does not have, its literals, and then the
// operations that build the JSON of both, from front to back:
//
//	uvarint    so many bytes of the literals
//	uvarint n  n bytes of the base, which begin
//	varint d   d behind the end of the last such copy, plus the bytes between
//
// The d is 0 where a value was replaced by one of the same length, which is what differs most
// often. The last operation may end with the literals. Measured beside compressors in
// bench/packing.

// minCopy is the shortest copy worth an operation.
const minCopy = 6

// encoder writes a text's literals and operations.
type encoder struct {
	literals    []byte
	ops         []byte
	pending     int // bytes at the end of literals that no operation has yet
	pendingCopy struct{ at, len int }
	expected    int // where a copy with d == 0 would begin, were there no literal
}

func (e *encoder) reset() {
	e.literals, e.ops, e.pending, e.pendingCopy.len, e.expected = e.literals[:0], e.ops[:0], 0, 0, 0
}

func (e *encoder) copy(at, n int) {
	if c := &e.pendingCopy; c.len > 0 {
		if c.at+c.len == at {
			c.len += n
			return
		}
		e.flush()
	}
	e.pendingCopy.at, e.pendingCopy.len = at, n
}

func (e *encoder) literal(text string) {
	if text == "" {
		return
	}
	if e.pendingCopy.len > 0 {
		e.flush()
	}
	e.literals = append(e.literals, text...)
	e.pending += len(text)
}

// flush writes an operation.
func (e *encoder) flush() {
	e.ops = binary.AppendUvarint(e.ops, uint64(e.pending))
	if c := e.pendingCopy; c.len > 0 {
		e.ops = binary.AppendUvarint(e.ops, uint64(c.len))
		e.ops = binary.AppendVarint(e.ops, int64(c.at-e.expected-e.pending))
		e.expected = c.at + c.len
	}
	e.pending, e.pendingCopy.len = 0, 0
}
