package object

import (
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/delta"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/reader"
)

// builder makes the forms of the object that was read.
//
// The packed form: a packed object's text is the fields of its header, one after the other, the
// checksums of fieldsV1 values that its base does not have, and its literals and operations
// (package delta):
//
//	web-1shop0d6a-1...  <checksums>  <literals>  <operations>
//	^ the header                     ^           ^ Object.ops
//	                                 Object.literals
//
// The plain form: the text is the JSON, and after it the fields of the header that have escapes
// there.
type builder struct {
	reader.Output
	delta.Encoder
	fields       []byte
	typeMetaText string // for Parser.insertedTypeMeta
}

// pack encodes the object as its difference from the base. It reports whether that is worth it.
func (b *builder) pack() bool { return b.Output.Pack(&b.Encoder) }

// identity returns the header's texts, decoded, and their length.
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

// packed returns the packed form after a successful pack.
func (b *builder) packed(typ *typeMeta) *Object {
	o := b.newObject(typ)
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

// plain returns the plain form.
func (b *builder) plain(typ *typeMeta) *Object {
	o := b.newObject(typ)
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

// header returns an object with what both forms have in common.
func (b *builder) newObject(typ *typeMeta) *Object {
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
