package delta

// Decoder decodes a text from front to back.
type Decoder struct {
	ops, literals, base string
	BaseEnd             int  // end of the last copy in the base, plus the literals after it
	Remaining           int  // bytes of the text
	IsLiteral           bool // the last piece was a literal
}

// NewDecoder returns a decoder of a text of length size. Its literals begin at place literals of
// packed, and its operations at place ops.
func NewDecoder(packed, base string, literals, ops, size int) Decoder {
	return Decoder{ops: packed[ops:], literals: packed[literals:ops], base: base, Remaining: size}
}

// Next returns the next piece of the text, which may be empty. Remaining must be positive.
func (d *Decoder) Next() string {
	n := d.uvarint()
	d.Remaining -= n
	d.IsLiteral = !d.IsLiteral
	if d.IsLiteral {
		piece := d.literals[:n]
		d.literals = d.literals[n:]
		d.BaseEnd += n
		return piece
	}
	at := d.BaseEnd + d.varint()
	d.BaseEnd = at + n
	return d.base[at : at+n]
}

func (d *Decoder) uvarint() int {
	ops := d.ops
	v := int(ops[0])
	if v < 0x80 {
		d.ops = ops[1:]
		return v
	}
	v, d.ops = longUvarint(v, ops[1:])
	return v
}

// longUvarint returns a number of several bytes, of which first is the first, and the operations
// after it.
func longUvarint(first int, ops string) (v int, rest string) {
	v = first & 0x7f
	for i := range len(ops) {
		c := ops[i]
		v |= int(c&0x7f) << (7 * (i + 1))
		if c < 0x80 {
			return v, ops[i+1:]
		}
	}
	panic("object: a packed object's operations end within a number")
}

func (d *Decoder) varint() int {
	v := d.uvarint()
	return v>>1 ^ -(v & 1)
}

// AppendAll appends the rest of the text. It is a loop over Next that keeps all it needs in
// registers, which is three times as fast (BenchmarkAppendJSON).
func (d *Decoder) AppendAll(b []byte) []byte {
	ops, literals, base, baseEnd, remaining, isLiteral := d.ops, d.literals, d.base, d.BaseEnd,
		d.Remaining,
		d.IsLiteral
	for remaining > 0 {
		n := int(ops[0])
		ops = ops[1:]
		if n >= 0x80 {
			n, ops = longUvarint(n, ops)
		}
		remaining -= n
		if isLiteral = !isLiteral; isLiteral {
			b = append(b, literals[:n]...)
			literals = literals[n:]
			baseEnd += n
			continue
		}
		d := int(ops[0])
		ops = ops[1:]
		if d >= 0x80 {
			d, ops = longUvarint(d, ops)
		}
		at := baseEnd + (d>>1 ^ -(d & 1))
		baseEnd = at + n
		b = append(b, base[at:baseEnd]...)
	}
	return b
}
