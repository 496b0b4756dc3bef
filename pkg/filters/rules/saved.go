package rules

import (
	"errors"
	"fmt"
	"slices"

	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/pkg/informer/event"
)

// ErrVersion is the error of a cut that another version of informerd has made.
var ErrVersion = errors.New("this informerd cannot read the format of the rules' state")

// ErrDamaged is the error of bytes that are not a cut.
var ErrDamaged = errors.New("the rules' state is damaged")

// Saved is what a [Book] remembers, as its cuts have it. The zero value is that of an empty book.
type Saved struct {
	number  uint64
	objects map[event.Key]*savedObject
}

// savedObject is what a cut has of an object. Rules and receivers are those of the cut.
type savedObject struct {
	objectText
	of *cutTable
}

// cutTable is what the numbers in a cut stand for.
type cutTable struct {
	receivers []string
	rules     []*Rule // names and severities only
	all       Receivers
}

// Len returns how many objects have a state.
func (s *Saved) Len() int { return len(s.objects) }

// Open returns how many violations are open.
func (s *Saved) Open() (n int) {
	for _, o := range s.objects {
		for i := range o.records {
			if o.records[i].violated {
				n++
			}
		}
	}
	return n
}

// Apply adds a cut. Those of a book are added in their order, beginning with its first one or one
// that [Book.Whole] has made. The error is [ErrVersion] or [ErrDamaged]; then the state is as it
// was.
func (s *Saved) Apply(cut []byte) error {
	r := codec.NewReader(cut)
	if version := r.Byte(); len(cut) > 0 && version != cutVersion {
		return fmt.Errorf("%w: it has version %d, and version %d is known", ErrVersion, version,
			cutVersion)
	}
	whole, number := r.Bool(), r.Uint()
	table := readTable(r)
	n := r.Count()
	objects := make([]*savedObject, 0, n)
	for range n {
		objects = append(objects, readObject(r, table))
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if whole || s.objects == nil {
		s.objects = make(map[event.Key]*savedObject, len(objects))
	}
	s.number = number
	for _, o := range objects {
		if len(o.records) == 0 && len(o.debts) == 0 {
			delete(s.objects, o.key)
		} else {
			s.objects[o.key] = o
		}
	}
	return nil
}

func readTable(r *codec.Reader) *cutTable {
	t := &cutTable{}
	n := r.Count()
	if n > MaxReceivers {
		r.Fail(codec.ErrDamaged)
		return t
	}
	for i := range n {
		name := r.Text()
		if name != "" && slices.Contains(t.receivers, name) {
			r.Fail(codec.ErrDamaged)
		}
		t.receivers = append(t.receivers, name)
		t.all = t.all.With(i)
	}
	for range r.Count() {
		t.rules = append(t.rules, &Rule{name: r.Text(), severity: r.Text()})
	}
	return t
}

// reading reads the parts of an object.
type reading struct {
	*codec.Reader
	table *cutTable
}

func readObject(from *codec.Reader, t *cutTable) *savedObject {
	r := reading{from, t}
	o := &savedObject{of: t}
	o.key = event.Key{Namespace: r.Text(), Name: r.Text()}
	o.uid = r.Text()
	for range r.Count() {
		rec := r.record()
		if r.Err() != nil {
			return o
		}
		name := t.rules[rec.rule].name
		if slices.ContainsFunc(o.records, func(other record) bool {
			return t.rules[other.rule].name == name
		}) || rec.violated && o.has(rec.number) {
			r.Fail(codec.ErrDamaged)
		}
		o.records = append(o.records, rec)
	}
	for range r.Count() {
		d := r.debt()
		if o.has(d.number) {
			r.Fail(codec.ErrDamaged)
		}
		o.debts = append(o.debts, d)
	}
	return o
}

// has reports whether a violation of the object has a number.
func (o *savedObject) has(number uint64) bool {
	return slices.ContainsFunc(o.records, func(r record) bool {
		return r.violated && r.number == number
	}) || slices.ContainsFunc(o.debts, func(d debt) bool { return d.number == number })
}

// rule reads a rule's place in the table.
func (r reading) rule() int {
	n := r.Uint()
	if n >= uint64(len(r.table.rules)) {
		r.Fail(codec.ErrDamaged)
		return 0
	}
	return int(n)
}

func (r reading) receivers() Receivers {
	set := Receivers(r.Uint())
	if set&^r.table.all != 0 {
		r.Fail(codec.ErrDamaged)
	}
	return set
}

func (r reading) record() record {
	rec := record{rule: r.rule(), since: r.Time()}
	if rec.violated = r.Bool(); r.Err() != nil || !rec.violated {
		return rec
	}
	rec.told = r.table.rules[rec.rule]
	rec.number, rec.taken, rec.message = r.Uint(), r.Time(), r.Text()
	rec.owes, rec.flying, rec.knows = r.receivers(), r.receivers(), r.receivers()
	rec.doubt, rec.repeats = r.receivers(), r.Small()
	return rec
}

func (r reading) debt() (d debt) {
	rule := r.rule()
	d.since, d.number, d.uid, d.message = r.Time(), r.Uint(), r.Text(), r.Text()
	d.owes, d.flying, d.knows = r.receivers(), r.receivers(), r.receivers()
	d.doubt, d.ending = r.receivers(), r.receivers()
	if r.Err() == nil {
		d.told = r.table.rules[rule]
	}
	return d
}
