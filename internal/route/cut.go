package route

import (
	"slices"

	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/pkg/informer/event"
)

// cutVersion is the version of the format of cuts. A [Saved] reads no other one.
//
//	version   byte
//	whole     bool: the state begins here, what was before does not count
//	parts     each a kind, and what that says, up to partEnd
const cutVersion = 1

// part is a kind of part of a cut.
type part byte

const (
	partEnd     part = iota
	partWay          // number, output, whether it is retired, and a cut of its outbox, if any
	partGone         // the number of a way that has ended
	partRules        // a cut of the book
	partNoRules      // there is no book any more
	partMembers      // each a key and a memberCode
)

// Cut appends what has changed since the cut before, for [Saved.Apply], and returns the result: of
// outboxes first, then of the rules' book, then of what is remembered of objects. Nothing is
// appended if nothing has changed, or without Keep. The first cut has everything; that of a
// restored route has what has changed since. Call it neither twice at a time, nor at the same time
// as Whole, Use or Restore.
func (r *Route) Cut(to []byte, with delivery.AppendObject) []byte {
	p := r.pipeline.Load()
	if !r.keep || p == nil {
		return to
	}
	s, c := &r.cutting, newCut(to, false)
	r.outboxes.takeGone(s) // first: the list has none of them
	present := r.outboxes.list(s)
	for _, number := range s.gone {
		c.gone(number)
	}
	for i, w := range s.ways {
		retired := i >= present
		s.part = w.Cut(s.part[:0], with)
		if len(s.part) > 0 || retired && !w.cutRetired {
			c.way(w.number, w.Name(), retired, s.part)
		}
		w.cutRetired = retired
	}
	switch {
	case p.Rules != nil:
		if s.part = p.Rules.Cut(s.part[:0], p.receivers); len(s.part) > 0 {
			c.rules(s.part)
		}
		s.book = true
	case s.book:
		c.begin(partNoRules)
		s.book = false
	}
	s.members = r.members.takeChanged(s.members[:0])
	c.members(s.members)
	s.release()
	return c.end()
}

// Whole appends a cut that has everything. What Cut appends stays as it was, so that its cuts can
// follow those before this one as well as this one. Otherwise it is as Cut.
func (r *Route) Whole(to []byte, with delivery.AppendObject) []byte {
	p := r.pipeline.Load()
	if !r.keep || p == nil {
		return to
	}
	c, s := newCut(to, true), cutting{}
	for i, present := 0, r.outboxes.list(&s); i < len(s.ways); i++ {
		w := s.ways[i]
		s.part = w.Whole(s.part[:0], with)
		c.way(w.number, w.Name(), i >= present, s.part)
	}
	if p.Rules != nil {
		c.rules(p.Rules.Whole(s.part[:0], p.receivers))
	}
	c.members(r.members.all())
	return c.end()
}

// cutting is what cuts of a route know of each other, and their buffers. The zero value is ready.
type cutting struct {
	book bool // they have had one

	ways    []*way
	gone    []uint64
	part    []byte
	members []savedMember
}

// maxScratch is the size in bytes, or the number of elements, above which the buffer of a cut is
// not kept for the next one.
const maxScratch = 64 << 10

// release releases what the next cut does not need.
func (s *cutting) release() {
	clear(s.ways)
	clear(s.members)
	if cap(s.part) > maxScratch {
		s.part = nil
	}
	if cap(s.members) > maxScratch {
		s.members = nil
	}
}

// cut is the bytes of a cut.
type cut struct {
	bytes []byte
	empty int // the length of what it is appended to
	whole bool
}

func newCut(to []byte, whole bool) cut {
	c := cut{bytes: to, empty: len(to), whole: whole}
	if whole {
		c.head()
	}
	return c
}

func (c *cut) head() { c.bytes = codec.AppendBool(append(c.bytes, cutVersion), c.whole) }

// begin begins a part.
func (c *cut) begin(p part) {
	if len(c.bytes) == c.empty {
		c.head()
	}
	c.bytes = append(c.bytes, byte(p))
}

func (c *cut) way(number uint64, output string, retired bool, outbox []byte) {
	c.begin(partWay)
	c.bytes = codec.AppendText(codec.AppendUint(c.bytes, number), output)
	c.bytes = codec.AppendText(codec.AppendBool(c.bytes, retired), outbox)
}

func (c *cut) gone(number uint64) {
	c.begin(partGone)
	c.bytes = codec.AppendUint(c.bytes, number)
}

func (c *cut) rules(book []byte) {
	c.begin(partRules)
	c.bytes = codec.AppendText(c.bytes, book)
}

func (c *cut) members(all []savedMember) {
	if len(all) == 0 {
		return
	}
	c.begin(partMembers)
	slices.SortFunc(all, func(a, b savedMember) int { return compareKeys(a.key, b.key) })
	c.bytes = codec.AppendUint(c.bytes, uint64(len(all)))
	for _, m := range all {
		c.bytes = codec.AppendText(c.bytes, m.key.Namespace)
		c.bytes = append(codec.AppendText(c.bytes, m.key.Name), byte(m.code()))
	}
}

// end returns the bytes.
func (c *cut) end() []byte {
	if len(c.bytes) == c.empty {
		return c.bytes
	}
	return append(c.bytes, byte(partEnd))
}

// savedMember is what a cut has of an object.
type savedMember struct {
	key event.Key
	member
	remembered bool
}

// memberCode is what is remembered of an object, as a byte: 0 if it is forgotten, or else the
// failures of its select, and whether it is in, and 1.
type memberCode byte

const (
	memberRemembered memberCode = 1 << iota
	memberIn
	memberFailure // once; there may be several
)

func (m *savedMember) code() memberCode {
	if !m.remembered {
		return 0
	}
	code := memberRemembered + memberCode(m.failures)*memberFailure
	if m.in {
		code += memberIn
	}
	return code
}

// member returns what a code says, false if no object has it.
func (c memberCode) member() (m member, remembered, ok bool) {
	remembered = c&memberRemembered != 0
	m = member{in: c&memberIn != 0, failures: uint8(c / memberFailure)}
	return m, remembered, m.failures <= maxFailures && (remembered || c == 0)
}
