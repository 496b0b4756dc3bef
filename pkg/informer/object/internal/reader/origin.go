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

// origins are hashes of what an object has in common with objects that resemble it. They are 0 if it
// has nothing of that.
type origins struct {
	of    Span   // of what
	same  uint64 // its generateName, or else its owners, or else its labels
	alike uint64 // the same without the numbers of Jobs, or without UIDs
}

// origin returns the origins of the object.
func (r *Reader) origin() origins {
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
		return origins{}
	}
	if span == r.origins.of {
		return r.origins
	}
	text := r.Text[span.From:span.To]
	r.origins = origins{of: span, same: maphash.String(hashSeed, text)}
	if r.origins.alike = r.origins.same; skip != 0 {
		var kept [256]byte
		n := 0
		for i := 0; i < len(text) && n < len(kept); i++ {
			kept[n] = text[i]
			if classes[text[i]]&skip == 0 {
				n++
			}
		}
		r.origins.alike = maphash.Bytes(hashSeed, kept[:n])
	}
	return r.origins
}
