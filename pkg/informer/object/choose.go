package object

// found is how a base was found.
type found uint8

const (
	notFound found = iota
	byKey
	byOrigin
	byRecency
)

// minSweep is how many origins there must be for those that are gone to be looked for.
const minSweep = 1024

// pick looks for a base as soon as the name is known, or else when the metadata ends. What
// managedFields is read against may be found sooner than that.
func (r *reader) findBase() {
	if r.plain || r.found == byKey {
		return
	}
	if b := r.lastStateBase(); b != nil {
		r.base, r.found = b, byKey
	} else if len(r.bases.byOrigin) == 0 {
		return
	} else if b := r.bases.byOrigin[r.originHash()].base.Value(); b != nil {
		r.base, r.found = b, byOrigin
	}
}

// ownBase returns the base of the object's last state.
func (r *reader) lastStateBase() *base {
	if r.lastStates == nil || r.name.to == 0 || r.askedLastState {
		return nil
	}
	r.askedLastState = r.uid.to > 0 // which is behind the namespace, if there is one
	last := r.lastStates.last(r.namespace.text(r.text), r.name.text(r.text))
	if last.packed {
		r.last, r.lastFields = last, readFields(r.lastFields[:0], last.fields)
	}
	return last.base
}

// mayChoose reports whether enough of the metadata is known to choose a base: the name, and a last
// state or made-up name. In objects of built-in kinds, that comes first.
func (r *reader) canChoose() bool {
	if r.plain || r.name.to == 0 {
		return false
	}
	r.findBase()
	return r.found == byKey || r.generateName.to > 0
}

// chooseEarly is choose within the metadata, which begins at i. It returns the places of the base
// that correspond to the beginning of the metadata and to the end of what was read of it, both -1
// if there is no base.
func (r *reader) chooseEarly(i int) (metadata, j int) {
	r.chosen = true
	if !r.acceptBase() {
		return -1, -1
	}
	return r.catchUp(i, r.meta[len(r.meta)-1].end)
}

// choose decides what the rest of the object is read against, now that its metadata was read. It
// returns the place of the base that corresponds to the end of the metadata, -1 if there is none.
func (r *reader) choose(metadata *readerMember) int {
	r.chosen = true
	if r.plain || !r.acceptBase() {
		return -1
	}
	v, j := r.catchUp(metadata.value, metadata.end)
	if v < 0 {
		return -1
	}
	return r.baseContainerEnd(metadata.end-1, j, v)
}

// choice reports whether there is a base that is worth a try.
func (r *reader) acceptBase() bool {
	ts := &r.bases
	ts.objects++
	r.findBase()
	try := true
	switch r.found {
	case byKey:
		try = r.base.misses < 2 || ts.objects&(1<<r.base.misses-1) == 0
	case byOrigin:
		o := ts.byOrigin[r.originHash()]
		if try = o.allow(); !try || o.failed > 0 {
			ts.byOrigin[r.originHash()] = o
		}
	case notFound:
		if try = ts.last != nil && (ts.lastBackoff.allow() || r.unlimited); try {
			r.base, r.found = ts.last, byRecency
		}
	}
	if r.base == nil || !try && !r.unlimited {
		r.refused, r.base = r.base, nil
		return false
	}
	return true
}
