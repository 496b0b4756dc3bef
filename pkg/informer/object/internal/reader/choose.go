package reader

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

// found says how a base was found.
type found uint8

const (
	notFound  found = iota
	byKey           // it is the base of the object's last state
	byOrigin        // an object of the same origin referred to it
	byRecency       // it was used last
)

// findBase looks for a base. It can be called as soon as the name is known, and again when more is.
func (r *Reader) findBase() {
	if r.Plain || r.found == byKey {
		return
	}
	if b := r.lastStateBase(); b != nil {
		r.Base, r.found = b, byKey
	} else if len(r.Bases.ByOrigin) == 0 {
		return
	} else if of := r.origin(); !r.findBy(of.same) {
		r.findBy(of.alike)
	}
}

// findBy looks for the base of an origin.
func (r *Reader) findBy(origin uint64) bool {
	b := r.Bases.ByOrigin[origin].base.Value()
	if b == nil {
		return false
	}
	r.Base, r.found, r.foundBy = b, byOrigin, origin
	return true
}

// lastStateBase returns the base of the object's last state, nil if there is none.
func (r *Reader) lastStateBase() *align.Base {
	if r.LastState == nil || r.Name.To == 0 || r.askedLastState {
		return nil
	}
	r.askedLastState = r.UID.To > 0 // the namespace comes before it
	last := r.LastState(r.Namespace.Text(r.Text), r.Name.Text(r.Text))
	if last.Packed {
		r.lastState, r.hasLastState = last, true
		r.lastFields = readFields(r.lastFields[:0], last.Fields)
	}
	return last.Base
}

// canChoose reports whether enough of the metadata was read to choose a base: the name, and a last
// state or a generateName. In objects of built-in kinds, these come first.
func (r *Reader) canChoose() bool {
	if r.Plain || r.Name.To == 0 {
		return false
	}
	r.findBase()
	return r.found == byKey || r.generateName.To > 0
}

// chooseEarly is choose within the metadata, which begins at i. It returns the places of the base
// that correspond to i and to the end of what was read, both -1 if there is no base.
func (r *Reader) chooseEarly(i int) (metadata, j int) {
	r.chosen = true
	if !r.acceptBase() {
		return -1, -1
	}
	return r.CatchUp(i, r.Meta[len(r.Meta)-1].End)
}

// choose chooses a base for the rest of the object after its metadata. It returns the place of the
// base that corresponds to the end of the metadata, -1 if there is none.
func (r *Reader) choose(metadata *member) int {
	r.chosen = true
	if r.Plain || !r.acceptBase() {
		return -1
	}
	base, j := r.CatchUp(metadata.Value, metadata.End)
	if base < 0 {
		return -1
	}
	return r.BaseContainerEnd(metadata.End-1, j, base)
}

// acceptBase reports whether there is a base that is worth a try, and removes one that is not.
func (r *Reader) acceptBase() bool {
	bases := &r.Bases
	bases.objects++
	r.findBase()
	try := true
	switch r.found {
	case byKey:
		try = r.Base.Misses < 2 || bases.objects&(1<<r.Base.Misses-1) == 0
	case byOrigin:
		o := bases.ByOrigin[r.foundBy]
		if try = o.allow(); !try || o.failed > 0 {
			bases.ByOrigin[r.foundBy] = o
		}
	case notFound:
		if try = bases.Last != nil && (bases.lastBackoff.allow() || r.Aligner.Eager); try {
			r.Base, r.found = bases.Last, byRecency
		}
	}
	if r.Base == nil || !try && !r.Aligner.Eager {
		r.refused, r.Base = r.Base, nil
		return false
	}
	return true
}
