package event

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
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

// scanned is what scanObject found: where the header's fields stand (inside the quotes), what to cut out, and what a
// Secret has to hide.
type scanned struct {
	apiVersion, kind, namespace, name, uid, resourceVersion, deletionTimestamp span

	labels       span
	spec, status int // where the values begin
	generation   int64
	edits        []edit
	secret       []span // values of data and stringData, and of the annotation that repeats them
}

// dropTree says which members are cut out, level by level.
type dropTree struct {
	children map[string]*dropTree
	cut      bool
}

// headerFields cannot be dropped: without them an Object is none.
var headerFields = []string{
	"apiVersion", "kind", "metadata", "metadata.namespace", "metadata.name", "metadata.uid", "metadata.resourceVersion",
	"metadata.generation", "metadata.deletionTimestamp", "metadata.labels",
}

func (t *dropTree) add(path Path) error {
	if slices.Contains(headerFields, path.String()) || len(path.steps) == 0 {
		return fmt.Errorf("%q cannot be dropped: every object needs it", path)
	}
	for _, st := range path.steps {
		if st.isIndex {
			return fmt.Errorf("%q cannot be dropped: only named fields can, not items of arrays", path)
		}
		if t.children == nil {
			t.children = map[string]*dropTree{}
		}
		next := t.children[st.key]
		if next == nil {
			next = &dropTree{}
			t.children[st.key] = next
		}
		t = next
	}
	t.cut = true
	return nil
}

// child is nil-safe: most members have nothing to drop below them.
func (t *dropTree) child(key string) *dropTree {
	if t == nil {
		return nil
	}
	return t.children[key]
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// scanObject checks the object that begins at i, finds its header and notes what to cut out, in one pass.
func (p *Parser) scanObject(s string, i int) (end int, err error) {
	p.scanned = scanned{edits: p.scanned.edits[:0], secret: p.scanned.secret[:0]}
	sc := &p.scanned
	return p.scanLevel(s, i, 0, p.dropTree(), func(m *members, key string) (done bool, err error) {
		switch key {
		case "apiVersion":
			return true, sc.str(m, &sc.apiVersion, "apiVersion")
		case "kind":
			return true, sc.str(m, &sc.kind, "kind")
		case "metadata":
			if sc.seenMetadata() {
				return true, &SyntaxError{Offset: m.start, Err: errors.New("metadata stands twice")}
			}
			m.at, err = p.scanLevel(s, m.value, m.depth, p.drop.child(key), sc.metadataMember)
			return true, err
		case "spec":
			sc.spec = cmp.Or(sc.spec, m.value)
		case "status":
			sc.status = cmp.Or(sc.status, m.value)
		case "data", "stringData":
			from := m.value
			m.at, err = scanValue(s, from, m.depth)
			sc.secret = append(sc.secret, span{from, m.at})
			return true, err
		}
		return false, nil
	})
}

// seenMetadata: a second metadata would leave the header of the first with the text of both.
func (sc *scanned) seenMetadata() bool { return sc.name.to > 0 || sc.resourceVersion.to > 0 }

// scanLevel checks one object and cuts out members as the tree says. known may take a member itself.
func (p *Parser) scanLevel(s string, i, depth int, drop *dropTree, known func(*members, string) (bool, error)) (int, error) {
	m, err := enterObject(s, i, depth)
	if err != nil {
		return i, err
	}
	sc := &p.scanned
	kept, open, previous := false, -1, m.at
	for {
		more, err := m.next()
		if err != nil || !more {
			return m.at, err
		}
		if open >= 0 {
			// A cut at the beginning of an object takes the comma behind it along.
			sc.edits[open].to, open = m.start, -1
		}
		key := m.key()
		below := drop.child(key)
		done := false
		if below != nil && below.cut {
			if m.at, err = scanValue(s, m.value, m.depth); err != nil {
				return m.at, err
			}
			if kept {
				sc.edits = append(sc.edits, edit{from: previous, to: m.at})
			} else {
				open = len(sc.edits)
				sc.edits = append(sc.edits, edit{from: m.start, to: m.at})
			}
			previous = m.at
			continue
		}
		if known != nil {
			if done, err = known(&m, key); err != nil {
				return m.at, err
			}
		}
		switch {
		case done:
		case below != nil && m.value < len(s) && s[m.value] == '{':
			m.at, err = p.scanLevel(s, m.value, m.depth, below, nil)
		default:
			m.at, err = scanValue(s, m.value, m.depth)
		}
		if err != nil {
			return m.at, err
		}
		kept, previous = true, m.at
	}
}

// metadataMember takes the members of metadata that the header needs.
func (sc *scanned) metadataMember(m *members, key string) (done bool, err error) {
	switch key {
	case "namespace":
		return true, sc.str(m, &sc.namespace, "metadata.namespace")
	case "name":
		return true, sc.str(m, &sc.name, "metadata.name")
	case "uid":
		return true, sc.str(m, &sc.uid, "metadata.uid")
	case "resourceVersion":
		return true, sc.str(m, &sc.resourceVersion, "metadata.resourceVersion")
	case "deletionTimestamp":
		return true, sc.str(m, &sc.deletionTimestamp, "metadata.deletionTimestamp")
	case "generation":
		from := m.value
		if m.at, err = scanValue(m.s, from, m.depth); err != nil {
			return true, err
		}
		sc.generation, _ = strconv.ParseInt(m.s[from:m.at], 10, 64)
		return true, nil
	case "labels":
		from := m.value
		if m.at, err = scanValue(m.s, from, m.depth); err == nil && m.s[from] == '{' {
			sc.labels = span{from, m.at}
		}
		return true, err
	case "annotations":
		return true, sc.annotations(m)
	}
	return false, nil
}

// annotations notes where the last applied configuration stands, which repeats a Secret's data.
func (sc *scanned) annotations(m *members) error {
	if m.value >= len(m.s) || m.s[m.value] != '{' {
		var err error
		m.at, err = scanValue(m.s, m.value, m.depth)
		return err
	}
	inner, err := enterObject(m.s, m.value, m.depth)
	if err != nil {
		return err
	}
	for {
		more, err := inner.next()
		if err != nil || !more {
			m.at = inner.at
			return err
		}
		from := inner.value
		if inner.at, err = scanValue(m.s, from, inner.depth); err != nil {
			return err
		}
		if inner.key() == lastApplied {
			sc.secret = append(sc.secret, span{from, inner.at})
		}
	}
}

// str takes a member that must be a string or null, and must not stand twice.
func (sc *scanned) str(m *members, into *span, field string) error {
	from := m.value
	end, err := scanValue(m.s, from, m.depth)
	if err != nil {
		return err
	}
	m.at = end
	if into.to > 0 {
		return &SyntaxError{Offset: m.start, Err: fmt.Errorf("%s stands twice", field)}
	}
	switch m.s[from] {
	case '"':
		*into = span{from + 1, end - 1}
	case 'n':
	default:
		return &SyntaxError{Offset: from, Err: fmt.Errorf("%s is not a string", field)}
	}
	return nil
}

// redact replaces each value of a Secret by a digest that tells equal values and changes, and nothing else.
func (sc *scanned) redact(s string) {
	for _, sp := range sc.secret {
		if s[sp.from] != '{' {
			if s[sp.from] != 'n' {
				sc.edits = append(sc.edits, edit{sp.from, sp.to, digest(s[sp.from:sp.to])})
			}
			continue
		}
		// The text was checked when the span was found, so the walk has no errors left to meet.
		m, _ := enterObject(s, sp.from, 0)
		for more, err := m.next(); more && err == nil; more, err = m.next() {
			m.at, _ = scanValue(s, m.value, m.depth)
			sc.edits = append(sc.edits, edit{m.value, m.at, digest(s[m.value:m.at])})
		}
	}
}

// digest is the first 12 hexadecimal digits of the SHA-256 of the value's JSON text.
func digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return `"sha256:` + hex.EncodeToString(sum[:6]) + `"`
}

