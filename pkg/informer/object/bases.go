package object

import (
	"hash/maphash"
	"strings"
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
	p := r.parser
	if p.Plain || r.found == byKey {
		return
	}
	if b := r.ownBase(); b != nil {
		r.base, r.found = b, byKey
	} else if len(p.bases.byOrigin) == 0 {
		return
	} else if b := p.bases.byOrigin[r.origin()].base.Value(); b != nil {
		r.base, r.found = b, byOrigin
	}
}

// ownBase returns the base of the object's last state.
func (r *reading) ownBase() *base {
	if r.parser.Last == nil || r.name.to == 0 || r.asked {
		return nil
	}
	r.asked = r.uid.to > 0 // which is behind the namespace, if there is one
	o := r.parser.Last(Key{Namespace: r.namespace.text(r.s), Name: r.name.text(r.s)})
	switch {
	case o == nil || o.dense: // to decompress it would cost more than it saves
		return nil
	case o.base != nil:
		if r.last != o {
			r.last, r.lastFields = o, readFields(r.lastFields[:0], o.fields())
		}
		return o.base
	}
	return o.own
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
	if r.parser.Plain || r.name.to == 0 {
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
func (r *reading) choose(metadata *member) int {
	r.chosen = true
	if r.parser.Plain || !r.choice() {
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
	ts := &r.parser.bases
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
		if try = ts.last != nil && (ts.chance.try() || r.parser.eager); try {
			r.base, r.found = ts.last, byChance
		}
	}
	if r.base == nil || !try && !r.parser.eager {
		r.untried, r.base = r.base, nil
		return false
	}
	return true
}

// catchUp aligns what was read before the base was chosen, of metadata that begins at i. It returns
// the places of the base that correspond to that and to end, both -1 if there are none.
func (r *reading) catchUp(i, end int) (metadata, j int) {
	lax, noting := r.lax, r.noting
	r.lax, r.noting = true, false // all of it has been checked
	r.reached(end)
	r.align(r.from, 0)
	j = 1
	for i := range r.top {
		if m := &r.top[i]; m.role == roleAPIVersion || m.role == roleKind {
			j = r.typed(m, j)
		} else {
			j = r.again(m, j, 1)
		}
	}
	metadata = r.metadataIn(i, j)
	if j = metadata + 1; metadata >= 0 {
		for i := range r.meta {
			j = r.again(&r.meta[i], j, 2)
		}
	} else {
		r.lost, j = true, -1
	}
	r.lax, r.noting = lax, noting
	return metadata, j
}

// typed is again for apiVersion and kind, which a base can have in another order: items of lists
// come without them.
func (r *reading) typed(m *member, j int) int {
	if m.end < r.until {
		return m.end + r.shift
	}
	const within = 200
	t := r.base.text
	if at := strings.Index(t[:min(within, len(t))], r.s[m.start:m.end]); at >= 0 &&
		m.start >= r.until {
		r.matches = append(r.matches, match{m.start, at, m.end - m.start})
	}
	return j
}

// metadataIn returns where the base has its metadata, that of the text being at i. j is before it.
func (r *reading) metadataIn(i, j int) int {
	if i < r.until {
		return i + r.shift
	}
	t := r.base.text
	for !r.lost {
		if j = r.token(j); j >= len(t) || t[j] != '"' {
			break
		}
		end := stringEnd(t, j)
		v := r.token(end)
		if t[j:end] == `"metadata"` && t[v] == '{' {
			r.align(i, v)
			return v
		}
		r.spend(16)
		j = r.behind(v)
	}
	return -1
}

// again aligns a member that has been read. What comes before it in the base's object has been
// passed up to place j.
func (r *reading) again(m *member, j, depth int) int {
	v := r.valueIn(m.start, m.nameEnd, m.value, j)
	if v < 0 {
		return j
	}
	if m.end < r.until {
		return m.end + r.shift
	}
	r.spend((m.end - m.value) / 2)
	if _, behind, err := r.any(m.value, v, depth); err == nil && behind >= 0 {
		return behind
	}
	return j
}

// resembled notes that the object was packed.
func (r *reading) resembled() {
	ts := &r.parser.bases
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
	ts := &r.parser.bases
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
