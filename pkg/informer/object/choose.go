package object

// found is how a base was found.
type found uint8

const (
	notFound found = iota
	byKey
	byOrigin
	byChance
)

// minSweep is how many origins there must be for those that are gone to be looked for.
const minSweep = 1024

// pick looks for a base as soon as the name is known, or else when the metadata ends. What
// managedFields is read against may be found sooner than that.
func (r *reading) pick() {
	if r.plain || r.found == byKey {
		return
	}
	if b := r.ownBase(); b != nil {
		r.base, r.found = b, byKey
	} else if len(r.bases.byOrigin) == 0 {
		return
	} else if b := r.bases.byOrigin[r.origin()].base.Value(); b != nil {
		r.base, r.found = b, byOrigin
	}
}

// ownBase returns the base of the object's last state.
func (r *reading) ownBase() *base {
	if r.lasts == nil || r.name.to == 0 || r.asked {
		return nil
	}
	r.asked = r.uid.to > 0 // which is behind the namespace, if there is one
	last := r.lasts.last(r.namespace.text(r.s), r.name.text(r.s))
	if last.packed {
		r.last, r.lastFields = last, readFields(r.lastFields[:0], last.fields)
	}
	return last.base
}

// mayChoose reports whether enough of the metadata is known to choose a base: the name, and a last
// state or made-up name. In objects of built-in kinds, that comes first.
func (r *reading) mayChoose() bool {
	if r.plain || r.name.to == 0 {
		return false
	}
	r.pick()
	return r.found == byKey || r.generateName.to > 0
}

// chooseEarly is choose within the metadata, which begins at i. It returns the places of the base
// that correspond to the beginning of the metadata and to the end of what was read of it, both -1
// if there is no base.
func (r *reading) chooseEarly(i int) (metadata, j int) {
	r.chosen = true
	if !r.choice() {
		return -1, -1
	}
	return r.catchUp(i, r.meta[len(r.meta)-1].end)
}

// choose decides what the rest of the object is read against, now that its metadata was read. It
// returns the place of the base that corresponds to the end of the metadata, -1 if there is none.
func (r *reading) choose(metadata *roleMember) int {
	r.chosen = true
	if r.plain || !r.choice() {
		return -1
	}
	v, j := r.catchUp(metadata.value, metadata.end)
	if v < 0 {
		return -1
	}
	return r.closing(metadata.end-1, j, v)
}

// choice reports whether there is a base that is worth a try.
func (r *reading) choice() bool {
	ts := &r.bases
	ts.turn++
	r.pick()
	try := true
	switch r.found {
	case byKey:
		try = r.base.vain < 2 || ts.turn&(1<<r.base.vain-1) == 0
	case byOrigin:
		o := ts.byOrigin[r.origin()]
		if try = o.try(); !try || o.failed > 0 {
			ts.byOrigin[r.origin()] = o
		}
	case notFound:
		if try = ts.last != nil && (ts.chance.try() || r.eager); try {
			r.base, r.found = ts.last, byChance
		}
	}
	if r.base == nil || !try && !r.eager {
		r.untried, r.base = r.base, nil
		return false
	}
	return true
}
