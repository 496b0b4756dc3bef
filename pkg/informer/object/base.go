package object

import "sync/atomic"

// base is a text that packed objects refer to: that of the plain object it was made with. It is
// also what other texts are read against, and has all that this takes, so that it needs no
// preparation and ends when the last object that refers to it does.
type base struct {
	text string
	// extents are where the long containers and strings in the text are, in its order. They nest
	// less deep than maxBaseDepth.
	extents []extent
	// fields are the fieldsV1 values that the object came with and that were cut out.
	fields []checked
	// What an Object's header says of where spec and status begin, and Object.levels.
	spec, status uint32
	levels       uint8
	// held is how many objects of a store refer to it (Object.Hold).
	held atomic.Int32
	// vain is how often in a row an object was read against it and not packed.
	vain uint8
}

// checked is a value that was checked and is not kept.
type checked struct {
	len  int
	hash uint64
}

const (
	// minBase is how long an object must be for it to be packed or to become a base: of a shorter
	// one the header and the operations take what packing it saves.
	minBase = 1 << 10
	// maxBaseDepth is less than how deep a base nests, so that what is within it surely keeps the
	// limit of maxDepth.
	maxBaseDepth = 100
	// minFields is how long a fieldsV1 value must be to be remembered.
	minFields = 128
)

// baseSize is about how much memory a base takes besides its text.
func (b *base) size() int { return 112 + 8*cap(b.extents) + 16*cap(b.fields) }

// newBase makes a base of the object that was read, of which text is the JSON.
func (k *packing) newBase(text string) *base {
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

// extent returns the end of the long container or string that begins at a place of the base, 0 if
// there is none.
func (r *reading) extent(at int) int {
	if k := r.extentAt(at); k < len(r.base.extents) && int(r.base.extents[k].from) == at {
		return int(r.base.extents[k].to)
	}
	return 0
}

// extentAt returns the first of the base's extents that begins at a place or behind it.
func (r *reading) extentAt(at int) int {
	all, k := r.base.extents, r.near
	if k == 0 || int(all[k-1].from) < at { // most often it is one of the next
		for range 4 {
			if k == len(all) || int(all[k].from) >= at {
				r.near = k
				return k
			}
			k++
		}
	}
	r.near = searchExtents(all, at)
	return r.near
}

// searchExtents returns the first extent that begins at a place or behind it.
func searchExtents(all []extent, at int) int {
	from, to := 0, len(all)
	for from < to {
		if half := (from + to) / 2; int(all[half].from) < at {
			from = half + 1
		} else {
			to = half
		}
	}
	return from
}

// behind returns the place behind the value at a place of the base.
func (r *reading) behind(at int) int {
	t := r.base.text
	if at >= len(t) {
		return len(t)
	}
	if c := t[at]; c == '{' || c == '[' || c == '"' {
		if end := r.extent(at); end > 0 {
			return end
		}
	}
	end := skipTrusted(t, at)
	r.spend((end - at) / 2)
	return end
}
