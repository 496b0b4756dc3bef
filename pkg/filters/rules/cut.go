package rules

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/pkg/informer/event"
)

// cutVersion is the version of the format of cuts. A [Saved] reads no other one.
//
//	version     byte
//	whole       bool: the state begins here, what was before does not count
//	number      of the last violation in the book
//	receivers   names, by their numbers in this cut; "" is a number that nobody has
//	rules       names and severities
//	objects     each a key, a uid, its records, and its debts; one without either is forgotten
//
// Rules are their places in the list of this cut, and sets of receivers are numbers, see
// [Receivers].
const cutVersion = 1

// Cut appends what has changed since the cut before, for [Saved.Apply], and returns the result.
// Nothing is appended if nothing has changed. The first cut of a book has everything, and so has
// the next one after Use; that of a restored book has what has changed since. The receivers are the
// names of those that the book has, by their numbers, "" for a number that nobody has. Cut holds
// the book up for a copy of what has changed, or of some hundred objects at a time. Call it neither
// twice at a time nor at the same time as Use.
func (b *Book) Cut(to []byte, receivers []string) []byte {
	c := cut{set: b.set.Load(), receivers: receivers}
	b.mu.Lock()
	if c.whole = b.changed == nil; c.whole {
		b.changed = map[event.Key]struct{}{}
	} else {
		b.copyChanged(&c)
		clear(b.changed)
	}
	b.mu.Unlock()
	if c.whole {
		b.copyAll(&c)
	}
	if !c.whole && len(c.objects) == 0 {
		return to
	}
	return c.append(to)
}

// Whole appends a cut that has everything. What Cut appends stays as it was, so that its cuts can
// follow those before this one as well as this one. Otherwise it is as Cut.
func (b *Book) Whole(to []byte, receivers []string) []byte {
	c := cut{set: b.set.Load(), receivers: receivers, whole: true}
	b.copyAll(&c)
	return c.append(to)
}

// mark notes that an object has changed. The key is the book's own. The caller holds mu.
func (b *Book) mark(key event.Key) {
	if b.changed != nil {
		b.changed[key] = struct{}{}
	}
}

// cut is a copy of what a cut has.
type cut struct {
	set       *ruleSet
	number    uint64
	receivers []string
	whole     bool
	objects   []objectText
	records   []record // of all objects, which have parts of it
	debts     []debt   // the same
	rules     map[*Rule]uint64
	inOrder   []*Rule
}

// copyAll copies all objects, some at a time. What changes meanwhile is marked, so that the next
// cut has it.
func (b *Book) copyAll(c *cut) {
	b.mu.Lock()
	keys := slices.AppendSeq(make([]event.Key, 0, len(b.objects)), maps.Keys(b.objects))
	c.number = b.number
	b.mu.Unlock()
	c.objects = make([]objectText, 0, len(keys))
	c.records = make([]record, 0, len(keys))
	for some := range slices.Chunk(keys, 256) {
		b.mu.Lock()
		for _, key := range some {
			if o := b.objects[key]; o != nil {
				c.add(o)
			}
		}
		c.number = b.number
		b.mu.Unlock()
	}
}

// copyChanged copies the objects that have changed. The caller holds mu.
func (b *Book) copyChanged(c *cut) {
	c.number = b.number
	for key := range b.changed {
		if o := b.objects[key]; o != nil {
			c.add(o)
		} else {
			c.objects = append(c.objects, objectText{key: key})
		}
	}
}

// add copies an object. What settling changes in place is not shared.
func (c *cut) add(o *objectText) {
	r, d := len(c.records), len(c.debts)
	c.records, c.debts = append(c.records, o.records...), append(c.debts, o.debts...)
	c.objects = append(c.objects, objectText{key: o.key, uid: o.uid,
		records: c.records[r:len(c.records):len(c.records)],
		debts:   c.debts[d:len(c.debts):len(c.debts)]})
}

// append appends the cut to bytes.
func (c *cut) append(b []byte) []byte {
	c.rules = map[*Rule]uint64{}
	for i := range c.records {
		c.note(c.told(&c.records[i]))
	}
	for i := range c.debts {
		c.note(c.debts[i].told)
	}
	b = codec.AppendBool(append(b, cutVersion), c.whole)
	b = codec.AppendUint(b, c.number)
	all := max(len(c.receivers), bits.Len64(uint64(c.set.receivers)))
	b = codec.AppendUint(b, uint64(all))
	for i := range all {
		name := ""
		if i < len(c.receivers) {
			name = c.receivers[i]
		}
		b = codec.AppendText(b, name)
	}
	b = codec.AppendUint(b, uint64(len(c.inOrder)))
	for _, r := range c.inOrder {
		b = codec.AppendText(codec.AppendText(b, r.name), r.severity)
	}
	b = codec.AppendUint(b, uint64(len(c.objects)))
	for i := range c.objects {
		b = c.appendObject(b, &c.objects[i])
	}
	return b
}

// told returns the rule as which a record is reported or, if it is pending, would be.
func (c *cut) told(r *record) *Rule {
	if r.violated {
		return r.told
	}
	return c.set.rules[r.rule]
}

func (c *cut) note(r *Rule) {
	if _, ok := c.rules[r]; !ok {
		c.rules[r] = uint64(len(c.inOrder))
		c.inOrder = append(c.inOrder, r)
	}
}

func (c *cut) appendObject(b []byte, o *objectText) []byte {
	b = codec.AppendText(codec.AppendText(b, o.key.Namespace), o.key.Name)
	b = codec.AppendText(b, o.uid)
	b = codec.AppendUint(b, uint64(len(o.records)))
	for i := range o.records {
		b = c.appendRecord(b, &o.records[i])
	}
	b = codec.AppendUint(b, uint64(len(o.debts)))
	for i := range o.debts {
		b = c.appendDebt(b, &o.debts[i])
	}
	return b
}

func (c *cut) appendRecord(b []byte, r *record) []byte {
	b = codec.AppendUint(b, c.rules[c.told(r)])
	b = codec.AppendTime(b, r.since)
	if b = codec.AppendBool(b, r.violated); !r.violated {
		return b
	}
	b = codec.AppendUint(b, r.number)
	b = codec.AppendTime(b, r.taken)
	b = codec.AppendText(b, r.message)
	b = appendReceivers(b, r.owes, r.flying, r.knows, r.doubt)
	return codec.AppendUint(b, uint64(r.repeats))
}

func (c *cut) appendDebt(b []byte, d *debt) []byte {
	b = codec.AppendUint(b, c.rules[d.told])
	b = codec.AppendTime(b, d.since)
	b = codec.AppendUint(b, d.number)
	b = codec.AppendText(b, d.uid)
	b = codec.AppendText(b, d.message)
	return appendReceivers(b, d.owes, d.flying, d.knows, d.doubt, d.ending)
}

func appendReceivers(b []byte, sets ...Receivers) []byte {
	for _, s := range sets {
		b = codec.AppendUint(b, uint64(s))
	}
	return b
}
