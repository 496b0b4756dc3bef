package align

import (
	"math/bits"
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// Match says that Len bytes at place At of the text are those at place Base of the base.
type Match struct{ At, Base, Len int }

// Aligner reads one text against one base. Its methods have pairs of arguments: i is a place in the
// text and j the corresponding one in the base, both between tokens; base is the place of the value
// in the base that corresponds to the value at i, -1 if there is none.
type Aligner struct {
	scan.Scanner
	Text  string
	Start int   // of the object in Text
	Base  *Base // nil if there is none to read against
	Eager bool  // never give up, for tests

	Matches    []Match // in the order of the text
	matchEnd   int     // up to here, Text is like the base at offset
	offset     int     // a place in the base minus the corresponding place in Text
	nextExtent int     // index of the extent of the base that was searched last

	GaveUp   bool // the rest is read without the base, as Cost became too high
	Cost     int  // of reading against the base, in bytes that could have been read instead
	progress int  // bytes read

	// Top are the members of the object that were read before a base was chosen, and Meta those of
	// its metadata.
	Top, Meta    []Member
	MetadataRead bool
}

// Member is a member of an object that was read member by member.
type Member struct {
	Start, NameEnd int // of the name, with its quotes
	Value, End     int
}

// sync says that place i of the text corresponds to place j of the base, and records how far they
// are equal from there on.
func (a *Aligner) sync(i, j int) {
	s, base := a.Text, a.Base.Text
	length := 0
	if i+8 > len(s) || j+8 > len(base) {
		length = jsontext.CommonPrefix(s[i:], base[j:])
	} else if x := jsontext.Word(s, i) ^ jsontext.Word(base, j); x != 0 {
		length = bits.TrailingZeros64(x) / 8
	} else {
		length = 8 + jsontext.CommonPrefix(s[i+8:], base[j+8:])
	}
	a.matchEnd, a.offset = i+length, j-i
	a.Advance(i)
	if a.charge(syncCost); a.MetadataRead {
		// Much of the rest is read by a Follower if the texts are alike.
		a.charge(syncCost)
	}
	a.addMatch(i, j, length)
}

// addMatch records that length bytes at i are those of the base at j, and with them the equal bytes
// before.
func (a *Aligner) addMatch(i, j, length int) {
	s, base, end := a.Text, a.Base.Text, 0
	if k := len(a.Matches) - 1; k >= 0 {
		last := &a.Matches[k]
		if end = last.At + last.Len; end == i && last.Base+last.Len == j {
			last.Len += length
			return
		}
	}
	if over := end - i; over > 0 { // the last match ends within a name
		i, j, length = i+over, j+over, length-over
	}
	if length <= 0 {
		return
	}
	for back := min(i-end, j, 8); back > 0 && s[i-1] == base[j-1]; back-- {
		i, j, length = i-1, j-1, length+1
	}
	a.Matches = append(a.Matches, Match{i, j, length})
}

// nextBaseToken returns the place of the base's next token from place j on.
func (a *Aligner) nextBaseToken(j int) int {
	next := jsontext.NextToken(a.Base.Text, j)
	if next > j+4 {
		a.charge((next - j) / 2)
	}
	return next
}

// lookAhead is the number of members of the base that are tried for a member of the text.
const lookAhead = 4

// BaseValue returns the place of the value that the base has for the member s[start:end] of the
// text, from place j of the base on, -1 if there is none nearby. value is the place of the value in
// the text.
func (a *Aligner) BaseValue(start, end, value, j int) int {
	if a.GaveUp {
		return -1
	}
	base := a.Base.Text
	if value <= a.matchEnd {
		return jsontext.SkipSpace(base, value+a.offset)
	}
	a.Advance(start)
	for n := 0; n < lookAhead && !a.GaveUp; n++ {
		if j = a.nextBaseToken(j); j >= len(base) || base[j] != '"' {
			break
		}
		if strings.HasPrefix(base[j:], a.Text[start:end]) {
			a.sync(start, j)
			if value < a.matchEnd {
				return value + a.offset
			}
			found := a.nextBaseToken(j + end - start)
			a.sync(value, found)
			return found
		}
		nameEnd := jsontext.StringEnd(base, j)
		a.charge(syncCost + (nameEnd-j)/4)
		j = a.baseValueEnd(a.nextBaseToken(nameEnd))
	}
	return -1
}

// skipCommon skips what is equal within a container: the values up to the last long one before the
// next difference. If the difference is within a long value, it reads that one as well. i and j are
// after the container's opening bracket or after one of its values, and so are the places that it
// returns, or at the end of the container; longEnd is its end in the base.
func (a *Aligner) skipCommon(i, j, longEnd, depth int) (end, baseEnd int, err error) {
	difference := a.matchEnd + a.offset
	if difference-j < a.MinLength || i+a.offset != j {
		return i, j, nil
	}
	if difference >= longEnd {
		a.takeExtents(j, longEnd, -a.offset)
		return longEnd - a.offset, longEnd, nil
	}
	extents, k := a.Base.Extents, a.searchExtent(j)
	baseEnd = j
	for k < len(extents) && int(extents[k].To) <= difference {
		baseEnd = int(extents[k].To)
		for k++; k < len(extents) && int(extents[k].From) < baseEnd; {
			k++
		}
	}
	a.takeExtents(j, baseEnd, -a.offset)
	if a.nextExtent = k; k < len(extents) && int(extents[k].From) < difference {
		at := int(extents[k].From)
		if end, baseEnd, err = a.AlignedValue(at-a.offset, at, depth+1); baseEnd < 0 {
			baseEnd = int(extents[k].To)
		}
		return end, baseEnd, err
	}
	return baseEnd - a.offset, baseEnd, nil
}

// takeExtents records the extents that the base has between from and to, shifted to their places in
// the text.
func (a *Aligner) takeExtents(from, to, shift int) {
	a.Cost -= (to - from) / 4 // reading them would have cost more
	if !a.KeepExtents || from == to {
		return
	}
	extents := a.Base.Extents
	for k := a.searchExtent(from); k < len(extents) && int(extents[k].From) < to; k++ {
		begin, end := int(extents[k].From)+shift, int(extents[k].To)+shift
		a.Extents = append(a.Extents, scan.Extent{From: uint32(begin), To: uint32(end)})
	}
}
