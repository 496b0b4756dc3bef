package object

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// worthPacking is how many percent of the plain text an object may take and still be packed: a
	// packed object keeps its base alive, and costs something to read. For the base of a stranger
	// it has to be less: the object could be a better base for its own kind.
	maxPackedPercent       = 66
	maxPackedPercentRecent = 20
	// maxBase is how many times as long as an object its base may be: an object that was large once
	// must not keep that.
	maxBaseRatio = 4
)

// output is what becomes of the text of an object that was read: without what is cut out, and with
// what is put in.
type output struct {
	r          *reader
	start, end int // of the object in the text that was read
	inserted   string
	size       int // of the JSON
}

func (out *output) begin(r *reader, start, end int, spliced string) {
	out.r, out.start, out.end, out.inserted = r, start, end, spliced
	out.size = end - start + len(spliced)
	for _, e := range r.edits {
		out.size += len(e.with) - (e.to - e.from)
	}
}

// pack writes the operations. It reports whether there is a base to refer to, and enough of it.
func (out *output) pack(e *encoder) bool {
	r := out.r
	if r.base == nil || len(r.base.text) > maxBaseRatio*out.size {
		return false
	}
	worth, same := maxPackedPercent, 0
	if r.found == byRecency {
		worth = maxPackedPercentRecent
	}
	for i := range r.matches {
		same += r.matches[i].len
	}
	if (out.size-same)*100 >= out.size*worth { // it will not be; what is cut out has no matches
		return false
	}
	e.reset()
	out.encode(e)
	return (len(e.literals)+len(e.ops))*100 < out.size*worth
}

// valid reports whether what stays of the text is UTF-8.
func (out *output) validUTF8() bool {
	at := out.start
	for _, e := range out.r.edits {
		if !utf8.ValidString(out.r.text[at:e.from]) {
			return false
		}
		at = e.to
	}
	return utf8.ValidString(out.r.text[at:out.end])
}

// write writes the operations.
func (out *output) encode(e *encoder) {
	if lead := 1 + len(out.inserted); lead > 1 && strings.HasPrefix(out.r.base.text[1:], out.inserted) {
		e.copy(0, lead)
	} else {
		e.literal("{")
		e.literal(out.inserted)
	}
	at, matches := out.start+1, out.r.matches
	for _, cut := range out.r.edits {
		matches = out.encodeRange(e, at, cut.from, matches)
		e.literal(cut.with)
		at = cut.to
	}
	out.encodeRange(e, at, out.end, matches)
	e.flush()
}

// add adds a part of the text. It returns the matches that do not end before that does.
func (out *output) encodeRange(e *encoder, from, to int, matches []match) []match {
	s := out.r.text
	for from < to {
		for len(matches) > 0 && matches[0].at+matches[0].len <= from {
			matches = matches[1:]
		}
		if len(matches) == 0 || matches[0].at >= to {
			e.literal(s[from:to])
			break
		}
		m := matches[0]
		if m.at > from {
			e.literal(s[from:m.at])
			from = m.at
		}
		end := min(to, m.at+m.len)
		if end-from >= minCopy {
			e.copy(m.base+from-m.at, end-from)
		} else {
			e.literal(s[from:end])
		}
		from = end
	}
	return matches
}

// place gives the place in the JSON that a place in the read text became.
func (out *output) place(at int) uint32 {
	shift := len(out.inserted) - out.start
	for _, e := range out.r.edits {
		if e.from >= at {
			break
		}
		shift += len(e.with) - (e.to - e.from)
	}
	return uint32(at + shift)
}

// sortEdits puts the edits in the order of the text, and drops those inside of others: a field can
// be both redacted and dropped.
func (r *reader) sortEdits() {
	if len(r.edits) < 2 {
		return
	}
	slices.SortFunc(r.edits, func(a, b edit) int { return a.from - b.from })
	out := r.edits[:1]
	for _, e := range r.edits[1:] {
		if e.from >= out[len(out)-1].to {
			out = append(out, e)
		}
	}
	r.edits = out
}
