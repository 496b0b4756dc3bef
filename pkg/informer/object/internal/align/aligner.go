package align

import (
	"math/bits"
	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
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
type Match struct{ At, Base, Len int }

// aligner reads a text against a base.
type Aligner struct {
	scan.Scanner
	Text      string
	Start     int   // where the object begins
	Base      *Base // nil if nothing like this object is known
	Unlimited bool

	Matches    []Match // what is as in the base, in the order of s
	matchEnd   int     // up to which place s is as the base is, shift bytes later
	offset     int
	nextExtent int // the extent of the base that was asked for last
	// lost: the base does not resemble the object, as too much was spent on it for what was read
	// (aligner.spend).
	GaveUp         bool
	Cost, progress int
	// What was read before the base was known: the object's members, and those of its metadata.
	Top, Meta    []Member
	MetadataRead bool // was seen
}

// member is a member of an object that was read member by member.
type Member struct {
	// the name's quote, behind the name, the value, behind the value
	Start, NameEnd, Value, End int
	TypeMeta                   bool // apiVersion or kind
}

// align says that place n of the text corresponds to place t of the base, both between tokens, and
// notes how far they are the same from there on.
func (a *Aligner) sync(n, t int) {
	s, b := a.Text, a.Base.Text
	length := 0
	if n+8 > len(s) || t+8 > len(b) {
		length = jsontext.CommonPrefix(s[n:], b[t:])
	} else if x := jsontext.Word(s, n) ^ jsontext.Word(b, t); x != 0 {
		length = bits.TrailingZeros64(x) / 8
	} else {
		length = 8 + jsontext.CommonPrefix(s[n+8:], b[t+8:])
	}
	a.matchEnd, a.offset = n+length, t-n
	a.Advance(n)
	if a.charge(syncCost); a.MetadataRead {
		// much of what remains is read against the last state, if there is reason for that
		// (last.go)
		a.charge(syncCost)
	}
	a.addMatch(n, t, length)
}

// matched notes a match, and the bytes before it that are the same.
func (a *Aligner) addMatch(n, t, length int) {
	s, b, end := a.Text, a.Base.Text, 0
	if k := len(a.Matches) - 1; k >= 0 {
		last := &a.Matches[k]
		if end = last.At + last.Len; end == n && last.Base+last.Len == t {
			last.Len += length
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
	a.Matches = append(a.Matches, Match{n, t, length})
}

// spend counts what reading against the base costs more than reading without it, in bytes that
// could have been read for it. When that is too much, the rest is read without.
func (a *Aligner) charge(bytes int) {
	credit := baseCredit + a.progress/CreditShare
	if !a.MetadataRead {
		credit += metadataCredit
	}
	if a.Cost += bytes; a.Cost > credit && !a.Unlimited {
		a.GaveUp = true
	}
}

// reached notes that the text was read up to place i: the more of it, the more may be spent.
func (a *Aligner) Advance(i int) { a.progress = max(a.progress, i-a.Start) }

// token returns the place of the base's next token from place j on.
func (a *Aligner) nextBaseToken(j int) int {
	next := jsontext.NextToken(a.Base.Text, j)
	if next > j+4 {
		a.charge((next - j) / 2)
	}
	return next
}

const (
	// firstCredit and creditPart are what may be spent on a base in vain: so much, and one of
	// creditPart bytes read. Metadata differs more than the rest.
	baseCredit     = 400
	CreditShare    = 4
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
func (a *Aligner) BaseValue(start, end, value, j int) int {
	if a.GaveUp {
		return -1
	}
	t := a.Base.Text
	if value <= a.matchEnd {
		return jsontext.SkipSpace(t, value+a.offset)
	}
	a.Advance(start)
	for n := 0; n < lookAhead && !a.GaveUp; n++ {
		if j = a.nextBaseToken(j); j >= len(t) || t[j] != '"' {
			break
		}
		if strings.HasPrefix(t[j:], a.Text[start:end]) {
			a.sync(start, j)
			if value < a.matchEnd {
				return value + a.offset
			}
			v := a.nextBaseToken(j + end - start)
			a.sync(value, v)
			return v
		}
		nameEnd := jsontext.StringEnd(t, j)
		a.charge(syncCost + (nameEnd-j)/4)
		j = a.baseValueEnd(a.nextBaseToken(nameEnd))
	}
	return -1
}

// jump goes on from place i, which corresponds to place j of the base, to where the texts differ,
// or close to it: behind the last long container before that, or within the one that the difference
// is in. Both places are behind the opening bracket of an object or array, or behind one of its
// values; that of the base ends at e. So are those it returns, or behind its end.
func (a *Aligner) skipCommon(i, j, e, depth int) (end, behind int, err error) {
	differ := a.matchEnd + a.offset
	if differ-j < a.MinLength || i+a.offset != j {
		return i, j, nil
	}
	if differ >= e {
		a.takeExtents(j, e, -a.offset)
		return e - a.offset, e, nil
	}
	all, k := a.Base.Extents, a.extentFrom(j)
	behind = j
	for k < len(all) && int(all[k].To) <= differ {
		behind = int(all[k].To)
		for k++; k < len(all) && int(all[k].From) < behind; {
			k++
		}
	}
	a.takeExtents(j, behind, -a.offset)
	if a.nextExtent = k; k < len(all) && int(all[k].From) < differ {
		at := int(all[k].From)
		if end, behind, err = a.AlignedValue(at-a.offset, at, depth+1); behind < 0 {
			behind = int(all[k].To)
		}
		return end, behind, err
	}
	return behind - a.offset, behind, nil
}

// passed takes the extents that the base has from place v to e, which are so many bytes later in
// the text.
func (a *Aligner) takeExtents(v, e, later int) {
	a.Cost -= (e - v) / 4 // it would have taken that much to read it
	if !a.KeepExtents || v == e {
		return
	}
	all := a.Base.Extents
	for k := a.extentFrom(v); k < len(all) && int(all[k].From) < e; k++ {
		a.Extents = append(a.Extents,
			scan.Extent{
				From: uint32(int(all[k].From) + later), To: uint32(int(all[k].To) + later),
			})
	}
}
