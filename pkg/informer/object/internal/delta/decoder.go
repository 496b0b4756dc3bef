package delta

// operations reads a packed object's text from front to back.
type Decoder struct {
	ops, literals, base string
	BaseEnd             int
	Remaining           int  // of the JSON
	IsLiteral           bool // what next gave last was one of the literals
}

func NewDecoder(text, base string, literals, ops, size int) Decoder {
	return Decoder{ops: text[ops:], literals: text[literals:ops], base: base, Remaining: size}
}

// next gives the next piece of the JSON, which may be empty.
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

// longUvarint reads the rest of a number of several bytes, of which first is the first.
func longUvarint(first int, ops string) (v int, rest string) {
	v = first & 0x7f
	for i := range len(ops) {
		c := ops[i]
		v |= int(c&0x7f) << (7 * (i + 1))
		if c < 0x80 {
			return v, ops[i+1:]
		}
	}
	panic("event: a packed object's operations end within a number")
}

func (d *Decoder) varint() int {
	v := d.uvarint()
	return v>>1 ^ -(v & 1)
}

// appendRest appends the pieces that next has not returned. It is next in a loop that keeps all it
// needs in registers, which is three times as fast (BenchmarkAppendJSON).
func (d *Decoder) AppendAll(b []byte) []byte {
	ops, literals, base, behind, left, literal := d.ops, d.literals, d.base, d.BaseEnd, d.Remaining,
		d.IsLiteral
	for left > 0 {
		n := int(ops[0])
		ops = ops[1:]
		if n >= 0x80 {
			n, ops = longUvarint(n, ops)
		}
		left -= n
		if literal = !literal; literal {
			b = append(b, literals[:n]...)
			literals = literals[n:]
			behind += n
			continue
		}
		d := int(ops[0])
		ops = ops[1:]
		if d >= 0x80 {
			d, ops = longUvarint(d, ops)
		}
		at := behind + (d>>1 ^ -(d & 1))
		behind = at + n
		b = append(b, base[at:behind]...)
	}
	return b
}
