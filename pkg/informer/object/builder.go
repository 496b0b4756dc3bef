package object

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/delta"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/reader"
)

// packing makes the forms of one object that was read.
type builder struct {
	reader.Output
	delta.Encoder
	fields       []byte
	typeMetaText string // what p.splice gives
}

func (b *builder) pack() bool { return b.Output.Pack(&b.Encoder) }

// identity are the fields of the header that are texts, decoded.
func (b *builder) identity() (texts [5]string, length int) {
	r := b.Reader
	for i, sp := range [5]reader.Span{r.Namespace, r.Name, r.UID, r.ResourceVersion,
		r.DeletionTimestamp} {
		if sp.To > sp.From {
			texts[i] = sp.Text(r.Text)
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
	if o.base = b.Reader.Base; b.Reader.Ordered && b.Reader.Depth < align.MaxFollowedDepth {
		o.depth = uint8(b.Reader.Depth)
	}
	identity, n := b.identity()
	var sb strings.Builder
	b.fields = reader.AppendFields(b.fields[:0], b.Reader.OwnFields)
	sb.Grow(n + len(b.fields) + len(b.Literals) + len(b.Ops))
	for i, f := range o.header.identity() {
		*f = field{uint32(sb.Len()), uint32(len(identity[i]))}
		sb.WriteString(identity[i])
	}
	sb.Write(b.fields)
	o.literals = uint32(sb.Len())
	sb.Write(b.Literals)
	o.ops = uint32(sb.Len())
	sb.Write(b.Ops)
	o.text = sb.String()
	return o
}

// plain makes the plain form. A field of the header is a part of the JSON wherever it stands there
// as it is; one with escapes follows it.
func (b *builder) plain(typ *typeMeta) *Object {
	o := b.object(typ)
	r := b.Reader
	var sb strings.Builder
	sb.Grow(b.Size)
	sb.WriteByte('{')
	sb.WriteString(b.Inserted)
	at := b.Start + 1
	for _, e := range r.Edits {
		sb.WriteString(r.Text[at:e.From])
		sb.WriteString(e.With)
		at = e.To
	}
	sb.WriteString(r.Text[at:b.End])
	spans := [5]reader.Span{r.Namespace, r.Name, r.UID, r.ResourceVersion, r.DeletionTimestamp}
	for i, f := range o.header.identity() {
		sp := spans[i]
		if sp.From == sp.To {
			continue
		}
		if raw := r.Text[sp.From:sp.To]; strings.IndexByte(raw, '\\') >= 0 {
			text := jsontext.Unescape(raw)
			*f = field{uint32(sb.Len()), uint32(len(text))}
			sb.WriteString(text)
			continue
		}
		*f = field{b.Place(sp.From), uint32(sp.To - sp.From)}
	}
	o.text = sb.String()
	return o
}

// object has what both forms have in common.
func (b *builder) object(typ *typeMeta) *Object {
	r := b.Reader
	o := &Object{typeMeta: typ, size: uint32(b.Size)}
	o.header.generation = r.Generation
	if l := r.Labels; l.To > l.From {
		o.header.labels = field{b.Place(l.From), uint32(l.To - l.From)}
	}
	if r.Spec > 0 {
		o.header.spec = b.Place(r.Spec)
	}
	if r.Status > 0 {
		o.header.status = b.Place(r.Status)
	}
	return o
}
