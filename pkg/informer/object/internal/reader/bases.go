package reader

import (
	"weak"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

// Bases are the bases that a Reader remembers, apart from those of last states: one for each origin
// of objects, and the one used last, which is the only one that it keeps from being freed.
type Bases struct {
	ByOrigin    map[uint64]origin
	sweepAt     int // size of ByOrigin at which origins whose base is gone are removed
	Last        *align.Base
	lastBackoff backoff // of Last
	objects     uint    // read so far
}

// minSweep is the smallest value of Bases.sweepAt.
const minSweep = 1024

// maxOrigins is how many origins stay after that. More have the base of another one, which may have
// gone themselves.
const maxOrigins = 1 << 16

// origin is what is known about objects whose texts are probably alike, because their metadata has
// something in common (Reader.origin). Each object has two: one of its workload, and one of others
// that may resemble it, whose names differ in numbers.
type origin struct {
	base weak.Pointer[align.Base]
	backoff
}

// RememberBase records that the object was packed.
func (r *Reader) RememberBase() {
	bases := &r.Bases
	r.Base.Misses = 0
	bases.Last = r.Base
	if r.found == byKey {
		return
	}
	bases.lastBackoff = backoff{}
	switch {
	case r.found != byOrigin:
		bases.set(r.origin().alike, r.Base, backoff{})
	case bases.ByOrigin[r.foundBy].failed > 0:
		bases.set(r.foundBy, r.Base, backoff{})
	}
}

// RememberNewBase records that the object was not packed and b was made of it.
func (r *Reader) RememberNewBase(b *align.Base) {
	bases := &r.Bases
	tried := r.Base != nil
	switch r.found {
	case byKey:
		old := r.Base
		if !tried {
			old = r.refused
		} else {
			old.Misses = min(old.Misses+1, maxFailed)
		}
		b.Misses = old.Misses
		return
	case byOrigin:
		if of := r.origin(); r.foundBy != of.same {
			bases.set(of.same, b, backoff{})
		}
		if !tried {
			return
		}
		o := bases.ByOrigin[r.foundBy]
		o.fail()
		bases.set(r.foundBy, b, o.backoff)
		return
	case byRecency:
		bases.lastBackoff.fail()
	}
	bases.Last = b
	of := r.origin()
	bases.set(of.same, b, backoff{})
	bases.set(of.alike, b, backoff{})
}

// set remembers the base of an origin, unless that is 0.
func (bases *Bases) set(of uint64, b *align.Base, attempts backoff) {
	if of == 0 {
		return
	}
	if bases.ByOrigin == nil {
		bases.ByOrigin, bases.sweepAt = map[uint64]origin{}, minSweep
	}
	bases.ByOrigin[of] = origin{weak.Make(b), attempts}
	if len(bases.ByOrigin) < bases.sweepAt {
		return
	}
	for of, o := range bases.ByOrigin {
		if o.base.Value() == nil || len(bases.ByOrigin) > maxOrigins {
			delete(bases.ByOrigin, of)
		}
	}
	bases.sweepAt = max(minSweep, 2*len(bases.ByOrigin))
}
