package reader

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// span is a part of the text that is being read.
type Span struct{ From, To int }

// text resolves the escapes; a span of length 0 is "".
func (sp Span) Text(s string) string { return jsontext.Unescape(s[sp.From:sp.To]) }

// edit replaces a part of the text by other text, most often by nothing.
type edit struct {
	From, To int
	With     string
}

// options say how an object is read.
type Options struct {
	Plain        bool // against no base
	TryAll       bool // against a base if that can be done at all
	Deduplicated bool // the text is known to have no name twice
	Secrets      bool // it may be a Secret
	DontFollow   bool // last states are not followed
	Drop         *DropTree
	LastStates   LastStateSource
}

// lastStates knows the last states of objects.
type LastStateSource interface {
	LastState(namespace, name string) align.LastState
}

// reading is one object being read: it is checked, the header's fields are found (their places are
// inside the quotes), and what to cut out and what a Secret has to hide is noted, in one pass.
type Reader struct {
	// What stays from object to object.
	Bases   Bases
	follows backoff // of last states

	Options
	align.Aligner
	found       found           // how the base was found
	last        align.LastState // the object's last state, if that is packed
	refused     *align.Base     // was found, but is not worth a try
	originCache struct {        // what origin has found
		of   Span
		hash uint64
	}
	askedLastState bool // whether there is a last state
	chosen         bool // whether and against which base to read on

	APIVersion, Kind, Namespace, Name, UID, ResourceVersion, DeletionTimestamp Span

	Ordered      bool // the members so far are in the usual order
	Followed     bool // the object ends as its last state did (last.go)
	NullType     bool // apiVersion or kind is null, so that none can be added
	Labels       Span
	generateName Span
	owners       Span
	Spec, Status int // where the values begin
	Generation   int64
	Edits        []edit
	hidden       []Span
	fields       []Span // values of fieldsV1
	// Of these, those that the base does not have, and those of the last state.
	OwnFields, lastFields []align.Checksum
}

// roleMember is a member of an object that is read member by member.
type readerMember struct {
	align.Member
	role role
	drop *DropTree
}

// read reads the object at i, and returns the place behind it.
func (r *Reader) Read(o Options, s string, i int) (end int, err error) {
	r.reset(o, s, i)
	end, _, err = r.readObject(i, -1, 0, levelObject, o.Drop)
	return end, err
}

// begin forgets the last object, but not the memory it took. The next one begins at i.
func (r *Reader) reset(o Options, s string, i int) {
	c := r.Scanner.Reuse()
	c.IgnoreNames, c.KeepExtents, c.MinLength = o.Deduplicated, !o.Plain, scan.MinExtent
	if o.TryAll {
		c.MinLength = 8
	}
	*r = Reader{
		Bases: r.Bases, follows: r.follows, Options: o,
		Aligner: align.Aligner{
			Scanner: c, Text: s, Start: i, Unlimited: o.TryAll,
			Matches: r.Matches[:0], Top: r.Top[:0], Meta: r.Meta[:0],
		},
		Ordered: true,
		Edits:   r.Edits[:0], hidden: r.hidden[:0], fields: r.fields[:0],
		OwnFields: r.OwnFields[:0], lastFields: r.lastFields[:0],
	}
}

// object reads the members of the object at i, one by one. It corresponds to that at place v of the
// base, if v is not -1; behind is the place behind that, -1 if there is none.
func (r *Reader) readObject(i, v, depth int, l level, drop *DropTree) (end, behind int, err error) {
	s := r.Text
	if i >= len(s) || s[i] != '{' {
		return i, -1, scan.Unexpected(s, i, "an object")
	}
	if err := scan.CheckDepth(i, depth); err != nil {
		return i, -1, err
	}
	r.Depth = max(r.Depth, depth+1)
	outer, seen, j, from := len(r.Names), uint64(0), -1, i
	if v >= 0 {
		j = v + 1
	}
	i++
	kept, open, previous := false, -1, i
	for first := true; ; first = false {
		if i = jsontext.SkipSpace(s, i); i < len(s) && s[i] == '}' {
			break
		}
		if !first {
			if i >= len(s) || s[i] != ',' {
				return i, -1, scan.Unexpected(s, i, "',' or '}'")
			}
			i = jsontext.SkipSpace(s, i+1)
		}
		m, print := readerMember{Member: align.Member{Start: i}}, uint64(0)
		if m.NameEnd, m.Value, print, err = r.MemberName(s, i); err != nil {
			return m.NameEnd, -1, err
		}
		if !r.IgnoreNames {
			seen = r.AddName(s, outer, seen, print, m.Start, m.NameEnd)
		}
		name := jsontext.Unescape(s[m.Start+1 : m.NameEnd-1])
		m.role, m.drop = l.role(name), drop.child(name)
		if open >= 0 {
			// A cut at the beginning of an object takes the comma behind it along.
			r.Edits[open].To, open = m.Start, -1
		}
		if m.drop != nil && m.drop.cut {
			r.Ordered = r.Ordered && l != levelObject
			if i, err = r.skipMember(&m, depth+1); err != nil {
				return i, -1, err
			}
			if kept {
				r.Edits = append(r.Edits, edit{From: previous, To: i})
			} else {
				open = len(r.Edits)
				r.Edits = append(r.Edits, edit{From: m.Start, To: i})
			}
			previous = i
			continue
		}
		if l == levelObject && r.stillOrdered(m.role) && m.role == roleSpec {
			switch behind, all := r.follow(m.Value); {
			case all:
				r.ReleaseNames(s, outer)
				return behind, -1, nil
			case behind > 0:
				i, kept, previous = behind, true, behind
				continue
			}
		}
		w := -1
		if j >= 0 {
			w = r.BaseValue(m.Start, m.NameEnd, m.Value, j)
		}
		after := -1
		if m.End, after, err = r.readMember(&m, w, depth+1); err != nil {
			return m.End, -1, err
		}
		if i = m.End; after >= 0 {
			j = after
		}
		kept, previous = true, i
		switch {
		case m.role == roleMetadata:
			if j = after; !r.chosen {
				j = r.choose(&m)
			}
		case l == levelObject && !r.MetadataRead:
			m.TypeMeta = m.role == roleAPIVersion || m.role == roleKind
			r.Top = append(r.Top, m.Member)
		case l == levelMetadata && !r.chosen:
			if r.Meta = append(r.Meta, m.Member); m.role == roleUID && r.canChoose() {
				v, j = r.chooseEarly(from)
			}
		}
	}
	r.ReleaseNames(s, outer)
	if v >= 0 {
		behind = r.BaseContainerEnd(i, j, v)
	} else {
		behind = -1
	}
	return i + 1, behind, nil
}

