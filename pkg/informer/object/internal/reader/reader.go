package reader

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// Span is a part of the text that is being read.
type Span struct{ From, To int }

// Text returns the decoded text of a string without its quotes, "" for the zero Span.
func (sp Span) Text(s string) string { return jsontext.Unescape(s[sp.From:sp.To]) }

// edit replaces a part of the text by another text, most often by "".
type edit struct {
	From, To int
	With     string
}

// Options say how to read an object.
type Options struct {
	Plain        bool // without a base
	Eager        bool // against any base, worth it or not, for tests
	Deduplicated bool // the text is known to have no duplicate names
	Secrets      bool // the object may be a Secret
	DontFollow   bool // the last state
	Drop         *DropTree
	// LastState, if set, returns what is known of the last state of an object.
	LastState func(namespace, name string) align.LastState
}

// Reader reads objects, one after the other. Its fields other than Bases are about the one that was
// read last, and valid until the next Read. The zero value is ready.
type Reader struct {
	Bases     Bases
	follows   backoff
	lastState align.LastState // of the object, if hasLastState
	state
}

// state is what a Reader knows about the object it reads. Spans of strings are without the quotes.
type state struct {
	Options
	align.Aligner
	found          found
	refused        *align.Base // found, but not accepted
	origins        origins
	foundBy        uint64 // the origin that has the base, if that was found by one
	askedLastState bool
	hasLastState   bool // and it is packed
	chosen         bool // a base, or none

	APIVersion, Kind, Namespace, Name, UID, ResourceVersion, DeletionTimestamp Span

	Ordered      bool // the members so far are in the usual order
	Followed     bool // a part of the object was not read but compared with its last state
	NullType     bool // apiVersion or kind is null, so none can be inserted
	Labels       Span
	generateName Span
	owners       Span
	Spec, Status int // places of the values
	Generation   int64
	Edits        []edit
	hidden       []Span // what has to be hidden if this is a Secret
	fields       []Span // values of fieldsV1 that were cut out
	// OwnFields are the checksums of those of fields that the base does not have, lastFields those
	// of the last state.
	OwnFields, lastFields []align.Checksum
}

// member is a member of an object that is read member by member.
type member struct {
	align.Member
	role role
	drop *DropTree
}

// aligned returns a copy of m.Member, field by field: copying it as a whole right after a field was
// written stalls the processor, 3 % of what a Lease takes.
func (m *member) aligned() align.Member {
	return align.Member{Start: m.Start, NameEnd: m.NameEnd, Value: m.Value, End: m.End}
}

// Read reads the object at i of s and returns its end, or the place of an error.
func (r *Reader) Read(options Options, s string, i int) (end int, err error) {
	r.reset(options, s, i)
	end, _, err = r.readObject(i, -1, 0, levelObject, options.Drop)
	return end, err
}

// reset prepares for the object at i of s. It keeps the memory that the last one took.
func (r *Reader) reset(o Options, s string, i int) {
	c := r.Scanner.Reuse()
	c.IgnoreNames, c.KeepExtents, c.MinLength = o.Deduplicated, !o.Plain, scan.MinExtent
	if o.Eager {
		c.MinLength = 8
	}
	if r.hasLastState {
		r.lastState = align.LastState{} // which would keep its base from being freed
	}
	r.state = state{
		Options: o,
		Aligner: align.Aligner{
			Scanner: c, Text: s, Start: i, Eager: o.Eager,
			Matches: r.Matches[:0], Top: r.Top[:0], Meta: r.Meta[:0],
		},
		Ordered: true,
		Edits:   r.Edits[:0], hidden: r.hidden[:0], fields: r.fields[:0],
		OwnFields: r.OwnFields[:0], lastFields: r.lastFields[:0],
	}
}

