package reader

import (
	"weak"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

// bases is how a parser finds a base to read a text against: that of the object's last state, or
// else the one of objects of the same origin, or else the one used last. It keeps none of them from
// being freed but the one used last.
type Bases struct {
	ByOrigin    map[uint64]origin
	sweepAt     int // how many origins there are when those whose base is gone are looked for
	Last        *align.Base
	lastBackoff backoff // of last
	objects     uint    // counts objects
}

// origin is what is known of objects that have something in common from which their text can be
// expected to be alike.
type origin struct {
	base weak.Pointer[align.Base]
	backoff
}

// resembled notes that the object was packed.
func (r *Reader) RememberBase() {
	ts := &r.Bases
	r.Base.Misses = 0
	ts.Last = r.Base
	if r.found == byKey {
		return
	}
	ts.lastBackoff = backoff{}
	if of := r.originHash(); of != 0 {
		if o := ts.ByOrigin[of]; r.found != byOrigin || o.failed > 0 {
			ts.set(of, r.Base, backoff{})
		}
	}
}

// remember notes that the object was not packed, and has become a base of its own.
func (r *Reader) RememberNewBase(b *align.Base) {
	ts := &r.Bases
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
		if !tried {
			return
		}
		o := ts.ByOrigin[r.originHash()]
		o.fail()
		ts.set(r.originHash(), b, o.backoff)
		return
	case byRecency:
		ts.lastBackoff.fail()
	}
	ts.Last = b
	if of := r.originHash(); of != 0 {
		ts.set(of, b, backoff{})
	}
}

// remember finds a base by an origin from now on.
func (ts *Bases) set(of uint64, b *align.Base, balance backoff) {
	if ts.ByOrigin == nil {
		ts.ByOrigin, ts.sweepAt = map[uint64]origin{}, minSweep
	}
	ts.ByOrigin[of] = origin{weak.Make(b), balance}
	if len(ts.ByOrigin) < ts.sweepAt {
		return
	}
	for of, o := range ts.ByOrigin {
		if o.base.Value() == nil {
			delete(ts.ByOrigin, of)
		}
	}
	ts.sweepAt = max(minSweep, 2*len(ts.ByOrigin))
}
