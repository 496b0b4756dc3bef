package scan

import (
	"hash/maphash"
	"math/bits"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// name is the name of a member: where it is in the text, with its quotes, and its fingerprint.
type name struct {
	fingerprint uint64
	from, to    uint32
}

// fewNames is the largest number of names in an object that are compared one by one.
const fewNames = 32

// seed differs from process to process, so that nobody can write names that collide.
var seed = maphash.MakeSeed()

// multiplier is 2^64 divided by the golden ratio, which spreads the bits of a product.
const multiplier = 0x9e3779b97f4a7c15

// name checks the name at i and returns its end, or the place of an error, and its fingerprint.
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

// fingerprint returns the fingerprint of a name without quotes, in its canonical spelling. It is
// the one that Scanner.name computes on its way.
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

// AddName records the name s[from:to] of an object and looks for a duplicate. The names of the
// object begin at index first; seen is the set of them, and AddName returns it with the new name in
// it.
func (sc *Scanner) AddName(s string, first int, seen, print uint64, from, to int) uint64 {
	bit := uint64(1) << (print >> 58)
	if seen&bit != 0 {
		sc.findDuplicate(s, first, print, from, to)
	}
	sc.PushName(print, from, to)
	return seen | bit
}

// PushName records the name s[from:to] without comparing it.
func (sc *Scanner) PushName(print uint64, from, to int) {
	sc.Names = append(sc.Names, name{print, uint32(from), uint32(to)})
}

// findDuplicate looks for the name s[from:to] among the names of an object, if they are few.
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

// FindDuplicateOfFew looks for duplicates among the names from index first on, if they are few.
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

// equals reports whether the name is the same as the quoted one.
func (n *name) equals(s, quoted string) bool {
	own := s[n.from:n.to]
	return own == quoted || canonical(own[1:len(own)-1]) == canonical(quoted[1:len(quoted)-1])
}

// ReleaseNames releases the names of an object that ends, from index first on. If they are many, it
// looks for duplicates among them.
func (sc *Scanner) ReleaseNames(s string, first int) {
	if len(sc.Names)-first > fewNames && !sc.Duplicates {
		sc.findDuplicateOfMany(s, sc.Names[first:])
	}
	sc.Names = sc.Names[:first]
}

// findDuplicateOfMany looks for duplicates among many names.
func (sc *Scanner) findDuplicateOfMany(s string, names []name) {
	size := 1 << bits.Len(uint(2*len(names)))
	if size > cap(sc.table) {
		sc.table = make([]uint32, size)
	}
	table := sc.table[:size]
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

// MemberName checks the name of the member at i and the colon after it. It returns the name's end,
// or the place of an error, the place of the value, and the name's fingerprint.
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
