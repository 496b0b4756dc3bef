package event

import (
	"math/bits"
	"sync/atomic"
)

// template is a text that was checked, kept because others will be much like it (like.go).
type template struct {
	text string // as it came, with what is cut out of it, or that of the base
	base *base  // for packed objects to refer to
	kept []kept
	// woken: the text is that of the base, as nothing else is left of what came. What was cut out is not in it.
	woken bool
	used  bool // since the hand of templates has passed
	at    int  // its place in their ring

	// The rest is there once the template is used: most objects have nobody who resembles them.
	ready bool
	bits  bitmap // set within strings, from behind the opening quote to the closing one
	top   []member
	// frame is set where the members of the objects begin and end that are read member by member: a text that differs
	// there is not read as a whole.
	frame bitmap
	marks []mark
	// leaves are the members that are read one by one and have none below them that are.
	leaves []leaf
}

// leaf is where a value stands, and whether it is cut out.
type leaf struct {
	value, end int
	cut        bool
}

// mark is a member that has a role, or is cut out.
type mark struct {
	start, value, end int
	role              role
	cut               bool
	cutFrom, cutTo    int // with the comma before it or, if nothing that is kept stands before it, the one behind it
}

// bitmap has one bit for each byte of a text.
type bitmap []uint64

// newBitmap returns an empty bitmap for a text, in the memory of another one if that is long enough.
func newBitmap(text string, memory bitmap) bitmap {
	if n := len(text)/64 + 1; n <= cap(memory) {
		clear(memory[:n])
		return memory[:n]
	}
	return make(bitmap, len(text)/64+1)
}

func (b bitmap) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }

func (b bitmap) set(from, to int) {
	for i := from; i < to; {
		n := min(64-i%64, to-i)
		b[i/64] |= (1<<n - 1) << (i % 64)
		i += n
	}
}

// base is the text that packed objects refer to: that of the plain object it was made with.
type base struct {
	text string
	// held is how many objects of a store refer to it (Object.Hold).
	held atomic.Int32
}

// kept is a part of a template's text that its base has, too. They stand in the order of the text.
type kept struct{ from, to, at int }

// member is a member of one of the objects that are read member by member: the object itself, its metadata, and so on.
type member struct {
	glue, start, value, end int // behind the member before, the name's quote, the value, behind the value
	role                    role
	drop                    *dropTree
	hash                    uint64
	below                   []member // not nil if the value is an object that is read member by member
	// opaque: it would be, if the value were an object. A text that has one there has to be looked into.
	opaque bool
}

// prepare looks at the text once, so that others can be held against it. It is false if the text is no good for that.
func (t *template) prepare(p *Parser) bool {
	if t.ready {
		return t.top != nil
	}
	t.ready = true
	depth, deepest := 0, 0
	t.bits = newBitmap(t.text, t.bits)
	for i := 0; i < len(t.text); {
		switch t.text[i] {
		case '"':
			end := stringEnd(t.text, i)
			t.bits.set(i+1, end)
			i = end
			continue
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		}
		i++
	}
	if deepest < maxTemplateDepth {
		t.top = p.members(t.text, 0, levelObject, p.dropTree())
		t.frame = newBitmap(t.text, t.frame)
		t.note(0, len(t.text), t.top)
	}
	return t.top != nil
}

// note marks the members of the object that begins at from.
func (t *template) note(from, end int, all []member) {
	t.frame.set(from, from+1)
	t.frame.set(end-1, end)
	kept := false
	for i, m := range all {
		t.frame.set(m.start, m.start+1)
		if m.opaque {
			t.frame.set(m.value, m.value+1)
		}
		cut := m.drop != nil && m.drop.cut
		if m.role != roleNone || cut {
			mark := mark{start: m.start, value: m.value, end: m.end, role: m.role, cut: cut, cutFrom: m.glue, cutTo: m.end}
			if !kept {
				mark.cutFrom = m.start
				if i+1 < len(all) {
					mark.cutTo = all[i+1].start
				}
			}
			t.marks = append(t.marks, mark)
		}
		kept = kept || !cut
		if m.below != nil {
			t.note(m.value, m.end, m.below)
		} else {
			t.leaves = append(t.leaves, leaf{m.value, m.end, cut})
		}
	}
}

// members returns the members of the object at i, of valid text. They are never nil: an empty object, too, has an end
// before which a member to cut may come in.
func (p *Parser) members(s string, i int, l level, drop *dropTree) []member {
	begin, glue := len(p.stack), i+1
	for i = nextToken(s, i+1); i < len(s) && s[i] == '"'; i = nextToken(s, i) {
		end := stringEnd(s, i)
		name := s[i+1 : end-1]
		m := member{glue: glue, start: i, value: nextToken(s, end), hash: hashName(name)}
		m.role, m.drop = l.role(decodeString(name)), drop.child(decodeString(name))
		if below, ok := p.levelBelow(m.role, m.drop); ok {
			if s[m.value] == '{' {
				m.below = p.members(s, m.value, below, m.drop)
			} else {
				m.opaque = true
			}
		}
		m.end = skipTrusted(s, m.value)
		p.stack = append(p.stack, m)
		i, glue = m.end, m.end
	}
	all := append(make([]member, 0, len(p.stack)-begin), p.stack[begin:]...)
	p.stack = p.stack[:begin]
	return all
}

// quoted tells whether j is a place within a string, its closing quote included.
func (t *template) quoted(j int) bool { return t.bits.has(j) }

// stringAround gives the string that j is in, with its quotes.
func (t *template) stringAround(j int) (start, end int) {
	w := j / 64
	outside := ^t.bits[w] & (1<<(j%64) - 1)
	for outside == 0 {
		w--
		outside = ^t.bits[w]
	}
	start = w*64 + 63 - bits.LeadingZeros64(outside)
	w = j / 64
	outside = ^t.bits[w] &^ (1<<(j%64) - 1)
	for outside == 0 {
		w++
		outside = ^t.bits[w]
	}
	return start, w*64 + bits.TrailingZeros64(outside)
}
