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
type match struct{ at, base, len int }

// aligner reads a text against a base.
type aligner struct {
	scanner
	text      string
	start     int   // where the object begins
	base      *base // nil if nothing like this object is known
	unlimited bool

	matches    []match // what is as in the base, in the order of s
	matchEnd   int     // up to which place s is as the base is, shift bytes later
	offset     int
	nextExtent int // the extent of the base that was asked for last
	// lost: the base does not resemble the object, as too much was spent on it for what was read (aligner.spend).
	gaveUp         bool
	cost, progress int
	// What was read before the base was known: the object's members, and those of its metadata.
	top, meta    []member
	metadataRead bool // was seen
}

// member is a member of an object that was read member by member.
type member struct {
	start, nameEnd, value, end int  // the name's quote, behind the name, the value, behind the value
	typeMeta                   bool // apiVersion or kind
}

// align says that place n of the text corresponds to place t of the base, both between tokens, and
// notes how far they are the same from there on.
func (a *aligner) sync(n, t int) {
	s, b := a.text, a.base.text
	length := 0
	if n+8 > len(s) || t+8 > len(b) {
		length = commonPrefix(s[n:], b[t:])
	} else if x := word(s, n) ^ word(b, t); x != 0 {
		length = bits.TrailingZeros64(x) / 8
	} else {
		length = 8 + commonPrefix(s[n+8:], b[t+8:])
	}
	a.matchEnd, a.offset = n+length, t-n
	a.advance(n)
	if a.charge(syncCost); a.metadataRead {
		// much of what remains is read against the last state, if there is reason for that
		// (last.go)
		a.charge(syncCost)
	}
	a.addMatch(n, t, length)
}

// matched notes a match, and the bytes before it that are the same.
func (a *aligner) addMatch(n, t, length int) {
	s, b, end := a.text, a.base.text, 0
	if k := len(a.matches) - 1; k >= 0 {
		last := &a.matches[k]
		if end = last.at + last.len; end == n && last.base+last.len == t {
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
	a.matches = append(a.matches, match{n, t, length})
}

// spend counts what reading against the base costs more than reading without it, in bytes that
// could have been read for it. When that is too much, the rest is read without.
func (a *aligner) charge(bytes int) {
	credit := baseCredit + a.progress/creditShare
	if !a.metadataRead {
		credit += metadataCredit
	}
	if a.cost += bytes; a.cost > credit && !a.unlimited {
		a.gaveUp = true
	}
}

// reached notes that the text was read up to place i: the more of it, the more may be spent.
func (a *aligner) advance(i int) { a.progress = max(a.progress, i-a.start) }

// token returns the place of the base's next token from place j on.
func (a *aligner) nextBaseToken(j int) int {
	next := nextToken(a.base.text, j)
	if next > j+4 {
		a.charge((next - j) / 2)
	}
	return next
}

const (
	// firstCredit and creditPart are what may be spent on a base in vain: so much, and one of
	// creditPart bytes read. Metadata differs more than the rest.
	baseCredit     = 400
	creditShare    = 4
	metadataCredit = 400
	// alignCost and containerCost are what it takes to go on behind a difference, and to read a
	// container with one in it.
	syncCost      = 25
	containerCost = 40
	// lookAhead is how many members of the base are looked at for one that is not where it is
	// expected.
	lookAhead = 4
)

// valueIn returns where the base has the value of the text's member s[start:end], when its members
// before place j have been passed; -1 if it has none nearby.
func (a *aligner) baseValue(start, end, value, j int) int {
	if a.gaveUp {
		return -1
	}
	t := a.base.text
	if value <= a.matchEnd {
		return skipSpace(t, value+a.offset)
	}
	a.advance(start)
	for n := 0; n < lookAhead && !a.gaveUp; n++ {
		if j = a.nextBaseToken(j); j >= len(t) || t[j] != '"' {
			break
		}
		if strings.HasPrefix(t[j:], a.text[start:end]) {
			a.sync(start, j)
			if value < a.matchEnd {
				return value + a.offset
			}
			v := a.nextBaseToken(j + end - start)
			a.sync(value, v)
			return v
		}
		nameEnd := stringEnd(t, j)
		a.charge(syncCost + (nameEnd-j)/4)
		j = a.baseValueEnd(a.nextBaseToken(nameEnd))
	}
	return -1
}

// jump goes on from place i, which corresponds to place j of the base, to where the texts differ,
// or close to it: behind the last long container before that, or within the one that the difference
// is in. Both places are behind the opening bracket of an object or array, or behind one of its
// values; that of the base ends at e. So are those it returns, or behind its end.
func (a *aligner) skipCommon(i, j, e, depth int) (end, behind int, err error) {
	differ := a.matchEnd + a.offset
	if differ-j < a.minLength || i+a.offset != j {
		return i, j, nil
	}
	if differ >= e {
		a.takeExtents(j, e, -a.offset)
		return e - a.offset, e, nil
	}
	all, k := a.base.extents, a.extentFrom(j)
	behind = j
	for k < len(all) && int(all[k].to) <= differ {
		behind = int(all[k].to)
		for k++; k < len(all) && int(all[k].from) < behind; {
			k++
		}
	}
	a.takeExtents(j, behind, -a.offset)
	if a.nextExtent = k; k < len(all) && int(all[k].from) < differ {
		at := int(all[k].from)
		if end, behind, err = a.alignedValue(at-a.offset, at, depth+1); behind < 0 {
			behind = int(all[k].to)
		}
		return end, behind, err
	}
	return behind - a.offset, behind, nil
}

// passed takes the extents that the base has from place v to e, which are so many bytes later in
// the text.
func (a *aligner) takeExtents(v, e, later int) {
	a.cost -= (e - v) / 4 // it would have taken that much to read it
	if !a.keepExtents || v == e {
		return
	}
	all := a.base.extents
	for k := a.extentFrom(v); k < len(all) && int(all[k].from) < e; k++ {
		a.extents = append(a.extents,
			extent{uint32(int(all[k].from) + later), uint32(int(all[k].to) + later)})
	}
}
