package reader

import "hash/maphash"

const (
	isDigit = 1 << iota
	isHexLetter
)

// classes has the classes of each byte.
var classes = func() (of [256]uint8) {
	for c := '0'; c <= '9'; c++ {
		of[c] = isDigit
	}
	for c := 'a'; c <= 'f'; c++ {
		of[c] = isHexLetter
	}
	return of
}()

// origin returns a hash of what the object has in common with objects that resemble it: its
// generateName, without the numbers of Jobs, or else its owners, or else its labels. It is 0 if it
// has none of these.
func (r *Reader) origin() uint64 {
	var span Span
	skip := uint8(isDigit) // bytes that differ from object to object
	switch {
	case r.generateName.To > 0:
		span = r.generateName
	case r.owners.To > 0:
		span, skip = r.owners, isDigit|isHexLetter // UIDs
	case r.Labels.To > 0:
		span, skip = r.Labels, 0
	default:
		return 0
	}
	if span == r.originSpan {
		return r.originHash
	}
	text := r.Text[span.From:span.To]
	if skip == 0 {
		r.originHash = maphash.String(hashSeed, text)
	} else {
		var kept [256]byte
		n := 0
		for i := 0; i < len(text) && n < len(kept); i++ {
			kept[n] = text[i]
			if classes[text[i]]&skip == 0 {
				n++
			}
		}
		r.originHash = maphash.Bytes(hashSeed, kept[:n])
	}
	r.originSpan = span
	return r.originHash
}
