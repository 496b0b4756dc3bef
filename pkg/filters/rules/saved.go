package rules

import (
	"fmt"
	"slices"

	recorded "github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Saved is what a [Book] remembers, as its records have it.
type Saved struct {
	number    uint64
	receivers []string // names, by their numbers
	rules     []*Rule  // names and severities only
	objects   map[event.Key]*objectText
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

// Receivers returns the names of the receivers, in their order.
func (s *Saved) Receivers() []string { return slices.Clone(s.receivers) }

// ReadSaved reads the records of the [Part] that a book has written, nil if there is no book.
func ReadSaved(records map[event.Key]recorded.Record) (*Saved, error) {
	r, err := newReading(records)
	if r == nil || err != nil {
		return nil, err
	}
	for key, rec := range records {
		if key == (event.Key{}) {
			continue
		}
		o, err := r.object(key, rec)
		if err != nil {
			return nil, fmt.Errorf("the rules' state of %v is damaged: %w", key, err)
		}
		r.objects[key] = o
	}
	return &r.Saved, nil
}

// reading reads the records of a book.
type reading struct {
	Saved
	places map[[2]string]int // of rules, by name and severity
	all    Receivers
}

func newReading(records map[event.Key]recorded.Record) (*reading, error) {
	head, has := records[event.Key{}]
	if !has && len(records) == 0 {
		return nil, nil
	}
	var book savedBook
	err := head.Decode(&book)
	r := &reading{Saved: Saved{number: book.Number, receivers: book.Receivers,
		objects: make(map[event.Key]*objectText, len(records))}, places: map[[2]string]int{}}
	for i, name := range book.Receivers {
		if i >= MaxReceivers || name != "" && slices.Contains(book.Receivers[:i], name) {
			err = recorded.ErrDamaged
			break
		}
		r.all = r.all.With(i)
	}
	if err != nil {
		return nil, fmt.Errorf("the rules' state is damaged: %w", err)
	}
	return r, nil
}

func (r *reading) object(key event.Key, from recorded.Record) (*objectText, error) {
	var s savedObject
	if err := from.Decode(&s); err != nil {
		return nil, err
	}
	o := &objectText{key: key, uid: s.UID}
	for i := range s.Records {
		rec, err := r.record(&s.Records[i])
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(o.records, func(other record) bool {
			return r.rules[other.rule].name == s.Records[i].Rule
		}) || rec.violated && o.has(rec.number) {
			return nil, recorded.ErrDamaged
		}
		o.records = append(o.records, rec)
	}
	for i := range s.Debts {
		d := &s.Debts[i]
		if (d.Owes|d.Flying|d.Knows|d.MaybeKnows|d.Ending)&^r.all != 0 || o.has(d.Number) {
			return nil, recorded.ErrDamaged
		}
		o.debts = append(o.debts, debt{number: d.Number, reportedAs: r.rules[r.rule(d.Rule, d.Severity)],
			uid: d.UID, since: d.Since, message: d.Message, owes: d.Owes, flying: d.Flying,
			knows: d.Knows, maybeKnows: d.MaybeKnows, ending: d.Ending})
	}
	if len(o.records)+len(o.debts) == 0 {
		return nil, recorded.ErrDamaged
	}
	return o, nil
}

// has reports whether a record of the object has a number.
func (o *objectText) has(number uint64) bool {
	return slices.ContainsFunc(o.records, func(r record) bool {
		return r.violated && r.number == number
	}) || slices.ContainsFunc(o.debts, func(d debt) bool { return d.number == number })
}

// rule returns the place of a rule, which it adds.
func (r *reading) rule(name, severity string) int {
	at, has := r.places[[2]string{name, severity}]
	if !has {
		at = len(r.rules)
		r.rules = append(r.rules, &Rule{name: name, severity: severity})
		r.places[[2]string{name, severity}] = at
	}
	return at
}

func (r *reading) record(s *savedRecord) (record, error) {
	rec := record{rule: r.rule(s.Rule, s.Severity), since: s.Since, violated: s.Violated}
	if !s.Violated {
		return rec, nil
	}
	if (s.Owes|s.Flying|s.Knows|s.MaybeKnows)&^r.all != 0 || s.Repeats < 0 {
		return rec, recorded.ErrDamaged
	}
	rec.reportedAs = r.rules[rec.rule]
	rec.number, rec.taken, rec.message = s.Number, s.Taken, s.Message
	rec.owes, rec.flying, rec.knows, rec.maybeKnows = s.Owes, s.Flying, s.Knows, s.MaybeKnows
	rec.repeats = s.Repeats
	return rec, nil
}
