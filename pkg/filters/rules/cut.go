package rules

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	recorded "github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Part is the part of a listener's records that has a book: with no key its [savedBook], and for
// each object a [savedObject].
const Part = "rules"

// savedBook is what a book has apart from objects: the number of the last violation, and the names
// of the receivers by their numbers, "" for a number that nobody has.
type savedBook struct {
	_         struct{} `cbor:",toarray"`
	Number    uint64
	Receivers []string
}

// savedObject is what a book has of an object.
type savedObject struct {
	_       struct{} `cbor:",toarray"`
	UID     string
	Records []savedRecord
	Debts   []savedDebt
}

type savedRecord struct {
	_                               struct{} `cbor:",toarray"`
	Rule, Severity                  string
	Since                           time.Time
	Violated                        bool
	Number                          uint64
	Taken                           time.Time
	Message                         string
	Owes, Flying, Knows, MaybeKnows Receivers
	Repeats                         int
}

type savedDebt struct {
	_                                       struct{} `cbor:",toarray"`
	Rule, Severity                          string
	Since                                   time.Time
	Number                                  uint64
	UID, Message                            string
	Owes, Flying, Knows, MaybeKnows, Ending Receivers
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
}

// Cut writes the records that have changed since the cut before. The first cut of a book has
// everything, and so has the next one after Use; that of a restored book has what has changed
// since. The receivers are the names of those that the book has, by their numbers, "" for a number
// that nobody has. Cut holds the book up for a copy of what has changed, or of some hundred objects
// at a time. Call it neither twice at a time nor at the same time as Use.
func (b *Book) Cut(to recorded.Writer, receivers []string) {
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
	if c.whole || len(c.objects) > 0 {
		c.write(to)
	}
}

// Whole writes all records. What Cut writes stays as it was, so that its cuts can follow those
// before this one as well as this one. Otherwise it is as Cut.
func (b *Book) Whole(to recorded.Writer, receivers []string) {
	c := cut{set: b.set.Load(), receivers: receivers, whole: true}
	b.copyAll(&c)
	c.write(to)
}

// mark notes that an object has changed. The key is the book's own. The caller holds mu.
func (b *Book) mark(key event.Key) {
	if b.changed != nil {
		b.changed[key] = struct{}{}
	}
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

// write writes the cut.
func (c *cut) write(to recorded.Writer) {
	if c.whole {
		to.Clear(Part)
	}
	book := savedBook{Number: c.number,
		Receivers: make([]string, max(len(c.receivers), bits.Len64(uint64(c.set.receivers))))}
	copy(book.Receivers, c.receivers)
	to.Put(Part, event.Key{}, &book, nil)
	var saved savedObject
	for i := range c.objects {
		o := &c.objects[i]
		if len(o.records)+len(o.debts) == 0 {
			to.Delete(Part, o.key)
			continue
		}
		saved.UID, saved.Records, saved.Debts = o.uid, saved.Records[:0], saved.Debts[:0]
		for i := range o.records {
			saved.Records = append(saved.Records, c.saved(&o.records[i]))
		}
		for i := range o.debts {
			saved.Debts = append(saved.Debts, o.debts[i].saved())
		}
		to.Put(Part, o.key, &saved, nil)
	}
}

// saved returns a record with the rule as which it is reported or, if it is pending, would be.
func (c *cut) saved(r *record) savedRecord {
	rule := c.set.rules[r.rule]
	if r.violated {
		rule = r.reportedAs
	}
	return savedRecord{Rule: rule.name, Severity: rule.severity, Since: r.since,
		Violated: r.violated, Number: r.number, Taken: r.taken, Message: r.message,
		Owes: r.owes, Flying: r.flying, Knows: r.knows, MaybeKnows: r.maybeKnows, Repeats: r.repeats}
}

func (d *debt) saved() savedDebt {
	return savedDebt{Rule: d.reportedAs.name, Severity: d.reportedAs.severity, Since: d.since,
		Number: d.number, UID: d.uid, Message: d.message, Owes: d.owes, Flying: d.flying,
		Knows: d.knows, MaybeKnows: d.maybeKnows, Ending: d.ending}
}
