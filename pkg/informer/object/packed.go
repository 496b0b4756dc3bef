package object

import "strings"

// packing makes the forms of one object that was read.
type packing struct {
	output
	encoder
	fields []byte
	splice string // what p.splice gives
}

func (k *packing) pack() bool { return k.output.pack(&k.encoder) }

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
