// Package gate notes what an informer has handed on to its subscriptions: of each object the
// version up to which it has, and which of the subscriptions that ask for it were refused that
// state by their conditions. With hundreds of subscriptions that is a bit for each of them, and for
// most events nothing but setting it. It is plain data: no lock, no channel, no goroutine.
//
//   - Another version of an object begins without any refusal; the same version keeps them.
//   - An object that has ended is forgotten, and its key is kept until 4,096 others have ended.
//   - A column that was left has no refusals when it is taken again.
package gate

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/informer/internal/diff"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Gate has a row for each object and a column for each subscription. A nil one notes nothing.
type Gate struct {
	rows     map[uint64]int // by the hashes of their objects' keys
	versions []uint64
	refused  []uint64 // words for each row
	words    int
	free     []int  // rows
	taken    []bool // columns
	current  int    // the row that was noted last, -1 if it has ended

	ended map[uint64]object.Key
	order []uint64 // of those that have ended, a ring
	next  int
}

// Column is one subscription's. A nil one notes nothing.
type Column struct {
	gate *Gate
	word int
	bit  uint64
}

// maxEnded is how many keys of ended objects are kept.
const maxEnded = 4096

// New returns a gate that has handed on what is stored, without columns.
func New(stored []*object.Object) *Gate {
	g := &Gate{rows: make(map[uint64]int, len(stored)), ended: map[uint64]object.Key{}, current: -1}
	for _, o := range stored {
		g.Note(o, false)
	}
	return g
}

// Join returns a column that nobody else has, without refusals.
func (g *Gate) Join() *Column {
	n := slices.Index(g.taken, false)
	if n < 0 {
		n = len(g.taken)
		g.taken = append(g.taken, false)
	}
	g.taken[n] = true
	if words := (len(g.taken) + 63) / 64; words > g.words {
		wider := make([]uint64, words*len(g.versions))
		for row := range g.versions {
			copy(wider[row*words:], g.refused[row*g.words:(row+1)*g.words])
		}
		g.refused, g.words = wider, words
	}
	return &Column{g, n / 64, 1 << (n % 64)}
}

// Leave frees the column, which must not be used any more.
func (c *Column) Leave() {
	if c == nil {
		return
	}
	for row := range c.gate.versions {
		*c.at(row) &^= c.bit
	}
	c.gate.taken[c.word*64+bits.TrailingZeros64(c.bit)] = false
}

// at returns the word of a row that has the column's bit.
func (c *Column) at(row int) *uint64 { return &c.gate.refused[row*c.gate.words+c.word] }

// Note notes that a state of an object, or its end, is being handed on. Refuse is about that one
// from here on.
func (g *Gate) Note(o *object.Object, ends bool) {
	if g == nil {
		return
	}
	hash, version := o.Key().Hash(), diff.ParseVersion(o.ResourceVersion())
	row, known := g.rows[hash]
	switch n := len(g.free); {
	case ends:
		if known {
			delete(g.rows, hash)
			g.free = append(g.free, row)
		}
		g.end(hash, o)
		return
	case known && g.versions[row] == version && version != 0:
		g.current = row
		return
	case known:
	case n > 0:
		row, g.free = g.free[n-1], g.free[:n-1]
		g.rows[hash] = row
	default:
		row = len(g.versions)
		g.versions = append(g.versions, 0)
		for range g.words {
			g.refused = append(g.refused, 0)
		}
		g.rows[hash] = row
	}
	g.versions[row], g.current = version, row
	clear(g.refused[row*g.words : (row+1)*g.words])
}

// end keeps the key of an object that has ended.
func (g *Gate) end(hash uint64, o *object.Object) {
	g.current = -1
	if _, known := g.ended[hash]; known {
		return
	}
	if len(g.order) < maxEnded {
		g.order = append(g.order, hash)
	} else {
		delete(g.ended, g.order[g.next])
		g.order[g.next] = hash
		g.next = (g.next + 1) % maxEnded
	}
	g.ended[hash] = object.Key{Namespace: strings.Clone(o.Namespace()),
		Name: strings.Clone(o.Name())}
}

// Refuse notes that the subscription does not get the state that was noted last.
func (c *Column) Refuse() {
	if c != nil && c.gate.current >= 0 {
		*c.at(c.gate.current) |= c.bit
	}
}

// RefuseOthers refuses the subscription all of the objects but those that are wanted, which are in
// the same order.
func (c *Column) RefuseOthers(all, wanted []*object.Object) {
	if c == nil {
		return
	}
	for _, o := range all {
		if len(wanted) > 0 && wanted[0] == o {
			wanted = wanted[1:]
			continue
		}
		c.gate.Note(o, false)
		c.Refuse()
	}
}

// Refused adds the versions that the subscription was refused, by the hashes of the objects' keys.
func (c *Column) Refused(to map[uint64]uint64) {
	if c == nil {
		return
	}
	for hash, row := range c.gate.rows {
		if *c.at(row)&c.bit != 0 {
			to[hash] = c.gate.versions[row]
		}
	}
}

// RefuseAll refuses the subscription all objects that are in these versions.
func (c *Column) RefuseAll(versions map[uint64]uint64) {
	if c == nil {
		return
	}
	for hash, version := range versions {
		if row, known := c.gate.rows[hash]; known && c.gate.versions[row] == version {
			*c.at(row) |= c.bit
		}
	}
}

// Passed is what an informer has handed on of an object.
type Passed struct {
	Version uint64 // up to which it has
	Refused bool   // by the subscription's conditions
	Known   bool   // else nothing of it was handed on, or it has ended
}

// Passed returns what was handed on of an object, by the hash of its key.
func (c *Column) Passed(hash uint64) (p Passed) {
	if c == nil {
		return p
	}
	row, known := c.gate.rows[hash]
	if !known {
		return p
	}
	return Passed{c.gate.versions[row], *c.at(row)&c.bit != 0, true}
}

// Ended returns the key of an object that has ended lately, by its hash.
func (c *Column) Ended(hash uint64) (key object.Key, known bool) {
	if c == nil {
		return key, false
	}
	key, known = c.gate.ended[hash]
	return key, known
}
