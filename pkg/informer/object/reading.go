package object

import (
	"errors"
	"fmt"
	"strconv"
)

// span is a part of the text that is being read.
type span struct{ from, to int }

// text resolves the escapes; a span of length 0 is "".
func (sp span) text(s string) string { return decodeString(s[sp.from:sp.to]) }

// edit replaces a part of the text by other text, most often by nothing.
type edit struct {
	from, to int
	with     string
}

// reading is one object being read: it is checked, the header's fields are found (their places are
// inside the quotes), and what to cut out and what a Secret has to hide is noted, in one pass.
type reading struct {
	checker
	s      string
	parser *Parser

	from    int      // where the object begins
	base    *base    // nil if nothing like this object is known
	found   found    // how it was found
	last    *Object  // the object's last state, if that is packed
	untried *base    // was found, but is not worth a try
	origins struct { // what origin has found
		of   span
		hash uint64
	}
	asked   bool    // whether there is a last state
	chosen  bool    // whether and against which base to read on
	matches []match // what is as in the base, in the order of s
	until   int     // up to which place s is as the base is, shift bytes later
	shift   int
	near    int // the extent of the base that was asked for last
	// lost: the base does not resemble the object, as too much was spent on it for what was read
	// (reading.spend).
	lost        bool
	spent, read int
	// What was read before the base was known: the object's members, and those of its metadata.
	top, meta []member

	apiVersion, kind, namespace, name, uid, resourceVersion, deletionTimestamp span

	metadata     bool // was seen
	regular      bool // the members so far are in the usual order
	followed     bool // the object ends as its last state did (last.go)
	untyped      bool // apiVersion or kind is null, so that none can be added
	labels       span
	generateName span
	owners       span
	spec, status int // where the values begin
	generation   int64
	edits        []edit
	secret       []span
	fields       []span // values of fieldsV1
	// Of these, those that the base does not have, and those of the last state.
	ownFields, lastFields []checked
}

// member is a member of an object that is read member by member.
type member struct {
	start, nameEnd, value, end int // the name's quote, behind the name, the value, behind the value
	role                       role
	drop                       *dropTree
}

// begin forgets the last object, but not the memory it took.
func (r *reading) begin(p *Parser, s string) {
	c := checker{names: r.names[:0], stack: r.stack[:0], extents: r.extents[:0], table: r.table,
		lax: p.deduplicated, noting: !p.Plain, short: minExtent}
	if p.eager {
		c.short = 8
	}
	if cap(c.names) > 1<<14 {
		c.names, c.stack, c.extents, c.table = nil, nil, nil, nil
	}
	*r = reading{
		checker: c, s: s, parser: p, regular: true,
		matches: r.matches[:0], edits: r.edits[:0], secret: r.secret[:0], fields: r.fields[:0],
		ownFields:  r.ownFields[:0],
		lastFields: r.lastFields[:0], top: r.top[:0], meta: r.meta[:0],
	}
}

// object reads the members of the object at i, one by one. It corresponds to that at place v of the
// base, if v is not -1; behind is the place behind that, -1 if there is none.
func (r *reading) object(i, v, depth int, l level, drop *dropTree) (end, behind int, err error) {
	s := r.s
	if i >= len(s) || s[i] != '{' {
		return i, -1, syntaxErr(s, i, "an object")
	}
	if err := tooDeep(i, depth); err != nil {
		return i, -1, err
	}
	r.deepest = max(r.deepest, depth+1)
	outer, seen, j, from := len(r.names), uint64(0), -1, i
	if v >= 0 {
		j = v + 1
	}
	i++
	kept, open, previous := false, -1, i
	for first := true; ; first = false {
		if i = skipSpace(s, i); i < len(s) && s[i] == '}' {
			break
		}
		if !first {
			if i >= len(s) || s[i] != ',' {
				return i, -1, syntaxErr(s, i, "',' or '}'")
			}
			i = skipSpace(s, i+1)
		}
		m, print := member{start: i}, uint64(0)
		if m.nameEnd, m.value, print, err = r.memberName(s, i); err != nil {
			return m.nameEnd, -1, err
		}
		if !r.lax {
			seen = r.note(s, outer, seen, print, m.start, m.nameEnd)
		}
		name := decodeString(s[m.start+1 : m.nameEnd-1])
		m.role, m.drop = l.role(name), drop.child(name)
		if open >= 0 {
			// A cut at the beginning of an object takes the comma behind it along.
			r.edits[open].to, open = m.start, -1
		}
		if m.drop != nil && m.drop.cut {
			r.regular = r.regular && l != levelObject
			if i, err = r.skip(&m, depth+1); err != nil {
				return i, -1, err
			}
			if kept {
				r.edits = append(r.edits, edit{from: previous, to: i})
			} else {
				open = len(r.edits)
				r.edits = append(r.edits, edit{from: m.start, to: i})
			}
			previous = i
			continue
		}
		if l == levelObject && r.stillRegular(m.role) && m.role == roleSpec {
			switch behind, all := r.follow(m.value); {
			case all:
				r.leave(s, outer)
				return behind, -1, nil
			case behind > 0:
				i, kept, previous = behind, true, behind
				continue
			}
		}
		w := -1
		if j >= 0 {
			w = r.valueIn(m.start, m.nameEnd, m.value, j)
		}
		after := -1
		if m.end, after, err = r.member(&m, w, depth+1); err != nil {
			return m.end, -1, err
		}
		if i = m.end; after >= 0 {
			j = after
		}
		kept, previous = true, i
		switch {
		case m.role == roleMetadata:
			if j = after; !r.chosen {
				j = r.choose(&m)
			}
		case l == levelObject && !r.metadata:
			r.top = append(r.top, m)
		case l == levelMetadata && !r.chosen:
			if r.meta = append(r.meta, m); m.role == roleUID && r.mayChoose() {
				v, j = r.chooseEarly(from)
			}
		}
	}
	r.leave(s, outer)
	if v >= 0 {
		behind = r.closing(i, j, v)
	} else {
		behind = -1
	}
	return i + 1, behind, nil
}

