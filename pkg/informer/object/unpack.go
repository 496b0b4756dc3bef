package object

import "strings"

// operations reads a packed object's text from front to back.
type operations struct {
	ops, literals, base string
	behind              int
	left                int  // of the JSON
	literal             bool // what next gave last was one of the literals
}

func (o *Object) operations() operations {
	return operations{ops: o.text[o.ops:], literals: o.text[o.literals:o.ops], base: o.base.text,
		left: int(o.size)}
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

// plainHeader returns a plain object whose text is the JSON and, behind it, the header's fields of
// the packed or dense one.
func (o *Object) plainHeader(text string) Object {
	p := Object{text: text, stored: o, typ: o.typ, header: o.header, size: o.size}
	for _, f := range p.header.identity() {
		f.from += o.size
	}
	return p
}

// unpack gives a part of the JSON, without copying it if it stands in one piece.
func (o *Object) unpack(from, to int) string {
	var b strings.Builder
	ops := o.operations()
	for at := 0; at < to; {
		piece := ops.next()
		begins := max(from-at, 0)
		at += len(piece)
		if at <= from {
			continue
		}
		piece = piece[begins:min(len(piece), len(piece)+to-at)]
		if len(piece) == to-from {
			return piece
		}
		if b.Cap() == 0 {
			b.Grow(to - from)
		}
		b.WriteString(piece)
	}
	return b.String()
}

// unpacking is a packed object that is being unpacked from front to back, in parts.
type unpacking struct {
	text       []byte // what was unpacked
	operations operations
	piece      string // the rest of the last operation's
}

func (u *unpacking) begin(o *Object) { u.operations, u.piece = o.operations(), "" }

// next unpacks n bytes, or passes over them.
func (u *unpacking) next(n int, keep bool) {
	for n > 0 {
		if u.piece == "" {
			u.piece = u.operations.next()
			continue
		}
		part := u.piece[:min(n, len(u.piece))]
		u.piece = u.piece[len(part):]
		n -= len(part)
		if keep {
			u.text = append(u.text, part...)
		}
	}
}
