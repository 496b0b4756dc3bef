package object

// newBase makes a base of the object that was read, of which text is the JSON.
func (k *output) newBase(text string) *base {
	r := k.r
	b := &base{text: text}
	if r.regular && r.spec > 0 {
		b.spec, b.levels = k.place(r.spec), uint8(r.deepest) // which is less than maxBaseDepth
		if r.status > 0 {
			b.status = k.place(r.status)
		}
	}
	if n := len(r.extents); n > 0 && len(r.edits) < 32 {
		b.extents = make([]extent, n)
		for i, e := range r.extents {
			b.extents[i] = extent{k.place(int(e.from)), k.place(int(e.to))}
		}
	}
	if len(r.fields) > 0 {
		b.fields = make([]checked, 0, len(r.fields))
		for _, sp := range r.fields {
			b.fields = append(b.fields, checkedOf(r.s[sp.from:sp.to]))
		}
	}
	return b
}
