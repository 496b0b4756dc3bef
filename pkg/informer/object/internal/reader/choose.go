package reader

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

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
func (r *Reader) findBase() {
	if r.Plain || r.found == byKey {
		return
	}
	if b := r.lastStateBase(); b != nil {
		r.Base, r.found = b, byKey
	} else if len(r.Bases.ByOrigin) == 0 {
		return
	} else if b := r.Bases.ByOrigin[r.originHash()].base.Value(); b != nil {
		r.Base, r.found = b, byOrigin
	}
}

// ownBase returns the base of the object's last state.
func (r *Reader) lastStateBase() *align.Base {
	if r.LastStates == nil || r.Name.To == 0 || r.askedLastState {
		return nil
	}
	r.askedLastState = r.UID.To > 0 // which is behind the namespace, if there is one
	last := r.LastStates.LastState(r.Namespace.Text(r.Text), r.Name.Text(r.Text))
	if last.Packed {
		r.last, r.lastFields = last, readFields(r.lastFields[:0], last.Fields)
	}
	return last.Base
}

// mayChoose reports whether enough of the metadata is known to choose a base: the name, and a last
// state or made-up name. In objects of built-in kinds, that comes first.
func (r *Reader) canChoose() bool {
	if r.Plain || r.Name.To == 0 {
		return false
	}
	r.findBase()
	return r.found == byKey || r.generateName.To > 0
}

// chooseEarly is choose within the metadata, which begins at i. It returns the places of the base
// that correspond to the beginning of the metadata and to the end of what was read of it, both -1
// if there is no base.
func (r *Reader) chooseEarly(i int) (metadata, j int) {
	r.chosen = true
	if !r.acceptBase() {
		return -1, -1
	}
	return r.CatchUp(i, r.Meta[len(r.Meta)-1].End)
}

// choose decides what the rest of the object is read against, now that its metadata was read. It
// returns the place of the base that corresponds to the end of the metadata, -1 if there is none.
func (r *Reader) choose(metadata *readerMember) int {
	r.chosen = true
	if r.Plain || !r.acceptBase() {
		return -1
	}
	v, j := r.CatchUp(metadata.Value, metadata.End)
	if v < 0 {
		return -1
	}
	return r.BaseContainerEnd(metadata.End-1, j, v)
}

// choice reports whether there is a base that is worth a try.
func (r *Reader) acceptBase() bool {
	ts := &r.Bases
	ts.objects++
	r.findBase()
	try := true
	switch r.found {
	case byKey:
		try = r.Base.Misses < 2 || ts.objects&(1<<r.Base.Misses-1) == 0
	case byOrigin:
		o := ts.ByOrigin[r.originHash()]
		if try = o.allow(); !try || o.failed > 0 {
			ts.ByOrigin[r.originHash()] = o
		}
	case notFound:
		if try = ts.Last != nil && (ts.lastBackoff.allow() || r.Unlimited); try {
			r.Base, r.found = ts.Last, byRecency
		}
	}
	if r.Base == nil || !try && !r.Unlimited {
		r.refused, r.Base = r.Base, nil
		return false
	}
	return true
}
