package object

import (
	"errors"
	"fmt"
	"strconv"
)

// span is a part of the text that is being read.
type span struct{ from, to int }

// text resolves the escapes; a span of length 0 is "".
func (sp span) text(s string) string { return unescape(s[sp.from:sp.to]) }

// edit replaces a part of the text by other text, most often by nothing.
type edit struct {
	from, to int
	with     string
}

// options say how an object is read.
type options struct {
	plain        bool // against no base
	tryAll       bool // against a base if that can be done at all
	deduplicated bool // the text is known to have no name twice
	secrets      bool // it may be a Secret
	dontFollow   bool // last states are not followed
	drop         *dropTree
	lastStates   lastStateSource
}

// lastStates knows the last states of objects.
type lastStateSource interface {
	last(namespace, name string) lastState
}

// reading is one object being read: it is checked, the header's fields are found (their places are
// inside the quotes), and what to cut out and what a Secret has to hide is noted, in one pass.
type reader struct {
	// What stays from object to object.
	bases   bases
	follows backoff // of last states

	options
	aligner
	found       found     // how the base was found
	last        lastState // the object's last state, if that is packed
	refused     *base     // was found, but is not worth a try
	originCache struct {  // what origin has found
		of   span
		hash uint64
	}
	askedLastState bool // whether there is a last state
	chosen         bool // whether and against which base to read on

	apiVersion, kind, namespace, name, uid, resourceVersion, deletionTimestamp span

	ordered      bool // the members so far are in the usual order
	followed     bool // the object ends as its last state did (last.go)
	nullType     bool // apiVersion or kind is null, so that none can be added
	labels       span
	generateName span
	owners       span
	spec, status int // where the values begin
	generation   int64
	edits        []edit
	hidden       []span
	fields       []span // values of fieldsV1
	// Of these, those that the base does not have, and those of the last state.
	ownFields, lastFields []checksum
}

// roleMember is a member of an object that is read member by member.
type readerMember struct {
	member
	role role
	drop *dropTree
}

// read reads the object at i, and returns the place behind it.
func (r *reader) read(o options, s string, i int) (end int, err error) {
	r.reset(o, s, i)
	end, _, err = r.readObject(i, -1, 0, levelObject, o.drop)
	return end, err
}

// begin forgets the last object, but not the memory it took. The next one begins at i.
func (r *reader) reset(o options, s string, i int) {
	c := scanner{
		names: r.names[:0], stack: r.stack[:0], extents: r.extents[:0], table: r.table,
		ignoreNames: o.deduplicated, keepExtents: !o.plain, minLength: minExtent,
	}
	if o.tryAll {
		c.minLength = 8
	}
	if cap(c.names) > 1<<14 {
		c.names, c.stack, c.extents, c.table = nil, nil, nil, nil
	}
	*r = reader{
		bases: r.bases, follows: r.follows, options: o,
		aligner: aligner{
			scanner: c, text: s, start: i, unlimited: o.tryAll,
			matches: r.matches[:0], top: r.top[:0], meta: r.meta[:0],
		},
		ordered: true,
		edits:   r.edits[:0], hidden: r.hidden[:0], fields: r.fields[:0],
		ownFields: r.ownFields[:0], lastFields: r.lastFields[:0],
	}
}

