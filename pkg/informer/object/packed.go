package object

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/delta"
)

// AppendJSON appends the JSON to dst. It allocates nothing if dst has room, in whatever form the
// object is.
func (o *Object) AppendJSON(dst []byte) []byte {
	switch {
	case o.isPlain():
		return append(dst, o.text[:o.size]...)
	case o.isDense:
		return decompress(slices.Grow(dst, int(o.size)), o.text[o.literals:],
			o.base.Dictionary())
	default:
		return o.appendJSON(dst, 0)
	}
}

// appendJSON appends the JSON of a packed object from a place on.
func (o *Object) appendJSON(b []byte, from int) []byte {
	b = slices.Grow(b, max(0, int(o.size)-from))
	d := o.delta()
	for d.Remaining > 0 && from > 0 {
		piece := d.Next()
		if from < len(piece) {
			b = append(b, piece[from:]...)
		}
		from = max(0, from-len(piece))
	}
	return d.AppendAll(b)
}

// delta returns a decoder of the JSON of a packed object.
func (o *Object) delta() delta.Decoder {
	return delta.NewDecoder(o.text, o.base.Text, int(o.literals), int(o.ops), int(o.size))
}

// plainHeader returns a plain object with the header of the packed or dense object o. text is the
// JSON and, after it, the header's texts.
func (o *Object) plainHeader(text string) Object {
	p := Object{text: text, stored: o, typeMeta: o.typeMeta, header: o.header, size: o.size}
	for _, f := range p.header.identity() {
		f.from += o.size
	}
	return p
}

// unpack returns a part of the JSON, without copying it if it is part of a single piece.
func (o *Object) unpack(from, to int) string {
	var b strings.Builder
	d := o.delta()
	for at := 0; at < to; {
		piece := d.Next()
		skip := max(from-at, 0)
		at += len(piece)
		if at <= from {
			continue
		}
		piece = piece[skip:min(len(piece), len(piece)+to-at)]
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

// fields returns the checksums that a packed object has of its fieldsV1 values.
func (o *Object) fields() string { return o.text[o.header.identitySize():o.literals] }
