package reader

import "hash/maphash"

const (
	isDigit = 1 << iota
	isHexLetter
)

var classes = func() (of [256]uint8) {
	for c := '0'; c <= '9'; c++ {
		of[c] = isDigit
	}
	for c := 'a'; c <= 'f'; c++ {
		of[c] = isHexLetter
	}
	return of
}()

// origin returns a hash of what the object has in common with those that resemble it: the beginning
// of a name that was made up, without the numbers of Jobs; or else those who own it; or else its
// labels. It is 0 if there is none of that.
func (r *Reader) originHash() uint64 {
	var of Span
	skip := uint8(isDigit)
	switch {
	case r.generateName.To > 0:
		of = r.generateName
	case r.owners.To > 0:
		of, skip = r.owners, isDigit|isHexLetter // UIDs
	case r.Labels.To > 0:
		of, skip = r.Labels, 0
	default:
		return 0
	}
	if of == r.originCache.of {
		return r.originCache.hash
	}
	text := r.Text[of.From:of.To]
	if skip == 0 {
		r.originCache.hash = maphash.String(hashSeed, text)
	} else {
		var plain [256]byte
		n := 0
		for i := 0; i < len(text) && n < len(plain); i++ {
			plain[n] = text[i]
			if classes[text[i]]&skip == 0 {
				n++
			}
		}
		r.originCache.hash = maphash.Bytes(hashSeed, plain[:n])
	}
	r.originCache.of = of
	return r.originCache.hash
}
