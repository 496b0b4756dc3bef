package event

import (
	"hash/maphash"
	"strings"
	"weak"
)

// templates are what a parser holds texts against. A template is found by its base, and that by the last state of the object
// that is read, or else by a trait that objects share which resemble each other. A base lives as long as an object that
// refers to it. Those used of late have a template at hand; from the others one is made again (wake).
type templates struct {
	byBase  map[*base]*template
	byTrait map[trait]weak.Pointer[base]
	sweepAt int // how many traits there are when those whose base is gone are looked for
	last    *template
	// The templates at hand form a ring, of which a hand takes out those that were not used since it passed them.
	ring  []*template
	hand  int
	bytes int
	spare *template // is in use no more, but its memory can be
	// replaced is the base of the last state of the object that is being read, if that is plain.
	replaced *base
}

const (
	// maxTemplates is how many bytes the templates at hand may take.
	maxTemplates = 8 << 20
	// maxFirstSight is how long a text may be to become a template before anything has been found to resemble it.
	maxFirstSight = 256 << 10
	minSweep      = 1024
)

// size is about how many bytes a template takes.
func (t *template) size() int { return len(t.text) + len(t.text)/4 + 1024 }

// trait is what tells objects of one origin, and in one form, from others.
type trait struct {
	begins uint64 // the first bytes: items of lists have other members than objects of a watch
	origin uint64 // a hash of generateName or labels; 0 if there are neither
}

// identity is what the text of an object says about whom it resembles, of which nothing was checked yet.
type identity struct {
	trait trait
	key   Key // empty if it is not found soon
}

// identify looks at the beginning of the object at i.
func identify(s string, i int) (id identity) {
	if len(s) < i+8 {
		return id
	}
	id.trait.begins = word(s, i)
	if i = findMember(s, i, "metadata"); i < 0 || i >= len(s) || s[i] != '{' {
		return id
	}
	generated := false
	for i = nextToken(s, i+1); i < len(s) && s[i] == '"'; i = nextToken(s, i) {
		end := stringEnd(s, i)
		name := s[i+1 : max(i+1, end-1)]
		i = nextToken(s, end)
		if i < len(s) && s[i] == '[' {
			break // managedFields, most often, with which it would take long
		}
		end = skipTrusted(s, i)
		switch name {
		case "name":
			id.key.Name = inner(s[i:end])
		case "namespace":
			id.key.Namespace = inner(s[i:end])
		case "generateName":
			id.trait.origin, generated = maphash.String(nameSeed, s[i:end]), true
		case "labels":
			if !generated {
				id.trait.origin = maphash.String(nameSeed, s[i:end])
			}
		}
		if id.key.Name != "" && id.key.Namespace != "" && id.trait.origin != 0 {
			break
		}
		i = end
	}
	return id
}

// inner returns what stands between a string's quotes, "" if that has escapes or is none.
func inner(s string) string {
	if len(s) < 2 || s[0] != '"' || strings.IndexByte(s, '\\') >= 0 {
		return ""
	}
	return s[1 : len(s)-1]
}

// pick returns the template to try for an object: that of its own last state or of its kind, or else the one that was used
// last. It is nil if there is none.
func (ts *templates) pick(p *Parser, id identity) (t *template, own bool) {
	ts.replaced = nil
	if t = ts.own(p, id); t != nil && t.prepare(p) {
		t.used = true
		return t, true
	}
	if t = ts.last; t == nil || !t.prepare(p) {
		return nil, false
	}
	return t, false
}

func (ts *templates) own(p *Parser, id identity) *template {
	if p.Last != nil && id.key.Name != "" {
		if o := p.Last(id.key); o != nil && o.base != nil {
			return ts.of(o.base)
		} else if o != nil && o.own != nil {
			ts.replaced = o.own
			return ts.of(o.own)
		}
	}
	if b := ts.byTrait[id.trait].Value(); b != nil {
		return ts.of(b)
	}
	return nil
}

// of returns the template of a base, which is made of it if it is not at hand.
func (ts *templates) of(b *base) *template {
	if t := ts.byBase[b]; t != nil {
		return t
	}
	t := &template{text: b.text, base: b, woken: true}
	if old := ts.spare; old != nil {
		t.bits, t.frame, t.marks, t.leaves, t.kept = old.bits, old.frame, old.marks[:0], old.leaves[:0], old.kept[:0]
		ts.spare = nil
	}
	t.kept = append(t.kept, kept{0, len(b.text), 0})
	return t
}

// keep has a template at hand, in place of another one of its base.
func (ts *templates) keep(t *template) {
	if ts.byBase == nil {
		ts.byBase = map[*base]*template{}
	}
	if old := ts.byBase[t.base]; old == t {
		return
	} else if old != nil {
		ts.forget(t.base)
	}
	if t.size() > maxTemplates/4 {
		return // it is made again each time
	}
	ts.byBase[t.base] = t
	t.at = len(ts.ring)
	ts.ring = append(ts.ring, t)
	ts.bytes += t.size()
	for ts.bytes > maxTemplates && len(ts.ring) > 1 {
		ts.hand %= len(ts.ring)
		if old := ts.ring[ts.hand]; old.used || old == t {
			old.used = false
			ts.hand++
		} else {
			ts.takeOut(ts.hand)
		}
	}
}

// takeOut takes the template at a place of the ring from those at hand.
func (ts *templates) takeOut(at int) {
	t, end := ts.ring[at], len(ts.ring)-1
	ts.ring[at], ts.ring[end].at = ts.ring[end], at
	ts.ring[end] = nil
	ts.ring = ts.ring[:end]
	delete(ts.byBase, t.base)
	ts.bytes -= t.size()
	if ts.last == t {
		ts.last = nil
	}
	ts.spare = t
}

// forget takes the template of a base from those at hand.
func (ts *templates) forget(b *base) {
	if t := ts.byBase[b]; t != nil {
		ts.takeOut(t.at)
	}
}

// remember finds a base by a trait from now on. What was found by it before is out of use.
func (ts *templates) remember(of trait, b *base) {
	if ts.byTrait == nil {
		ts.byTrait, ts.sweepAt = map[trait]weak.Pointer[base]{}, minSweep
	}
	if old := ts.byTrait[of].Value(); old == b {
		return
	} else if old != nil {
		ts.forget(old)
	}
	ts.byTrait[of] = weak.Make(b)
	if len(ts.byTrait) < ts.sweepAt {
		return
	}
	for of, b := range ts.byTrait {
		if b.Value() == nil {
			delete(ts.byTrait, of)
		}
	}
	ts.sweepAt = max(minSweep, 2*len(ts.byTrait))
}
