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
	worthPacking         = 66
	worthPackingStranger = 20
	// maxBase is how many times as long as an object its base may be: an object that was large once
	// must not keep that.
	maxBase = 4
)

// output is what becomes of the text of an object that was read: without what is cut out, and with
// what is put in.
type output struct {
	r          *reading
	start, end int // of the object in the text that was read
	spliced    string
	size       int // of the JSON
}

func (k *output) begin(r *reading, start, end int, spliced string) {
	k.r, k.start, k.end, k.spliced = r, start, end, spliced
	k.size = end - start + len(spliced)
	for _, e := range r.edits {
		k.size += len(e.with) - (e.to - e.from)
	}
}

// pack writes the operations. It reports whether there is a base to refer to, and enough of it.
func (k *output) pack(e *encoder) bool {
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
	e.reset()
	k.write(e)
	return (len(e.literals)+len(e.ops))*100 < k.size*worth
}

// valid reports whether what stays of the text is UTF-8.
func (k *output) valid() bool {
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
func (k *output) write(e *encoder) {
	if lead := 1 + len(k.spliced); lead > 1 && strings.HasPrefix(k.r.base.text[1:], k.spliced) {
		e.copy(0, lead)
	} else {
		e.put("{")
		e.put(k.spliced)
	}
	at, matches := k.start+1, k.r.matches
	for _, cut := range k.r.edits {
		matches = k.add(e, at, cut.from, matches)
		e.put(cut.with)
		at = cut.to
	}
	k.add(e, at, k.end, matches)
	e.flush()
}

// add adds a part of the text. It returns the matches that do not end before that does.
func (k *output) add(e *encoder, from, to int, matches []match) []match {
	s := k.r.s
	for from < to {
		for len(matches) > 0 && matches[0].n+matches[0].len <= from {
			matches = matches[1:]
		}
		if len(matches) == 0 || matches[0].n >= to {
			e.put(s[from:to])
			break
		}
		m := matches[0]
		if m.n > from {
			e.put(s[from:m.n])
			from = m.n
		}
		end := min(to, m.n+m.len)
		if end-from >= minCopy {
			e.copy(m.t+from-m.n, end-from)
		} else {
			e.put(s[from:end])
		}
		from = end
	}
	return matches
}

// place gives the place in the JSON that a place in the read text became.
func (k *output) place(at int) uint32 {
	shift := len(k.spliced) - k.start
	for _, e := range k.r.edits {
		if e.from >= at {
			break
		}
		shift += len(e.with) - (e.to - e.from)
	}
	return uint32(at + shift)
}

// sortEdits puts the edits in the order of the text, and drops those inside of others: a field can
// be both redacted and dropped.
func (r *reading) sortEdits() {
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
