package object

// operations reads a packed object's text from front to back.
type decoder struct {
	ops, literals, base string
	baseEnd             int
	remaining           int  // of the JSON
	isLiteral           bool // what next gave last was one of the literals
}

func newDecoder(text, base string, literals, ops, size int) decoder {
	return decoder{ops: text[ops:], literals: text[literals:ops], base: base, remaining: size}
}

// next gives the next piece of the JSON, which may be empty.
func (d *decoder) next() string {
	n := d.uvarint()
	d.remaining -= n
	d.isLiteral = !d.isLiteral
	if d.isLiteral {
		piece := d.literals[:n]
		d.literals = d.literals[n:]
		d.baseEnd += n
		return piece
	}
	at := d.baseEnd + d.varint()
	d.baseEnd = at + n
	return d.base[at : at+n]
}

func (d *decoder) uvarint() int {
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

func (d *decoder) varint() int {
	v := d.uvarint()
	return v>>1 ^ -(v & 1)
}

// appendRest appends the pieces that next has not returned. It is next in a loop that keeps all it
// needs in registers, which is three times as fast (BenchmarkAppendJSON).
func (d *decoder) appendAll(b []byte) []byte {
	ops, literals, base, behind, left, literal := d.ops, d.literals, d.base, d.baseEnd, d.remaining,
		d.isLiteral
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