// memberName reads a member's name and the colon: end is behind the name, or where an error is, and
// value where the value begins.
func (c *checker) memberName(s string, i int) (end, value int, print uint64, err error) {
	if end, print, err = c.name(s, i); err != nil {
		return end, end, 0, err
	}
	i = skipSpace(s, end)
	if i >= len(s) || s[i] != ':' {
		return i, i, 0, syntaxErr(s, i, "':'")
	}
	return end, skipSpace(s, i+1), print, nil
}

// lookAgain looks for duplicates among the names of the object at s[i:end], which was read, and not
// within its values.
func (r *reading) lookAgain(i, end int) {
	s, outer, seen := r.s, len(r.names), uint64(0)
	for i = skipSpace(s, i+1); i < end-1; i = nextToken(s, i) {
		nameEnd, value, print, _ := r.memberName(s, i)
		seen = r.note(s, outer, seen, print, i, nameEnd)
		i = 0
		if s[value] == '{' || s[value] == '[' {
			if k := searchExtents(r.extents, value); k < len(r.extents) &&
				int(r.extents[k].from) == value {
				i = int(r.extents[k].to)
			}
		}
		if i == 0 {
			i = skipTrusted(s, value)
		}
	}
	r.spend(40 * (len(r.names) - outer))
	r.leave(s, outer)
}

// skip reads a value that is cut out.
func (r *reading) skip(m *member, depth int) (end int, err error) {
	lax, noting := r.lax, r.noting
	r.lax, r.noting = true, false
	if m.role == roleManagedFields {
		end, err = r.managedFields(m.value, depth)
	} else {
		end, err = r.value(r.s, m.value, depth)
	}
	r.lax, r.noting = lax, noting
	return end, err
}

// member reads the value of a member, which corresponds to that at place v of the base, and takes
// from it what its role asks for.
func (r *reading) member(m *member, v, depth int) (end, behind int, err error) {
	s, at := r.s, m.value
	if below, ok := r.parser.levelBelow(m.role, m.drop); ok &&
		(at < len(s) && s[at] == '{' || m.role == roleMetadata) {
		if m.role == roleMetadata && r.metadata {
			return m.start, -1, &SyntaxError{Offset: m.start,
				Err: errors.New("metadata occurs twice")}
		}
		if v >= 0 && (v >= len(r.base.text) || r.base.text[v] != '{') {
			v = -1
		}
		end, behind, err = r.object(at, v, depth, below, m.drop)
	} else {
		end, behind, err = r.any(at, v, depth)
	}
	if err != nil {
		return end, -1, err
	}
	return end, behind, r.take(m, end)
}

// take notes what a member with a role says.
func (r *reading) take(m *member, end int) error {
	switch m.role {
	case roleNone, roleAnnotations, roleManagedFields:
	case roleMetadata:
		r.metadata = true
	case roleSpec:
		if r.spec == 0 {
			r.spec = m.value
		}
	case roleStatus:
		if r.status == 0 {
			r.status = m.value
		}
	case roleSecret:
		r.secret = append(r.secret, span{m.value, end})
	case roleGeneration:
		r.generation, _ = strconv.ParseInt(r.s[m.value:end], 10, 64)
	case roleLabels:
		if r.s[m.value] == '{' {
			r.labels = span{m.value, end}
		}
	case roleGenerateName:
		r.generateName = span{m.value, end}
	case roleOwners:
		r.owners = span{m.value, end}
	default:
		return r.text(m, end)
	}
	return nil
}

// text takes a member that must be a string or null, and must not occur twice.
func (r *reading) text(m *member, end int) error {
	var into *span
	var field string
	switch m.role {
	case roleAPIVersion:
		into, field = &r.apiVersion, "apiVersion"
	case roleKind:
		into, field = &r.kind, "kind"
	case roleNamespace:
		into, field = &r.namespace, "metadata.namespace"
	case roleName:
		into, field = &r.name, "metadata.name"
	case roleUID:
		into, field = &r.uid, "metadata.uid"
	case roleResourceVersion:
		into, field = &r.resourceVersion, "metadata.resourceVersion"
	case roleDeletionTimestamp:
		into, field = &r.deletionTimestamp, "metadata.deletionTimestamp"
	}
	if into.to > 0 {
		return &SyntaxError{Offset: m.start, Err: fmt.Errorf("%s occurs twice", field)}
	}
	switch r.s[m.value] {
	case '"':
		*into = span{m.value + 1, end - 1}
	case 'n':
		r.untyped = r.untyped || m.role == roleAPIVersion || m.role == roleKind
	default:
		return &SyntaxError{Offset: m.value, Err: fmt.Errorf("%s is not a string", field)}
	}
	return nil
}
