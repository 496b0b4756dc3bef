package object

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/delta"
)

// plainHeader returns a plain object whose text is the JSON and, behind it, the header's fields of
// the packed or dense one.
func (o *Object) plainHeader(text string) Object {
	p := Object{text: text, stored: o, typeMeta: o.typeMeta, header: o.header, size: o.size}
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
		piece := ops.Next()
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
type unpacker struct {
	text    []byte // what was unpacked
	decoder delta.Decoder
	rest    string // the rest of the last operation's
}

func (u *unpacker) begin(o *Object) { u.decoder, u.rest = o.operations(), "" }

// next unpacks n bytes, or passes over them.
func (u *unpacker) next(n int, keep bool) {
	for n > 0 {
		if u.rest == "" {
			u.rest = u.decoder.Next()
			continue
		}
		part := u.rest[:min(n, len(u.rest))]
		u.rest = u.rest[len(part):]
		n -= len(part)
		if keep {
			u.text = append(u.text, part...)
		}
	}
}

func (o *Object) operations() delta.Decoder {
	return delta.NewDecoder(o.text, o.base.Text, int(o.literals), int(o.ops), int(o.size))
}
