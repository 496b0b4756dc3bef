package object

import "strings"

// packing makes the forms of one object that was read.
type builder struct {
	output
	encoder
	fields       []byte
	typeMetaText string // what p.splice gives
}

func (b *builder) pack() bool { return b.output.pack(&b.encoder) }

// identity are the fields of the header that are texts, decoded.
func (b *builder) identity() (texts [5]string, length int) {
	r := b.r
	for i, sp := range [5]span{r.namespace, r.name, r.uid, r.resourceVersion, r.deletionTimestamp} {
		if sp.to > sp.from {
			texts[i] = sp.text(r.text)
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

func (b *builder) packed(typ *typeMeta) *Object {
	o := b.object(typ)
	if o.base = b.r.base; b.r.ordered && b.r.depth < maxFollowedDepth {
		o.depth = uint8(b.r.depth)
	}
	identity, n := b.identity()
	var sb strings.Builder
	b.fields = appendFields(b.fields[:0], b.r.ownFields)
	sb.Grow(n + len(b.fields) + len(b.literals) + len(b.ops))
	for i, f := range o.header.identity() {
		*f = field{uint32(sb.Len()), uint32(len(identity[i]))}
		sb.WriteString(identity[i])
	}
	sb.Write(b.fields)
	o.literals = uint32(sb.Len())
	sb.Write(b.literals)
	o.ops = uint32(sb.Len())
	sb.Write(b.ops)
	o.text = sb.String()
	return o
}

// plain makes the plain form. A field of the header is a part of the JSON wherever it stands there
// as it is; one with escapes follows it.
func (b *builder) plain(typ *typeMeta) *Object {
	o := b.object(typ)
	r := b.r
	var sb strings.Builder
	sb.Grow(b.size)
	sb.WriteByte('{')
	sb.WriteString(b.inserted)
	at := b.start + 1
	for _, e := range r.edits {
		sb.WriteString(r.text[at:e.from])
		sb.WriteString(e.with)
		at = e.to
	}
	sb.WriteString(r.text[at:b.end])
	spans := [5]span{r.namespace, r.name, r.uid, r.resourceVersion, r.deletionTimestamp}
	for i, f := range o.header.identity() {
		sp := spans[i]
		if sp.from == sp.to {
			continue
		}
		if raw := r.text[sp.from:sp.to]; strings.IndexByte(raw, '\\') >= 0 {
			text := unescape(raw)
			*f = field{uint32(sb.Len()), uint32(len(text))}
			sb.WriteString(text)
			continue
		}
		*f = field{b.place(sp.from), uint32(sp.to - sp.from)}
	}
	o.text = sb.String()
	return o
}

// object has what both forms have in common.
func (b *builder) object(typ *typeMeta) *Object {
	r := b.r
	o := &Object{typeMeta: typ, size: uint32(b.size)}
	o.header.generation = r.generation
	if l := r.labels; l.to > l.from {
		o.header.labels = field{b.place(l.from), uint32(l.to - l.from)}
	}
	if r.spec > 0 {
		o.header.spec = b.place(r.spec)
	}
	if r.status > 0 {
		o.header.status = b.place(r.status)
	}
	return o
}
