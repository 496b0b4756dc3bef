package object

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// This file makes and reads packed objects. A packed object's text is the fields of its header, one
// behind the other, then what is remembered of values of fieldsV1 that its base does not know
// (managed.go), then all bytes of its JSON that its base does not have, its literals, and then the
// operations that build the JSON of both, from front to back:
//
//	uvarint    so many bytes of the literals
//	uvarint n  n bytes of the base, which begin
//	varint d   d behind the end of the last such copy, plus the bytes between
//
// The d is 0 where a value was replaced by one of the same length, which is what differs most
// often. The last operation may end with the literals. Measured beside compressors in
// bench/packing.

const (
	// minCopy is the shortest copy worth an operation.
	minCopy = 6
	// worthPacking is how many percent of the plain text an object may take and still be packed: a
	// packed object keeps its base alive, and costs something to read. For the base of a stranger
	// it has to be less: the object could be a better base for its own kind.
	worthPacking         = 66
	worthPackingStranger = 20
	// maxBase is how many times as long as an object its base may be: an object that was large once
	// must not keep that.
	maxBase = 4
)

// packing makes the forms of one object that was read.
type packing struct {
	r          *reading
	start, end int // of the object in the text that was read
	spliced    string
	splice     string // what p.splice gives
	size       int    // of the JSON
	literals   []byte
	ops        []byte
	fields     []byte
	literal    int // bytes at the end of literals that no operation has yet
	copied     struct{ at, len int }
	behind     int // where a copy with d == 0 would begin, were there no literal
}

func (k *packing) begin(r *reading, start, end int, spliced string) {
	k.r, k.start, k.end, k.spliced = r, start, end, spliced
	k.size = end - start + len(spliced)
	for _, e := range r.edits {
		k.size += len(e.with) - (e.to - e.from)
	}
}

// pack writes the operations. It reports whether there is a base to refer to, and enough of it.
func (k *packing) pack() bool {
	r := k.r
	if r.base == nil || len(r.base.text) > maxBase*k.size {
		return false
	}
	worth, same := worthPacking, 0
	if r.found == byChance {
		worth = worthPackingStranger
	}
	for i := range r.matches {
		same += r.matches[i].len
	}
	if (k.size-same)*100 >= k.size*worth { // it will not be; what is cut out has no matches
		return false
	}
	k.literals, k.ops, k.literal, k.copied.len, k.behind = k.literals[:0], k.ops[:0], 0, 0, 0
	k.write()
	return (len(k.literals)+len(k.ops))*100 < k.size*worth
}

// valid reports whether what stays of the text is UTF-8.
func (k *packing) valid() bool {
	at := k.start
	for _, e := range k.r.edits {
		if !utf8.ValidString(k.r.s[at:e.from]) {
			return false
		}
		at = e.to
	}
	return utf8.ValidString(k.r.s[at:k.end])
}

// write writes the operations.
func (k *packing) write() {
	if lead := 1 + len(k.spliced); lead > 1 && strings.HasPrefix(k.r.base.text[1:], k.spliced) {
		k.copy(0, lead)
	} else {
		k.put("{")
		k.put(k.spliced)
	}
	at, matches := k.start+1, k.r.matches
	for _, e := range k.r.edits {
		matches = k.add(at, e.from, matches)
		k.put(e.with)
		at = e.to
	}
	k.add(at, k.end, matches)
	k.flush()
}

// add adds a part of the text. It returns the matches that do not end before that does.
func (k *packing) add(from, to int, matches []match) []match {
	s := k.r.s
	for from < to {
		for len(matches) > 0 && matches[0].n+matches[0].len <= from {
			matches = matches[1:]
		}
		if len(matches) == 0 || matches[0].n >= to {
			k.put(s[from:to])
			break
		}
		m := matches[0]
		if m.n > from {
			k.put(s[from:m.n])
			from = m.n
		}
		end := min(to, m.n+m.len)
		if end-from >= minCopy {
			k.copy(m.t+from-m.n, end-from)
		} else {
			k.put(s[from:end])
		}
		from = end
	}
	return matches
}

func (k *packing) copy(at, n int) {
	if c := &k.copied; c.len > 0 {
		if c.at+c.len == at {
			c.len += n
			return
		}
		k.flush()
	}
	k.copied.at, k.copied.len = at, n
}

