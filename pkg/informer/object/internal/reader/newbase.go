package reader

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// newBase makes a base of the object that was read, of which text is the JSON.
func (out *Output) NewBase(text string) *align.Base {
	r := out.Reader
	b := &align.Base{Text: text}
	if r.Ordered && r.Spec > 0 {
		b.Spec, b.Depth = out.Place(r.Spec), uint8(r.Depth) // which is less than maxBaseDepth
		if r.Status > 0 {
			b.Status = out.Place(r.Status)
		}
	}
	if n := len(r.Extents); n > 0 && len(r.Edits) < 32 {
		b.Extents = make([]scan.Extent, n)
		for i, e := range r.Extents {
			b.Extents[i] = scan.Extent{From: out.Place(int(e.From)), To: out.Place(int(e.To))}
		}
	}
	if len(r.fields) > 0 {
		b.Fields = make([]align.Checksum, 0, len(r.fields))
		for _, sp := range r.fields {
			b.Fields = append(b.Fields, checksumOf(r.Text[sp.From:sp.To]))
		}
	}
	return b
}
