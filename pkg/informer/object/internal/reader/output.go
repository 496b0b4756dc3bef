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
	// worthPacking is how many percent of the plain text an object may take and still be packed: a
	// packed object keeps its base alive, and costs something to read. For the base of a stranger
	// it has to be less: the object could be a better base for its own kind.
	maxPackedPercent       = 66
	maxPackedPercentRecent = 20
	// maxBase is how many times as long as an object its base may be: an object that was large once
	// must not keep that.
	MaxBaseRatio = 4
)

// output is what becomes of the text of an object that was read: without what is cut out, and with
// what is put in.
type Output struct {
	Reader     *Reader
	Start, End int // of the object in the text that was read
	Inserted   string
	Size       int // of the JSON
}

func (out *Output) Begin(r *Reader, start, end int, spliced string) {
	out.Reader, out.Start, out.End, out.Inserted = r, start, end, spliced
	out.Size = end - start + len(spliced)
	for _, e := range r.Edits {
		out.Size += len(e.With) - (e.To - e.From)
	}
}

// pack writes the operations. It reports whether there is a base to refer to, and enough of it.
func (out *Output) Pack(e *delta.Encoder) bool {
	r := out.Reader
	if r.Base == nil || len(r.Base.Text) > MaxBaseRatio*out.Size {
		return false
	}
	worth, same := maxPackedPercent, 0
	if r.found == byRecency {
		worth = maxPackedPercentRecent
	}
	for i := range r.Matches {
		same += r.Matches[i].Len
	}
	if (out.Size-same)*100 >= out.Size*worth { // it will not be; what is cut out has no matches
		return false
	}
	e.Reset()
	out.encode(e)
	return (len(e.Literals)+len(e.Ops))*100 < out.Size*worth
}

// valid reports whether what stays of the text is UTF-8.
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

// write writes the operations.
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

// add adds a part of the text. It returns the matches that do not end before that does.
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

// place gives the place in the JSON that a place in the read text became.
func (out *Output) Place(at int) uint32 {
	shift := len(out.Inserted) - out.Start
	for _, e := range out.Reader.Edits {
		if e.From >= at {
			break
		}
		shift += len(e.With) - (e.To - e.From)
	}
	return uint32(at + shift)
}

// sortEdits puts the edits in the order of the text, and drops those inside of others: a field can
// be both redacted and dropped.
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
