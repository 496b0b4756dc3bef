package object

import (
	"math/bits"
	"strings"
)

// This file reads a text against a base. Most of what an API server sends is nearly a copy of
// something it has sent already: an object's next state, a replica. The reader goes through the
// text as it does without a base, token by token, and keeps at hand which place of the base
// corresponds to the one it is at. Two things come of that:
//
//   - A container of the base whose bytes are next in the text was checked when the base was, so it
//     is passed over.
//   - Where both texts have the same bytes is noted: a packed object need not keep those
//     (packed.go).
//
//	base  {"spec":{"containers":[...],"nodeName":"a"},"status":{"phase":"Pending"}}
//	text  {"spec":{"containers":[...],"nodeName":"b"},"status":{"phase":"Running"}}
//	               ~~~~~~~~~~~~~~~~~~~                         passed over
//	      ===================================== ======================       ===  noted
//
// Which place corresponds to which is a guess, and nothing but speed and size depends on it: a
// container is passed over because its bytes are those of one that is known to be whole and right,
// wherever that was.

// match says that len bytes at place n of the text that is read are those at place t of the base.
type match struct{ n, t, len int }

// aligner reads a text against a base.
type aligner struct {
	checker
	s     string
	from  int   // where the object begins
	base  *base // nil if nothing like this object is known
	eager bool

	matches []match // what is as in the base, in the order of s
	until   int     // up to which place s is as the base is, shift bytes later
	shift   int
	near    int // the extent of the base that was asked for last
	// lost: the base does not resemble the object, as too much was spent on it for what was read (aligner.spend).
	lost        bool
	spent, read int
	// What was read before the base was known: the object's members, and those of its metadata.
	top, meta []member
	metadata  bool // was seen
}

// member is a member of an object that was read member by member.
type member struct {
	start, nameEnd, value, end int  // the name's quote, behind the name, the value, behind the value
	typeMeta                   bool // apiVersion or kind
}

// align says that place n of the text corresponds to place t of the base, both between tokens, and
// notes how far they are the same from there on.
func (r *aligner) align(n, t int) {
	s, b := r.s, r.base.text
	length := 0
	if n+8 > len(s) || t+8 > len(b) {
		length = commonPrefix(s[n:], b[t:])
	} else if x := word(s, n) ^ word(b, t); x != 0 {
		length = bits.TrailingZeros64(x) / 8
	} else {
		length = 8 + commonPrefix(s[n+8:], b[t+8:])
	}
	r.until, r.shift = n+length, t-n
	r.reached(n)
	if r.spend(alignCost); r.metadata {
		// much of what remains is read against the last state, if there is reason for that
		// (last.go)
		r.spend(alignCost)
	}
	r.matched(n, t, length)
}

// matched notes a match, and the bytes before it that are the same.
func (r *aligner) matched(n, t, length int) {
	s, b, end := r.s, r.base.text, 0
	if k := len(r.matches) - 1; k >= 0 {
		last := &r.matches[k]
		if end = last.n + last.len; end == n && last.t+last.len == t {
			last.len += length
			return
		}
	}
	if over := end - n; over > 0 { // they were the same up to within a name
		n, t, length = n+over, t+over, length-over
	}
	if length <= 0 {
		return
	}
	for back := min(n-end, t, 8); back > 0 && s[n-1] == b[t-1]; back-- {
		n, t, length = n-1, t-1, length+1
	}
	r.matches = append(r.matches, match{n, t, length})
}

// spend counts what reading against the base costs more than reading without it, in bytes that
// could have been read for it. When that is too much, the rest is read without.
func (r *aligner) spend(bytes int) {
	credit := firstCredit + r.read/creditPart
	if !r.metadata {
		credit += metadataCredit
	}
	if r.spent += bytes; r.spent > credit && !r.eager {
		r.lost = true
	}
}

// reached notes that the text was read up to place i: the more of it, the more may be spent.
func (r *aligner) reached(i int) { r.read = max(r.read, i-r.from) }

// token returns the place of the base's next token from place j on.
func (r *aligner) token(j int) int {
	next := nextToken(r.base.text, j)
	if next > j+4 {
		r.spend((next - j) / 2)
	}
	return next
}

const (
	// firstCredit and creditPart are what may be spent on a base in vain: so much, and one of
	// creditPart bytes read. Metadata differs more than the rest.
	firstCredit    = 400
	creditPart     = 4
	metadataCredit = 400
	// alignCost and containerCost are what it takes to go on behind a difference, and to read a
	// container with one in it.
	alignCost     = 25
	containerCost = 40
	// lookAhead is how many members of the base are looked at for one that is not where it is
	// expected.
	lookAhead = 4
)

// valueIn returns where the base has the value of the text's member s[start:end], when its members
// before place j have been passed; -1 if it has none nearby.
func (r *aligner) valueIn(start, end, value, j int) int {
	if r.lost {
		return -1
	}
	t := r.base.text
	if value <= r.until {
		return skipSpace(t, value+r.shift)
	}
	r.reached(start)
	for n := 0; n < lookAhead && !r.lost; n++ {
		if j = r.token(j); j >= len(t) || t[j] != '"' {
			break
		}
		if strings.HasPrefix(t[j:], r.s[start:end]) {
			r.align(start, j)
			if value < r.until {
				return value + r.shift
			}
			v := r.token(j + end - start)
			r.align(value, v)
			return v
		}
		nameEnd := stringEnd(t, j)
		r.spend(alignCost + (nameEnd-j)/4)
		j = r.behind(r.token(nameEnd))
	}
	return -1
}

// jump goes on from place i, which corresponds to place j of the base, to where the texts differ,
// or close to it: behind the last long container before that, or within the one that the difference
// is in. Both places are behind the opening bracket of an object or array, or behind one of its
// values; that of the base ends at e. So are those it returns, or behind its end.
func (r *aligner) jump(i, j, e, depth int) (end, behind int, err error) {
	differ := r.until + r.shift
	if differ-j < r.short || i+r.shift != j {
		return i, j, nil
	}
	if differ >= e {
		r.passed(j, e, -r.shift)
		return e - r.shift, e, nil
	}
	all, k := r.base.extents, r.extentAt(j)
	behind = j
	for k < len(all) && int(all[k].to) <= differ {
		behind = int(all[k].to)
		for k++; k < len(all) && int(all[k].from) < behind; {
			k++
		}
	}
	r.passed(j, behind, -r.shift)
	if r.near = k; k < len(all) && int(all[k].from) < differ {
		at := int(all[k].from)
		if end, behind, err = r.any(at-r.shift, at, depth+1); behind < 0 {
			behind = int(all[k].to)
		}
		return end, behind, err
	}
	return behind - r.shift, behind, nil
}

// passed takes the extents that the base has from place v to e, which are so many bytes later in
// the text.
func (r *aligner) passed(v, e, later int) {
	r.spent -= (e - v) / 4 // it would have taken that much to read it
	if !r.noting || v == e {
		return
	}
	all := r.base.extents
	for k := r.extentAt(v); k < len(all) && int(all[k].from) < e; k++ {
		r.extents = append(r.extents,
			extent{uint32(int(all[k].from) + later), uint32(int(all[k].to) + later)})
	}
}
