package object

// newBase makes a base of the object that was read, of which text is the JSON.
func (out *output) newBase(text string) *base {
	r := out.r
	b := &base{text: text}
	if r.ordered && r.spec > 0 {
		b.spec, b.depth = out.place(r.spec), uint8(r.depth) // which is less than maxBaseDepth
		if r.status > 0 {
			b.status = out.place(r.status)
		}
	}
	if n := len(r.extents); n > 0 && len(r.edits) < 32 {
		b.extents = make([]extent, n)
		for i, e := range r.extents {
			b.extents[i] = extent{out.place(int(e.from)), out.place(int(e.to))}
		}
	}
	if len(r.fields) > 0 {
		b.fields = make([]checksum, 0, len(r.fields))
		for _, sp := range r.fields {
			b.fields = append(b.fields, checksumOf(r.text[sp.from:sp.to]))
		}
	}
	return b
}