// readObject reads the object at i member by member. It returns its end, and the end of the
// corresponding object of the base, -1 if there is none.
func (r *Reader) readObject(i, base, depth int, l level, drop *DropTree) (end, baseEnd int,
	err error) {
	s := r.Text
	if i >= len(s) || s[i] != '{' {
		return i, -1, scan.Unexpected(s, i, "an object")
	}
	if err := scan.CheckDepth(i, depth); err != nil {
		return i, -1, err
	}
	r.Depth = max(r.Depth, depth+1)
	firstName, names, j, start := len(r.Names), uint64(0), -1, i
	if base >= 0 {
		j = base + 1
	}
	i++
	kept, openCut, keptEnd := false, -1, i
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
		m, fingerprint := member{Member: align.Member{Start: i}}, uint64(0)
		if m.NameEnd, m.Value, fingerprint, err = r.MemberName(s, i); err != nil {
			return m.NameEnd, -1, err
		}
		if !r.IgnoreNames {
			names = r.AddName(s, firstName, names, fingerprint, m.Start, m.NameEnd)
		}
		name := jsontext.Unescape(s[m.Start+1 : m.NameEnd-1])
		m.role, m.drop = l.role(name), drop.child(name)
		if openCut >= 0 {
			// Cutting the first member also cuts the comma after it.
			r.Edits[openCut].To, openCut = m.Start, -1
		}
		if m.drop != nil && m.drop.dropped {
			r.Ordered = r.Ordered && l != levelObject
			if i, err = r.skipMember(&m, depth+1); err != nil {
				return i, -1, err
			}
			if kept {
				r.Edits = append(r.Edits, edit{From: keptEnd, To: i})
			} else {
				openCut = len(r.Edits)
				r.Edits = append(r.Edits, edit{From: m.Start, To: i})
			}
			keptEnd = i
			continue
		}
		if l == levelObject && r.stillOrdered(m.role) && m.role == roleSpec {
			switch followed, all := r.follow(m.Value); {
			case all:
				r.ReleaseNames(s, firstName)
				return followed, -1, nil
			case followed > 0:
				i, kept, keptEnd = followed, true, followed
				continue
			}
		}
		valueBase := -1
		if j >= 0 {
			valueBase = r.BaseValue(m.Start, m.NameEnd, m.Value, j)
		}
		valueBaseEnd := -1
		if m.End, valueBaseEnd, err = r.readMember(&m, valueBase, depth+1); err != nil {
			return m.End, -1, err
		}
		if i = m.End; valueBaseEnd >= 0 {
			j = valueBaseEnd
		}
		kept, keptEnd = true, i
		switch {
		case m.role == roleMetadata:
			if j = valueBaseEnd; !r.chosen {
				j = r.choose(&m)
			}
		case l == levelObject && !r.MetadataRead:
			r.Top = append(r.Top, m.aligned())
		case l == levelMetadata && !r.chosen:
			if r.Meta = append(r.Meta, m.aligned()); m.role == roleUID && r.canChoose() {
				base, j = r.chooseEarly(start)
			}
		}
	}
	r.ReleaseNames(s, firstName)
	if base >= 0 {
		baseEnd = r.BaseContainerEnd(i, j, base)
	} else {
		baseEnd = -1
	}
	return i + 1, baseEnd, nil
}

// skipMember reads the value of a member that is cut out.
func (r *Reader) skipMember(m *member, depth int) (end int, err error) {
	ignoreNames, keepExtents := r.IgnoreNames, r.KeepExtents
	r.IgnoreNames, r.KeepExtents = true, false
	if m.role == roleManagedFields {
		end, err = r.readManagedFields(m.Value, depth)
	} else {
		end, err = r.Value(r.Text, m.Value, depth)
	}
	r.IgnoreNames, r.KeepExtents = ignoreNames, keepExtents
	return end, err
}

// readMember reads the value of a member and records it.
func (r *Reader) readMember(m *member, base, depth int) (end, baseEnd int, err error) {
	s, at := r.Text, m.Value
	if below, ok := r.levelBelow(m.role, m.drop); ok &&
		(at < len(s) && s[at] == '{' || m.role == roleMetadata) {
		if m.role == roleMetadata && r.MetadataRead {
			return m.Start, -1, &scan.SyntaxError{Offset: m.Start,
				Err: errors.New("metadata occurs twice")}
		}
		if base >= 0 && (base >= len(r.Base.Text) || r.Base.Text[base] != '{') {
			base = -1
		}
		end, baseEnd, err = r.readObject(at, base, depth, below, m.drop)
	} else {
		end, baseEnd, err = r.AlignedValue(at, base, depth)
	}
	if err != nil {
		return end, -1, err
	}
	return end, baseEnd, r.record(m, end)
}

// record records the value of a member, which ends at end, if the reader has a use for it.
func (r *Reader) record(m *member, end int) error {
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

// recordText records a member that must be a string or null and must not occur twice.
func (r *Reader) recordText(m *member, end int) error {
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
