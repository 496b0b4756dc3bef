package object

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer/object/internal/compress"
)

// AppendJSON appends the object's text, as JSON returns it. A packed or dense object is unpacked
// right into dst: if dst has room, nothing is allocated.
func (o *Object) AppendJSON(dst []byte) []byte {
	switch {
	case o.isPlain():
		return append(dst, o.text[:o.size]...)
	case o.dense:
		return compress.Decompress(slices.Grow(dst, int(o.size)), o.text[o.literals:],
			o.base.Dictionary())
	default:
		return o.appendJSON(dst, 0)
	}
}

// appendJSON appends the JSON of a packed object from a place on.
func (o *Object) appendJSON(b []byte, from int) []byte {
	b = slices.Grow(b, max(0, int(o.size)-from))
	it := o.operations()
	for it.Remaining > 0 && from > 0 {
		piece := it.Next()
		if from < len(piece) {
			b = append(b, piece[from:]...)
		}
		from = max(0, from-len(piece))
	}
	return it.AppendAll(b)
}
