package object

import (
	"hash/maphash"
	"math/bits"
)

// This file finds out whether an object has a name twice. Each name has a fingerprint, cheap enough
// to be made of the words that were read to find the name's end; names with the same one are
// compared. Of an object with many names, a table does that when the object ends: comparing each
// with each would take the square of their number.

// name is a member's name as it was read, quotes included.
type name struct {
	print    uint64
	from, to uint32
}

// fewNames is up to how many names of an object are compared one by one.
const fewNames = 32

// nameSeed differs from process to process, so that nobody can write names which collide.
var nameSeed = maphash.MakeSeed()

const odd = 0x9e3779b97f4a7c15 // its bits are as if at random

// name reads the name at i. end is behind its closing quote, or where an error is.
func (c *checker) name(s string, i int) (end int, print uint64, err error) {
	if i >= len(s) || s[i] != '"' {
		return i, 0, syntaxErr(s, i, "a member name")
	}
	for end = i + 1; end+8 <= len(s); end += 8 {
		w := word(s, end)
		x := unusual(w)
		if x == 0 {
			print = (print ^ w) * odd
			continue
		}
		x &= -x
		if end += bits.TrailingZeros64(x) / 8; s[end] != '"' {
			break
		}
		print = (print ^ w&(x>>7-1)) * odd
		return end + 1, print ^ print>>32, nil
	}
	if end, err = c.restOfString(s, end); err != nil || c.lax {
		return end, 0, err
	}
	return end, fingerprint(canonical(s[i+1 : end-1])), nil
}

// fingerprint returns that of a name, given without quotes and in its canonical spelling. It is the
// one that name makes.
func fingerprint(s string) (print uint64) {
	for ; len(s) >= 8; s = s[8:] {
		print = (print ^ word(s, 0)) * odd
	}
	var w uint64
	for i := range len(s) {
		w |= uint64(s[i]) << (8 * i)
	}
	print = (print ^ w) * odd
	return print ^ print>>32
}

// note adds a name to those of an object, whose names begin at first, and to the set of those seen.
func (c *checker) note(s string, first int, seen, print uint64, from, to int) uint64 {
	bit := uint64(1) << (print >> 58)
	if seen&bit != 0 {
		c.compare(s, first, print, from, to)
	}
	c.push(print, from, to)
	return seen | bit
}

func (c *checker) push(print uint64, from, to int) {
	c.names = append(c.names, name{print, uint32(from), uint32(to)})
}

// compare looks whether an object, if its names are few so far, has the name s[from:to].
func (c *checker) compare(s string, first int, print uint64, from, to int) {
	names := c.names[first:]
	if len(names) > fewNames {
		return
	}
	for i := range names {
		if n := &names[i]; n.print == print && n.equals(s, s[from:to]) {
			c.twice = true
		}
	}
}

// compareFew looks whether an object whose names are few has two that are equal.
func (c *checker) compareFew(s string, first int) {
	names := c.names[first:]
	if len(names) > fewNames {
		return
	}
	var seen uint64
	for i := range names {
		n := &names[i]
		bit := uint64(1) << (n.print >> 58)
		if seen&bit != 0 {
			c.names = c.names[:first+i]
			c.compare(s, first, n.print, int(n.from), int(n.to))
			c.names = c.names[:first+len(names)]
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
func (c *checker) leave(s string, first int) {
	if len(c.names)-first > fewNames && !c.twice {
		c.compareAll(s, c.names[first:])
	}
	c.names = c.names[:first]
}

// compareAll looks whether two of many names are equal.
func (c *checker) compareAll(s string, names []name) {
	size := 1 << bits.Len(uint(2*len(names)))
	if size > cap(c.table) {
		c.table = make([]uint32, size)
	}
	table := c.table[:size]
	clear(table)
	for i := range names {
		n := &names[i]
		inner := canonical(s[n.from+1 : n.to-1])
		at := maphash.String(nameSeed, inner) & uint64(size-1)
		for ; table[at] != 0; at = (at + 1) & uint64(size-1) {
			if other := &names[table[at]-1]; other.print == n.print &&
				other.equals(s, s[n.from:n.to]) {
				c.twice = true
				return
			}
		}
		table[at] = uint32(i + 1)
	}
}

// memberName reads a member's name and the colon: end is behind the name, or where an error is, and
// value where the value begins.
func (c *checker) memberName(s string, i int) (end, value int, print uint64, err error) {
	if end, print, err = c.name(s, i); err != nil {
		return end, end, 0, err
	}
	i = skipSpace(s, end)
	if i >= len(s) || s[i] != ':' {
		return i, i, 0, syntaxErr(s, i, "':'")
	}
	return end, skipSpace(s, i+1), print, nil
}
