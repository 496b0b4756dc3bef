package event

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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

// reading is one object being read: it is checked, the header's fields are found (their places are inside the quotes), and
// what to cut out and what a Secret has to hide is noted, in one pass.
type reading struct {
	checker
	s        string
	parser   *Parser
	template *template // nil if nothing like this object is known
	own      bool      // the template is of an object of the same trait
	identity identity  // its key is part of s
	wholly   bool      // all was read by the template at once
	matches  []match   // what is as in the template, in the order of s
	mute     bool      // matches are not noted
	inserted []int     // for parting
	// lookedAhead is how many bytes of the template were looked at without getting on, for tests.
	lookedAhead int

	apiVersion, kind, namespace, name, uid, resourceVersion, deletionTimestamp span

	metadata     bool // was seen
	labels       span
	spec, status int // where the values begin
	generation   int64
	edits        []edit
	secret       []span
}

// begin forgets the last object, but not the memory it took.
func (r *reading) begin(p *Parser, s string) {
	names := r.names[:0]
	if cap(names) > 1<<16 {
		names = nil
	}
	*r = reading{
		checker: checker{names: names, lax: p.deduplicated}, s: s, parser: p,
		matches: r.matches[:0], edits: r.edits[:0], secret: r.secret[:0], inserted: r.inserted[:0],
	}
}

// match notes that part of the text is as in the template, and how far it is so before that.
func (r *reading) match(n, t, length int) {
	if r.mute || length == 0 {
		return
	}
	end := 0
	if k := len(r.matches) - 1; k >= 0 {
		last := &r.matches[k]
		if end = last.n + last.len; end == n && last.t+last.len == t {
			last.len += length
			return
		}
	}
	for n > end && t > 0 && r.s[n-1] == r.template.text[t-1] {
		n, t, length = n-1, t-1, length+1
	}
	r.matches = append(r.matches, match{n, t, length})
}

// nearMembers is how many members of the template are looked at for one that does not stand where it is expected.
const nearMembers = 16

// level reads the members of the object at i, one by one. like are those of the template's, nil if there is none.
func (r *reading) level(i, depth int, l level, drop *dropTree, like []member) (int, error) {
	s := r.s
	if i >= len(s) || s[i] != '{' {
		return i, syntaxErr(s, i, "an object")
	}
	if err := tooDeep(i, depth); err != nil {
		return i, err
	}
	i++
	outer, next, asKnown := len(r.names), 0, true
	kept, open, previous := false, -1, i
	for first := true; ; first = false {
		var m member
		known := (*member)(nil)
		if next < len(like) && first == (next == 0) && r.hasGlue(i, &like[next]) {
			known = &like[next]
			m = *known
			m.start, m.value = i+m.start-m.glue, i+m.value-m.glue
			r.match(i, m.glue, m.value-i)
			m.value = skipSpace(s, m.value)
			next++
		} else {
			i = skipSpace(s, i)
			if i < len(s) && s[i] == '}' {
				break
			}
			asKnown = false
			if !first {
				if i >= len(s) || s[i] != ',' {
					return i, syntaxErr(s, i, "',' or '}'")
				}
				i = skipSpace(s, i+1)
			}
			end, value, err := scanName(s, i)
			if err != nil {
				return end, err
			}
			m = r.newMember(i, end, value, l, drop)
			// Only near by: to look at all members for each would take for ever if there are many of both.
			near := like[next:min(next+nearMembers, len(like))]
			if k := slices.IndexFunc(near, func(other member) bool { return other.hash == m.hash && r.hasName(&other, s[m.start:end]) }); k >= 0 {
				known = &near[k]
				m.below, next = known.below, next+k+1
			}
		}
		r.names = append(r.names, m.hash)
		if open >= 0 {
			// A cut at the beginning of an object takes the comma behind it along.
			r.edits[open].to, open = m.start, -1
		}
		var err error
		if m.drop != nil && m.drop.cut {
			if i, err = r.skip(m.value, depth+1, known); err != nil {
				return i, err
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
		if i, err = r.member(&m, depth+1, known); err != nil {
			return i, err
		}
		kept, previous = true, i
	}
	if asKnown || r.lax {
		r.names = r.names[:outer]
	} else {
		r.leave(outer)
	}
	return i + 1, nil
}

// hasGlue tells whether the text goes on at i with what stands before the value of a template's member.
func (r *reading) hasGlue(i int, m *member) bool {
	end := i + m.value - m.glue
	return end <= len(r.s) && r.s[i:end] == r.template.text[m.glue:m.value]
}

// hasName reports whether a template's member has the name, which is given with its quotes.
func (r *reading) hasName(m *member, quoted string) bool {
	return strings.HasPrefix(r.template.text[m.start:], quoted)
}

func (r *reading) newMember(start, end, value int, l level, drop *dropTree) member {
	raw := r.s[start+1 : end-1]
	name := decodeString(raw)
	return member{start: start, value: value, hash: hashName(raw), role: l.role(name), drop: drop.child(name)}
}

// skip reads a value that is cut out.
func (r *reading) skip(i, depth int, known *member) (int, error) {
	mute, lax := r.mute, r.lax
	r.mute, r.lax = true, true
	i, err := r.any(i, depth, known)
	r.mute, r.lax = mute, lax
	return i, err
}

// any reads a value whose parts nobody needs.
func (r *reading) any(i, depth int, known *member) (int, error) {
	if known != nil {
		if end, err := r.like(i, depth, known.value, known.end); err != errUnlike {
			return end, err
		}
	}
	return r.value(r.s, i, depth)
}

// member reads the value of a member and takes from it what its role asks for.
func (r *reading) member(m *member, depth int, known *member) (end int, err error) {
	s, at := r.s, m.value
	if below, ok := r.parser.levelBelow(m.role, m.drop); ok && (at < len(s) && s[at] == '{' || m.role == roleMetadata) {
		if m.role == roleMetadata && r.metadata {
			return m.start, &SyntaxError{Offset: m.start, Err: errors.New("metadata stands twice")}
		}
		if n := r.sameAs(at, known, below); n > 0 {
			end = at + n
		} else if known == nil && below == levelOther && m.drop == nil {
			end, err = r.value(s, at, depth)
		} else {
			end, err = r.level(at, depth, below, m.drop, m.below)
		}
	} else {
		end, err = r.any(at, depth, known)
	}
	if err != nil {
		return end, err
	}
	return end, r.take(m, end)
}

// sameAs gives the length of the template's value if the text has the same at i, and nothing in it is of interest.
func (r *reading) sameAs(i int, known *member, l level) int {
	if known == nil || l != levelOther || known.drop != nil {
		return 0
	}
	n := known.end - known.value
	if i+n > len(r.s) || r.s[i:i+n] != r.template.text[known.value:known.end] {
		return 0
	}
	r.match(i, known.value, n)
	return n
}

// take notes what a member with a role says.
func (r *reading) take(m *member, end int) error {
	switch m.role {
	case roleNone, roleAnnotations:
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
	default:
		return r.text(m, end)
	}
	return nil
}

// text takes a member that must be a string or null, and must not stand twice.
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
		return &SyntaxError{Offset: m.start, Err: fmt.Errorf("%s stands twice", field)}
	}
	switch r.s[m.value] {
	case '"':
		*into = span{m.value + 1, end - 1}
	case 'n':
	default:
		return &SyntaxError{Offset: m.value, Err: fmt.Errorf("%s is not a string", field)}
	}
	return nil
}
