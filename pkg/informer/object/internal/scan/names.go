package scan

import (
	"hash/maphash"
	"math/bits"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// This file finds out whether an object has a name twice. Each name has a fingerprint, cheap enough
// to be made of the words that were read to find the name's end; names with the same one are
// compared. Of an object with many names, a table does that when the object ends: comparing each
// with each would take the square of their number.

// name is a member's name as it was read, quotes included.
type name struct {
	fingerprint uint64
	from, to    uint32
}

// fewNames is up to how many names of an object are compared one by one.
const fewNames = 32

// nameSeed differs from process to process, so that nobody can write names which collide.
var seed = maphash.MakeSeed()

const multiplier = 0x9e3779b97f4a7c15 // its bits are as if at random

// name reads the name at i. end is behind its closing quote, or where an error is.
func (sc *Scanner) name(s string, i int) (end int, print uint64, err error) {
	if i >= len(s) || s[i] != '"' {
		return i, 0, Unexpected(s, i, "a member name")
	}
	for end = i + 1; end+8 <= len(s); end += 8 {
		w := jsontext.Word(s, end)
		x := jsontext.SpecialsOrNonASCII(w)
		if x == 0 {
			print = (print ^ w) * multiplier
			continue
		}
		x &= -x
		if end += bits.TrailingZeros64(x) / 8; s[end] != '"' {
			break
		}
		print = (print ^ w&(x>>7-1)) * multiplier
		return end + 1, print ^ print>>32, nil
	}
	if end, err = sc.restOfString(s, end); err != nil || sc.IgnoreNames {
		return end, 0, err
	}
	return end, fingerprint(canonical(s[i+1 : end-1])), nil
}

// fingerprint returns that of a name, given without quotes and in its canonical spelling. It is the
// one that name makes.
func fingerprint(s string) (print uint64) {
	for ; len(s) >= 8; s = s[8:] {
		print = (print ^ jsontext.Word(s, 0)) * multiplier
	}
	var w uint64
	for i := range len(s) {
		w |= uint64(s[i]) << (8 * i)
	}
	print = (print ^ w) * multiplier
	return print ^ print>>32
}

// note adds a name to those of an object, whose names begin at first, and to the set of those seen.
func (sc *Scanner) AddName(s string, first int, seen, print uint64, from, to int) uint64 {
	bit := uint64(1) << (print >> 58)
	if seen&bit != 0 {
		sc.findDuplicate(s, first, print, from, to)
	}
	sc.PushName(print, from, to)
	return seen | bit
}

func (sc *Scanner) PushName(print uint64, from, to int) {
	sc.Names = append(sc.Names, name{print, uint32(from), uint32(to)})
}

// compare looks whether an object, if its names are few so far, has the name s[from:to].
func (sc *Scanner) findDuplicate(s string, first int, print uint64, from, to int) {
	names := sc.Names[first:]
	if len(names) > fewNames {
		return
	}
	for i := range names {
		if n := &names[i]; n.fingerprint == print && n.equals(s, s[from:to]) {
			sc.Duplicates = true
		}
	}
}

// compareFew looks whether an object whose names are few has two that are equal.
func (sc *Scanner) FindDuplicateOfFew(s string, first int) {
	names := sc.Names[first:]
	if len(names) > fewNames {
		return
	}
	var seen uint64
	for i := range names {
		n := &names[i]
		bit := uint64(1) << (n.fingerprint >> 58)
		if seen&bit != 0 {
			sc.Names = sc.Names[:first+i]
			sc.findDuplicate(s, first, n.fingerprint, int(n.from), int(n.to))
			sc.Names = sc.Names[:first+len(names)]
		}
		seen |= bit
	}
}

// equals reports whether the name is the quoted one.
func (n *name) equals(s, quoted string) bool {
	own := s[n.from:n.to]
	return own == quoted || canonical(own[1:len(own)-1]) == canonical(quoted[1:len(quoted)-1])
}

// leave forgets the names of an object that has been read.
func (sc *Scanner) ReleaseNames(s string, first int) {
	if len(sc.Names)-first > fewNames && !sc.Duplicates {
		sc.findDuplicateOfMany(s, sc.Names[first:])
	}
	sc.Names = sc.Names[:first]
}

// compareAll looks whether two of many names are equal.
func (sc *Scanner) findDuplicateOfMany(s string, names []name) {
	size := 1 << bits.Len(uint(2*len(names)))
	if size > cap(sc.Table) {
		sc.Table = make([]uint32, size)
	}
	table := sc.Table[:size]
	clear(table)
	for i := range names {
		n := &names[i]
		inner := canonical(s[n.from+1 : n.to-1])
		at := maphash.String(seed, inner) & uint64(size-1)
		for ; table[at] != 0; at = (at + 1) & uint64(size-1) {
			if other := &names[table[at]-1]; other.fingerprint == n.fingerprint &&
				other.equals(s, s[n.from:n.to]) {
				sc.Duplicates = true
				return
			}
		}
		table[at] = uint32(i + 1)
	}
}

// memberName reads a member's name and the colon: end is behind the name, or where an error is, and
// value where the value begins.
func (sc *Scanner) MemberName(s string, i int) (end, value int, print uint64, err error) {
	if end, print, err = sc.name(s, i); err != nil {
		return end, end, 0, err
	}
	i = jsontext.SkipSpace(s, end)
	if i >= len(s) || s[i] != ':' {
		return i, i, 0, Unexpected(s, i, "':'")
	}
	return end, jsontext.SkipSpace(s, i+1), print, nil
}
