package object

import "slices"

// AppendJSON appends the object's text, as JSON returns it. A packed or dense object is unpacked
// right into dst: if dst has room, nothing is allocated.
func (o *Object) AppendJSON(dst []byte) []byte {
	switch {
	case o.isPlain():
		return append(dst, o.text[:o.size]...)
	case o.dense:
		return decompress(slices.Grow(dst, int(o.size)), o.text[o.literals:], o.base)
	default:
		return o.appendJSON(dst, 0)
	}
}

// appendJSON appends the JSON of a packed object from a place on.
func (o *Object) appendJSON(b []byte, from int) []byte {
	b = slices.Grow(b, max(0, int(o.size)-from))
	it := o.operations()
	for it.left > 0 && from > 0 {
		piece := it.next()
		if from < len(piece) {
			b = append(b, piece[from:]...)
		}
		from = max(0, from-len(piece))
	}
	return it.appendRest(b)
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
