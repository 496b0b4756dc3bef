package reader

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/delta"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

const (
	// maxPackedPercent is the size of a packed object, in percent of the plain text, up to which
	// packing is worth it: a packed object keeps its base alive and costs more to read. For a base
	// found by recency it has to be smaller, as the object may be a better base for its own kind.
	maxPackedPercent       = 66
	maxPackedPercentRecent = 20
	// MaxBaseRatio is how many times as long as an object its base may be: an object that was large
	// once must not keep its old text alive.
	MaxBaseRatio = 4
)

// Output is the JSON that becomes of an object: its text without what is cut out, and with what is
// inserted.
type Output struct {
	Reader     *Reader
	Start, End int    // of the object in the text that was read
	Inserted   string // after the opening bracket
	Size       int    // of the JSON
}

// Begin prepares the output of the object that r has just read.
func (out *Output) Begin(r *Reader, start, end int, inserted string) {
	out.Reader, out.Start, out.End, out.Inserted = r, start, end, inserted
	out.Size = end - start + len(inserted)
	for _, e := range r.Edits {
		out.Size += len(e.With) - (e.To - e.From)
	}
}

// Pack encodes the output as its difference from the base. It reports whether there is a base and
// the result is small enough.
func (out *Output) Pack(e *delta.Encoder) bool {
	r := out.Reader
	if r.Base == nil || len(r.Base.Text) > MaxBaseRatio*out.Size {
		return false
	}
	limit, equal := maxPackedPercent, 0
	if r.found == byRecency {
		limit = maxPackedPercentRecent
	}
	for i := range r.Matches {
		equal += r.Matches[i].Len
	}
	if (out.Size-equal)*100 >= out.Size*limit { // it cannot be small enough
		return false
	}
	e.Reset()
	out.encode(e)
	return (len(e.Literals)+len(e.Ops))*100 < out.Size*limit
}

// ValidUTF8 reports whether what is kept of the text is UTF-8.
func (out *Output) ValidUTF8() bool {
	at := out.Start
	for _, e := range out.Reader.Edits {
		if !utf8.ValidString(out.Reader.Text[at:e.From]) {
			return false
		}
		at = e.To
	}
	return utf8.ValidString(out.Reader.Text[at:out.End])
}

// encode encodes the output.
func (out *Output) encode(e *delta.Encoder) {
	if lead := 1 + len(out.Inserted); lead > 1 &&
		strings.HasPrefix(out.Reader.Base.Text[1:], out.Inserted) {
		e.Copy(0, lead)
	} else {
		e.Literal("{")
		e.Literal(out.Inserted)
	}
	at, matches := out.Start+1, out.Reader.Matches
	for _, cut := range out.Reader.Edits {
		matches = out.encodeRange(e, at, cut.From, matches)
		e.Literal(cut.With)
		at = cut.To
	}
	out.encodeRange(e, at, out.End, matches)
	e.Flush()
}

// encodeRange encodes a part of the text. It returns the matches that end after it.
func (out *Output) encodeRange(e *delta.Encoder, from, to int,
	matches []align.Match) []align.Match {
	s := out.Reader.Text
	for from < to {
		for len(matches) > 0 && matches[0].At+matches[0].Len <= from {
			matches = matches[1:]
		}
		if len(matches) == 0 || matches[0].At >= to {
			e.Literal(s[from:to])
			break
		}
		m := matches[0]
		if m.At > from {
			e.Literal(s[from:m.At])
			from = m.At
		}
		end := min(to, m.At+m.Len)
		if end-from >= delta.MinCopy {
			e.Copy(m.Base+from-m.At, end-from)
		} else {
			e.Literal(s[from:end])
		}
		from = end
	}
	return matches
}

// Place returns the place in the output of a place in the text that was read.
func (out *Output) Place(at int) uint32 {
	offset := len(out.Inserted) - out.Start
	for _, e := range out.Reader.Edits {
		if e.From >= at {
			break
		}
		offset += len(e.With) - (e.To - e.From)
	}
	return uint32(at + offset)
}

// SortEdits sorts the edits and removes those within others: a field can be both hidden and
// dropped.
func (r *Reader) SortEdits() {
	if len(r.Edits) < 2 {
		return
	}
	slices.SortFunc(r.Edits, func(a, b edit) int { return a.From - b.From })
	out := r.Edits[:1]
	for _, e := range r.Edits[1:] {
		if e.From >= out[len(out)-1].To {
			out = append(out, e)
		}
	}
	r.Edits = out
}

// NewBase returns a base made of the object. text is the output.
func (out *Output) NewBase(text string) *align.Base {
	r := out.Reader
	b := &align.Base{Text: text}
	if r.Ordered && r.Spec > 0 {
		b.Spec, b.Depth = out.Place(r.Spec), uint8(r.Depth) // less than MaxBaseDepth
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
			b.Fields = append(b.Fields, checksum(r.Text[sp.From:sp.To]))
		}
	}
	return b
}
