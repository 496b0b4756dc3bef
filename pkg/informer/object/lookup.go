package object

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// smallObject is the size up to which two walks through an object are faster than one for a set.
const smallObject = 1 << 10

// LookupAll looks up each path of a set, as Lookup does, in one walk: it reads no byte twice,
// except of a small object, and unpacks a packed one only as far as necessary. values has one
// element for each path, in their order, which must be Missing before; those of fields that do not
// exist are not changed. The values are valid until the next Set.
func (s *Scratch) LookupAll(set *Paths, values []Value) {
	if n := len(set.paths); n == 1 && set.open != 0 {
		values[0] = s.lookupOpen(set.paths[0])
		return
	} else if n == 1 || n == 2 && s.object.isPlain() && s.object.size <= smallObject {
		for i, path := range set.paths {
			values[i] = s.Lookup(path)
		}
		return
	}
	w := setWalk{object: s.object, values: values, open: set.open}
	if text, whole := s.fullText(); whole {
		w.text = text
	} else {
		w.unpacked = &s.unpacked
		w.unpacked.begin(s.object)
	}
	w.walk(set)
}

// lookupOpen is like Lookup, but does not search for the end of an array.
func (s *Scratch) lookupOpen(path Path) Value {
	from, steps, ok := path.start(s.object)
	if !ok {
		return Value{}
	}
	if text, whole := s.fullText(); whole {
		return walkOpen(text, int(from), steps)
	}
	t := s.suffixFrom(from)
	t.unpack(int(s.object.size))
	return walkOpen(view(t.text), int(from-t.from), steps)
}

// setWalk is one walk for a set of paths. Like walk, it trusts the text.
type setWalk struct {
	object *Object
	values []Value
	// text is the JSON of the object from place from on. That of a packed object ends where spec or
	// status begins, or at the end: there the walk unpacks more of it.
	text     string
	from     int
	unpacked *unpacker // nil if the object is not packed
	open     uint64    // as in Paths
}

// walk looks up the set. It begins at the front only for fields outside of spec and status, ends
// with the last of them, and continues at spec and at status.
func (w *setWalk) walk(set *Paths) {
	wanted := set.sectionBits
	if len(set.root.members) > len(set.sections) || len(set.root.ends) > 0 {
		w.reach(0)
		for len(set.root.ends) > 0 && len(w.text) < w.object.Size() {
			w.reach(len(w.text))
		}
		_, wanted = w.enterValue(&set.root, 0, false, set.sectionBits)
	}
	// A packed object is unpacked from front to back.
	first, last := 0, len(set.sections)-1
	if last == 1 && w.object.place(set.sections[1].key) < w.object.place(set.sections[0].key) {
		first, last = 1, 0
	}
	if wanted &= set.sectionBits; wanted != 0 {
		w.enterSection(&set.sections[first], wanted)
		if first != last {
			w.enterSection(&set.sections[last], wanted)
		}
	}
}

// enterSection looks up the fields of a section if it is wanted and the object has it.
func (w *setWalk) enterSection(p *section, wanted uint64) {
	if place := w.object.place(p.key); wanted&p.bit != 0 && place > 0 {
		w.reach(place)
		w.enterValue(p.next, place-w.from, false, 0)
	}
}

// enterValue looks up the fields of a node in the value at i. It returns the end of the value, if
// toEnd is set, and the members that are missing, as bits. It does not search for members that are
// optional.
func (w *setWalk) enterValue(n *node, i int, toEnd bool, optional uint64) (end int,
	missing uint64) {
	if n.count == 1 && !toEnd {
		if w.open&(1<<n.lastPath) == 0 {
			w.values[n.lastPath] = walk(w.text, i, n.rest)
		} else {
			w.values[n.lastPath] = walkOpen(w.text, i, n.rest)
		}
		return i, 0
	}
	if i >= len(w.text) {
		return i, 0
	}
	begin := i
	toEnd = toEnd || len(n.ends) > 0
	switch c := w.text[i]; {
	case c == '{' && len(n.members) > 0:
		i, missing = w.enterObject(n, i, toEnd, optional)
	case c == '[' && len(n.items) > 0:
		i = w.enterArray(n.items, i, toEnd)
	case toEnd:
		i = jsontext.ValueEnd(w.text, i)
	}
	for _, k := range n.ends {
		w.values[k] = Value{raw: w.text[begin:i], kind: kindOf(w.text[begin])}
	}
	return i, missing
}

func (w *setWalk) enterObject(n *node, i int, toEnd bool, optional uint64) (end int,
	missing uint64) {
	s := w.text
	missing = allBits(n.members)
	for i = jsontext.NextToken(s, i+1); i < len(s) && s[i] == '"'; i = jsontext.NextToken(s, i) {
		if missing&^optional == 0 {
			return jsontext.EnclosingEnd(s, i, 1), missing
		}
		nameEnd := jsontext.StringEnd(s, i)
		name := s[i+1 : max(i+1, nameEnd-1)]
		if strings.IndexByte(name, '\\') >= 0 {
			name = jsontext.Unescape(name)
		}
		if i = jsontext.NextToken(s, nameEnd); i == len(s) {
			w.reach(w.from + i)
			s = w.text
		}
		k := n.member(name)
		if k < 0 || missing&(1<<k) == 0 {
			i = jsontext.ValueEnd(s, i)
			continue
		}
		missing &^= 1 << k
		done := missing&^optional == 0 && !toEnd
		if i, _ = w.enterValue(&n.members[k].next, i, !done, 0); done {
			return i, missing
		}
	}
	return min(i+1, len(s)), missing
}

func (w *setWalk) enterArray(items []edge, i int, toEnd bool) int {
	s, n := w.text, 0
	for i = jsontext.NextToken(s, i+1); i < len(s) && s[i] != ']'; i = jsontext.NextToken(s, i) {
		if n++; n <= items[0].index {
			i = jsontext.ValueEnd(s, i)
			continue
		}
		done := len(items) == 1
		i, _ = w.enterValue(&items[0].next, i, toEnd || !done, 0)
		if items = items[1:]; !done {
			continue
		}
		if toEnd {
			i = jsontext.EnclosingEnd(s, i, 1)
		}
		return i
	}
	return min(i+1, len(s))
}

// reach unpacks a packed object from a place to where spec or status begins next, or to its end.
func (w *setWalk) reach(place int) {
	o, at := w.object, w.from+len(w.text)
	if w.unpacked == nil || place < at {
		return
	}
	if place > at {
		w.unpacked.next(place-at, false)
		w.from, w.text = place, ""
	}
	end := int(o.size)
	for _, begin := range [2]int{int(o.header.spec), int(o.header.status)} {
		if begin > place {
			end = min(end, begin)
		}
	}
	begin := len(w.unpacked.text) - len(w.text)
	w.unpacked.next(end-place, true)
	w.text = view(w.unpacked.text[begin:])
}
