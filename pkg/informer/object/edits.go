package object

import "slices"

// sortEdits puts the edits in the order of the text, and drops those inside of others: a field can
// be both redacted and dropped.
func (r *reading) sortEdits() {
	if len(r.edits) < 2 {
		return
	}
	slices.SortFunc(r.edits, func(a, b edit) int { return a.from - b.from })
	out := r.edits[:1]
	for _, e := range r.edits[1:] {
		if e.from >= out[len(out)-1].to {
			out = append(out, e)
		}
	}
	r.edits = out
}
