package object

// operations reads a packed object's text from front to back.
type operations struct {
	ops, literals, base string
	behind              int
	left                int  // of the JSON
	literal             bool // what next gave last was one of the literals
}

func newOperations(text, base string, literals, ops, size int) operations {
	return operations{ops: text[ops:], literals: text[literals:ops], base: base, left: size}
}

// next gives the next piece of the JSON, which may be empty.
func (it *operations) next() string {
	n := it.uvarint()
	it.left -= n
	it.literal = !it.literal
	if it.literal {
		piece := it.literals[:n]
		it.literals = it.literals[n:]
		it.behind += n
		return piece
	}
	at := it.behind + it.varint()
	it.behind = at + n
	return it.base[at : at+n]
}

func (it *operations) uvarint() int {
	ops := it.ops
	v := int(ops[0])
	if v < 0x80 {
		it.ops = ops[1:]
		return v
	}
	v, it.ops = longUvarint(v, ops[1:])
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

func (it *operations) varint() int {
	v := it.uvarint()
	return v>>1 ^ -(v & 1)
}

// appendRest appends the pieces that next has not returned. It is next in a loop that keeps all it
// needs in registers, which is three times as fast (BenchmarkAppendJSON).
func (it *operations) appendRest(b []byte) []byte {
	ops, literals, base, behind, left, literal := it.ops, it.literals, it.base, it.behind, it.left,
		it.literal
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