// sortEdits puts the edits in the order of the text, and drops those inside of others: a field can be both redacted and
// dropped.
func (sc *scanned) sortEdits() {
	if len(sc.edits) < 2 {
		return
	}
	slices.SortFunc(sc.edits, func(a, b edit) int { return a.from - b.from })
	out := sc.edits[:1]
	for _, e := range sc.edits[1:] {
		if e.from >= out[len(out)-1].to {
			out = append(out, e)
		}
	}
	sc.edits = out
}

// own gives the part of the object's own text that a span of the read text became; decoded, if it has escapes.
func (sc *scanned) own(raw, s string, sp span, shift int) string {
	if sp.from == sp.to {
		return ""
	}
	return decodeString(sc.ownSpan(raw, sp, shift))
}

func (sc *scanned) ownSpan(raw string, sp span, shift int) string {
	if sp.from == sp.to {
		return ""
	}
	shift = sc.shiftAt(sp.from, shift)
	return raw[sp.from+shift : sp.to+shift]
}

// ownPlace gives the place in the object's own text that a place in the read text became, 0 for 0.
func (sc *scanned) ownPlace(place, shift int) uint32 {
	if place == 0 {
		return 0
	}
	return uint32(place + sc.shiftAt(place, shift))
}

// shiftAt adds up what the edits before a place move it by.
func (sc *scanned) shiftAt(place, shift int) int {
	for _, e := range sc.edits {
		if e.from >= place {
			break
		}
		shift += len(e.with) - (e.to - e.from)
	}
	return shift
}
