package delta

import "encoding/binary"

// MinCopy is the length of the shortest copy that is worth an operation.
const MinCopy = 6

// Encoder encodes a text. Call Reset, then Literal and Copy for its parts, then Flush.
type Encoder struct {
	Literals    []byte
	Ops         []byte
	pending     int // literal bytes without an operation
	pendingCopy struct{ at, len int }
	expected    int // place in the base where the last copy ended
}

// Reset begins a new text. It keeps the memory of the last one.
func (e *Encoder) Reset() {
	e.Literals, e.Ops, e.pending, e.pendingCopy.len, e.expected = e.Literals[:0], e.Ops[:0], 0, 0, 0
}

// Copy adds the n bytes of the base that begin at place at.
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

// Literal adds a text that is not a copy.
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

// Flush writes the pending operation. Call it at the end of the text.
func (e *Encoder) Flush() {
	e.Ops = binary.AppendUvarint(e.Ops, uint64(e.pending))
	if c := e.pendingCopy; c.len > 0 {
		e.Ops = binary.AppendUvarint(e.Ops, uint64(c.len))
		e.Ops = binary.AppendVarint(e.Ops, int64(c.at-e.expected-e.pending))
		e.expected = c.at + c.len
	}
	e.pending, e.pendingCopy.len = 0, 0
}