// skip reads a value that is cut out.
func (r *Reader) skipMember(m *readerMember, depth int) (end int, err error) {
	lax, noting := r.IgnoreNames, r.KeepExtents
	r.IgnoreNames, r.KeepExtents = true, false
	if m.role == roleManagedFields {
		end, err = r.readManagedFields(m.Value, depth)
	} else {
		end, err = r.Value(r.Text, m.Value, depth)
	}
	r.IgnoreNames, r.KeepExtents = lax, noting
	return end, err
}

// member reads the value of a member, which corresponds to that at place v of the base, and takes
// from it what its role asks for.
func (r *Reader) readMember(m *readerMember, v, depth int) (end, behind int, err error) {
	s, at := r.Text, m.Value
	if below, ok := r.levelBelow(m.role, m.drop); ok &&
		(at < len(s) && s[at] == '{' || m.role == roleMetadata) {
		if m.role == roleMetadata && r.MetadataRead {
			return m.Start, -1, &scan.SyntaxError{Offset: m.Start,
				Err: errors.New("metadata occurs twice")}
		}
		if v >= 0 && (v >= len(r.Base.Text) || r.Base.Text[v] != '{') {
			v = -1
		}
		end, behind, err = r.readObject(at, v, depth, below, m.drop)
	} else {
		end, behind, err = r.AlignedValue(at, v, depth)
	}
	if err != nil {
		return end, -1, err
	}
	return end, behind, r.record(m, end)
}

// take notes what a member with a role says.
func (r *Reader) record(m *readerMember, end int) error {
	switch m.role {
	case roleNone, roleAnnotations, roleManagedFields:
	case roleMetadata:
		r.MetadataRead = true
	case roleSpec:
		if r.Spec == 0 {
			r.Spec = m.Value
		}
	case roleStatus:
		if r.Status == 0 {
			r.Status = m.Value
		}
	case roleSecret:
		r.hidden = append(r.hidden, Span{m.Value, end})
	case roleGeneration:
		r.Generation, _ = strconv.ParseInt(r.Text[m.Value:end], 10, 64)
	case roleLabels:
		if r.Text[m.Value] == '{' {
			r.Labels = Span{m.Value, end}
		}
	case roleGenerateName:
		r.generateName = Span{m.Value, end}
	case roleOwners:
		r.owners = Span{m.Value, end}
	default:
		return r.recordText(m, end)
	}
	return nil
}

// text takes a member that must be a string or null, and must not occur twice.
func (r *Reader) recordText(m *readerMember, end int) error {
	var into *Span
	var field string
	switch m.role {
	case roleAPIVersion:
		into, field = &r.APIVersion, "apiVersion"
	case roleKind:
		into, field = &r.Kind, "kind"
	case roleNamespace:
		into, field = &r.Namespace, "metadata.namespace"
	case roleName:
		into, field = &r.Name, "metadata.name"
	case roleUID:
		into, field = &r.UID, "metadata.uid"
	case roleResourceVersion:
		into, field = &r.ResourceVersion, "metadata.resourceVersion"
	case roleDeletionTimestamp:
		into, field = &r.DeletionTimestamp, "metadata.deletionTimestamp"
	}
	if into.To > 0 {
		return &scan.SyntaxError{Offset: m.Start, Err: fmt.Errorf("%s occurs twice", field)}
	}
	switch r.Text[m.Value] {
	case '"':
		*into = Span{m.Value + 1, end - 1}
	case 'n':
		r.NullType = r.NullType || m.role == roleAPIVersion || m.role == roleKind
	default:
		return &scan.SyntaxError{Offset: m.Value, Err: fmt.Errorf("%s is not a string", field)}
	}
	return nil
}
