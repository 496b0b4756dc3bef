package delta

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
const MinCopy = 6

// encoder writes a text's literals and operations.
type Encoder struct {
	Literals    []byte
	Ops         []byte
	pending     int // bytes at the end of literals that no operation has yet
	pendingCopy struct{ at, len int }
	expected    int // where a copy with d == 0 would begin, were there no literal
}

func (e *Encoder) Reset() {
	e.Literals, e.Ops, e.pending, e.pendingCopy.len, e.expected = e.Literals[:0], e.Ops[:0], 0, 0, 0
}

func (e *Encoder) Copy(at, n int) {
	if c := &e.pendingCopy; c.len > 0 {
		if c.at+c.len == at {
			c.len += n
			return
		}
		e.Flush()
	}
	e.pendingCopy.at, e.pendingCopy.len = at, n
}

func (e *Encoder) Literal(text string) {
	if text == "" {
		return
	}
	if e.pendingCopy.len > 0 {
		e.Flush()
	}
	e.Literals = append(e.Literals, text...)
	e.pending += len(text)
}

// flush writes an operation.
func (e *Encoder) Flush() {
	e.Ops = binary.AppendUvarint(e.Ops, uint64(e.pending))
	if c := e.pendingCopy; c.len > 0 {
		e.Ops = binary.AppendUvarint(e.Ops, uint64(c.len))
		e.Ops = binary.AppendVarint(e.Ops, int64(c.at-e.expected-e.pending))
		e.expected = c.at + c.len
	}
	e.pending, e.pendingCopy.len = 0, 0
}