// object reads the members of the object at i, one by one. It corresponds to that at place v of the
// base, if v is not -1; behind is the place behind that, -1 if there is none.
func (r *reader) readObject(i, v, depth int, l level, drop *dropTree) (end, behind int, err error) {
	s := r.text
	if i >= len(s) || s[i] != '{' {
		return i, -1, unexpected(s, i, "an object")
	}
	if err := checkDepth(i, depth); err != nil {
		return i, -1, err
	}
	r.depth = max(r.depth, depth+1)
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
				return i, -1, unexpected(s, i, "',' or '}'")
			}
			i = skipSpace(s, i+1)
		}
		m, print := readerMember{member: member{start: i}}, uint64(0)
		if m.nameEnd, m.value, print, err = r.memberName(s, i); err != nil {
			return m.nameEnd, -1, err
		}
		if !r.ignoreNames {
			seen = r.addName(s, outer, seen, print, m.start, m.nameEnd)
		}
		name := unescape(s[m.start+1 : m.nameEnd-1])
		m.role, m.drop = l.role(name), drop.child(name)
		if open >= 0 {
			// A cut at the beginning of an object takes the comma behind it along.
			r.edits[open].to, open = m.start, -1
		}
		if m.drop != nil && m.drop.cut {
			r.ordered = r.ordered && l != levelObject
			if i, err = r.skipMember(&m, depth+1); err != nil {
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
		if l == levelObject && r.stillOrdered(m.role) && m.role == roleSpec {
			switch behind, all := r.follow(m.value); {
			case all:
				r.releaseNames(s, outer)
				return behind, -1, nil
			case behind > 0:
				i, kept, previous = behind, true, behind
				continue
			}
		}
		w := -1
		if j >= 0 {
			w = r.baseValue(m.start, m.nameEnd, m.value, j)
		}
		after := -1
		if m.end, after, err = r.readMember(&m, w, depth+1); err != nil {
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
		case l == levelObject && !r.metadataRead:
			m.typeMeta = m.role == roleAPIVersion || m.role == roleKind
			r.top = append(r.top, m.member)
		case l == levelMetadata && !r.chosen:
			if r.meta = append(r.meta, m.member); m.role == roleUID && r.canChoose() {
				v, j = r.chooseEarly(from)
			}
		}
	}
	r.releaseNames(s, outer)
	if v >= 0 {
		behind = r.baseContainerEnd(i, j, v)
	} else {
		behind = -1
	}
	return i + 1, behind, nil
}

// skip reads a value that is cut out.
func (r *reader) skipMember(m *readerMember, depth int) (end int, err error) {
	lax, noting := r.ignoreNames, r.keepExtents
	r.ignoreNames, r.keepExtents = true, false
	if m.role == roleManagedFields {
		end, err = r.readManagedFields(m.value, depth)
	} else {
		end, err = r.value(r.text, m.value, depth)
	}
	r.ignoreNames, r.keepExtents = lax, noting
	return end, err
}

// member reads the value of a member, which corresponds to that at place v of the base, and takes
// from it what its role asks for.
func (r *reader) readMember(m *readerMember, v, depth int) (end, behind int, err error) {
	s, at := r.text, m.value
	if below, ok := r.levelBelow(m.role, m.drop); ok &&
		(at < len(s) && s[at] == '{' || m.role == roleMetadata) {
		if m.role == roleMetadata && r.metadataRead {
			return m.start, -1, &SyntaxError{Offset: m.start,
				Err: errors.New("metadata occurs twice")}
		}
		if v >= 0 && (v >= len(r.base.text) || r.base.text[v] != '{') {
			v = -1
		}
		end, behind, err = r.readObject(at, v, depth, below, m.drop)
	} else {
		end, behind, err = r.alignedValue(at, v, depth)
	}
	if err != nil {
		return end, -1, err
	}
	return end, behind, r.record(m, end)
}

// take notes what a member with a role says.
func (r *reader) record(m *readerMember, end int) error {
	switch m.role {
	case roleNone, roleAnnotations, roleManagedFields:
	case roleMetadata:
		r.metadataRead = true
	case roleSpec:
		if r.spec == 0 {
			r.spec = m.value
		}
	case roleStatus:
		if r.status == 0 {
			r.status = m.value
		}
	case roleSecret:
		r.hidden = append(r.hidden, span{m.value, end})
	case roleGeneration:
		r.generation, _ = strconv.ParseInt(r.text[m.value:end], 10, 64)
	case roleLabels:
		if r.text[m.value] == '{' {
			r.labels = span{m.value, end}
		}
	case roleGenerateName:
		r.generateName = span{m.value, end}
	case roleOwners:
		r.owners = span{m.value, end}
	default:
		return r.recordText(m, end)
	}
	return nil
}

// text takes a member that must be a string or null, and must not occur twice.
func (r *reader) recordText(m *readerMember, end int) error {
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
	switch r.text[m.value] {
	case '"':
		*into = span{m.value + 1, end - 1}
	case 'n':
		r.nullType = r.nullType || m.role == roleAPIVersion || m.role == roleKind
	default:
		return &SyntaxError{Offset: m.value, Err: fmt.Errorf("%s is not a string", field)}
	}
	return nil
}