func (k *packing) put(text string) {
	if text == "" {
		return
	}
	if k.copied.len > 0 {
		k.flush()
	}
	k.literals = append(k.literals, text...)
	k.literal += len(text)
}

// flush writes an operation.
func (k *packing) flush() {
	k.ops = binary.AppendUvarint(k.ops, uint64(k.literal))
	if c := k.copied; c.len > 0 {
		k.ops = binary.AppendUvarint(k.ops, uint64(c.len))
		k.ops = binary.AppendVarint(k.ops, int64(c.at-k.behind-k.literal))
		k.behind = c.at + c.len
	}
	k.literal, k.copied.len = 0, 0
}

// identity are the fields of the header that are texts, decoded.
func (k *packing) identity() (texts [5]string, length int) {
	r := k.r
	for i, sp := range [5]span{r.namespace, r.name, r.uid, r.resourceVersion, r.deletionTimestamp} {
		if sp.to > sp.from {
			texts[i] = sp.text(r.s)
			length += len(texts[i])
		}
	}
	return texts, length
}

func (h *header) identity() [5]*field {
	return [5]*field{&h.namespace, &h.name, &h.uid, &h.resourceVersion, &h.deletionTimestamp}
}

// identitySize is how long these texts are in a packed object.
func (h *header) identitySize() (n uint32) {
	for _, f := range h.identity() {
		n += f.len
	}
	return n
}

// fields returns what a packed object remembers of values of fieldsV1.
func (o *Object) fields() string { return o.text[o.header.identitySize():o.literals] }

func (k *packing) packed(typ *typeMeta) *Object {
	o := k.object(typ)
	if o.base = k.r.base; k.r.regular && k.r.deepest < maxLevels {
		o.levels = uint8(k.r.deepest)
	}
	identity, n := k.identity()
	var b strings.Builder
	k.fields = appendFields(k.fields[:0], k.r.ownFields)
	b.Grow(n + len(k.fields) + len(k.literals) + len(k.ops))
	for i, f := range o.header.identity() {
		*f = field{uint32(b.Len()), uint32(len(identity[i]))}
		b.WriteString(identity[i])
	}
	b.Write(k.fields)
	o.literals = uint32(b.Len())
	b.Write(k.literals)
	o.ops = uint32(b.Len())
	b.Write(k.ops)
	o.text = b.String()
	return o
}

// plain makes the plain form. A field of the header is a part of the JSON wherever it stands there
// as it is; one with escapes follows it.
func (k *packing) plain(typ *typeMeta) *Object {
	o := k.object(typ)
	r := k.r
	var b strings.Builder
	b.Grow(k.size)
	b.WriteByte('{')
	b.WriteString(k.spliced)
	at := k.start + 1
	for _, e := range r.edits {
		b.WriteString(r.s[at:e.from])
		b.WriteString(e.with)
		at = e.to
	}
	b.WriteString(r.s[at:k.end])
	spans := [5]span{r.namespace, r.name, r.uid, r.resourceVersion, r.deletionTimestamp}
	for i, f := range o.header.identity() {
		sp := spans[i]
		if sp.from == sp.to {
			continue
		}
		if raw := r.s[sp.from:sp.to]; strings.IndexByte(raw, '\\') >= 0 {
			text := decodeString(raw)
			*f = field{uint32(b.Len()), uint32(len(text))}
			b.WriteString(text)
			continue
		}
		*f = field{k.place(sp.from), uint32(sp.to - sp.from)}
	}
	o.text = b.String()
	return o
}

// object has what both forms have in common.
func (k *packing) object(typ *typeMeta) *Object {
	r := k.r
	o := &Object{typ: typ, size: uint32(k.size)}
	o.header.generation = r.generation
	if l := r.labels; l.to > l.from {
		o.header.labels = field{k.place(l.from), uint32(l.to - l.from)}
	}
	if r.spec > 0 {
		o.header.spec = k.place(r.spec)
	}
	if r.status > 0 {
		o.header.status = k.place(r.status)
	}
	return o
}

// place gives the place in the JSON that a place in the read text became.
func (k *packing) place(at int) uint32 {
	shift := len(k.spliced) - k.start
	for _, e := range k.r.edits {
		if e.from >= at {
			break
		}
		shift += len(e.with) - (e.to - e.from)
	}
	return uint32(at + shift)
}
