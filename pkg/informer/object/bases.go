package object

import (
	"hash/maphash"
	"weak"
)

// bases is how a parser finds a base to read a text against: that of the object's last state, or
// else the one of objects of the same origin, or else the one used last. It keeps none of them from
// being freed but the one used last.
type bases struct {
	byOrigin map[uint64]origin
	sweepAt  int // how many origins there are when those whose base is gone are looked for
	last     *base
	chance   balance // of last
	turn     uint    // counts objects
}

// origin is what is known of objects that have something in common from which their text can be
// expected to be alike.
type origin struct {
	base weak.Pointer[base]
	balance
}

// balance decides whether to try again what was in vain: after a failure less and less often.
type balance struct{ failed, wait uint8 }

// maxFailed bounds that: one object of 1<<maxFailed is tried.
const maxFailed = 6

func (b *balance) try() bool {
	if b.wait > 0 {
		b.wait--
		return false
	}
	return true
}

func (b *balance) inVain() {
	b.failed = min(b.failed+1, maxFailed)
	b.wait = 1<<b.failed - 2
}

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

const (
	isDigit = 1 << iota
	isHexLetter
)

var classes = func() (of [256]uint8) {
	for c := '0'; c <= '9'; c++ {
		of[c] = isDigit
	}
	for c := 'a'; c <= 'f'; c++ {
		of[c] = isHexLetter
	}
	return of
}()

// origin returns a hash of what the object has in common with those that resemble it: the beginning
// of a name that was made up, without the numbers of Jobs; or else those who own it; or else its
// labels. It is 0 if there is none of that.
func (r *reading) origin() uint64 {
	var of span
	skip := uint8(isDigit)
	switch {
	case r.generateName.to > 0:
		of = r.generateName
	case r.owners.to > 0:
		of, skip = r.owners, isDigit|isHexLetter // UIDs
	case r.labels.to > 0:
		of, skip = r.labels, 0
	default:
		return 0
	}
	if of == r.origins.of {
		return r.origins.hash
	}
	text := r.s[of.from:of.to]
	if skip == 0 {
		r.origins.hash = maphash.String(nameSeed, text)
	} else {
		var plain [256]byte
		n := 0
		for i := 0; i < len(text) && n < len(plain); i++ {
			plain[n] = text[i]
			if classes[text[i]]&skip == 0 {
				n++
			}
		}
		r.origins.hash = maphash.Bytes(nameSeed, plain[:n])
	}
	r.origins.of = of
	return r.origins.hash
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

// resembled notes that the object was packed.
func (r *reading) resembled() {
	ts := &r.bases
	r.base.vain = 0
	ts.last = r.base
	if r.found == byKey {
		return
	}
	ts.chance = balance{}
	if of := r.origin(); of != 0 {
		if o := ts.byOrigin[of]; r.found != byOrigin || o.failed > 0 {
			ts.remember(of, r.base, balance{})
		}
	}
}

// remember notes that the object was not packed, and has become a base of its own.
func (r *reading) remember(b *base) {
	ts := &r.bases
	tried := r.base != nil
	switch r.found {
	case byKey:
		old := r.base
		if !tried {
			old = r.untried
		} else {
			old.vain = min(old.vain+1, maxFailed)
		}
		b.vain = old.vain
		return
	case byOrigin:
		if !tried {
			return
		}
		o := ts.byOrigin[r.origin()]
		o.inVain()
		ts.remember(r.origin(), b, o.balance)
		return
	case byChance:
		ts.chance.inVain()
	}
	ts.last = b
	if of := r.origin(); of != 0 {
		ts.remember(of, b, balance{})
	}
}

// remember finds a base by an origin from now on.
func (ts *bases) remember(of uint64, b *base, balance balance) {
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
