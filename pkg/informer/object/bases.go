package object

import "weak"

// bases is how a parser finds a base to read a text against: that of the object's last state, or
// else the one of objects of the same origin, or else the one used last. It keeps none of them from
// being freed but the one used last.
type bases struct {
	byOrigin    map[uint64]origin
	sweepAt     int // how many origins there are when those whose base is gone are looked for
	last        *base
	lastBackoff backoff // of last
	objects     uint    // counts objects
}

// origin is what is known of objects that have something in common from which their text can be
// expected to be alike.
type origin struct {
	base weak.Pointer[base]
	backoff
}

// resembled notes that the object was packed.
func (r *reader) rememberBase() {
	ts := &r.bases
	r.base.misses = 0
	ts.last = r.base
	if r.found == byKey {
		return
	}
	ts.lastBackoff = backoff{}
	if of := r.originHash(); of != 0 {
		if o := ts.byOrigin[of]; r.found != byOrigin || o.failed > 0 {
			ts.set(of, r.base, backoff{})
		}
	}
}

// remember notes that the object was not packed, and has become a base of its own.
func (r *reader) rememberNewBase(b *base) {
	ts := &r.bases
	tried := r.base != nil
	switch r.found {
	case byKey:
		old := r.base
		if !tried {
			old = r.refused
		} else {
			old.misses = min(old.misses+1, maxFailed)
		}
		b.misses = old.misses
		return
	case byOrigin:
		if !tried {
			return
		}
		o := ts.byOrigin[r.originHash()]
		o.fail()
		ts.set(r.originHash(), b, o.backoff)
		return
	case byRecency:
		ts.lastBackoff.fail()
	}
	ts.last = b
	if of := r.originHash(); of != 0 {
		ts.set(of, b, backoff{})
	}
}

// remember finds a base by an origin from now on.
func (ts *bases) set(of uint64, b *base, balance backoff) {
	if ts.byOrigin == nil {
		ts.byOrigin, ts.sweepAt = map[uint64]origin{}, minSweep
	}
	ts.byOrigin[of] = origin{weak.Make(b), balance}
	if len(ts.byOrigin) < ts.sweepAt {
		return
	}
	for of, o := range ts.byOrigin {
		if o.base.Value() == nil {
			delete(ts.byOrigin, of)
		}
	}
	ts.sweepAt = max(minSweep, 2*len(ts.byOrigin))
}
