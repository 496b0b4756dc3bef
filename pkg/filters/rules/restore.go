package rules

import (
	"maps"
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Restore returns a book that goes on where its cuts ended. Its rules and receivers are the present
// ones, the receivers by their names as in [Book.Cut]: what the cuts have of others ends or is
// forgotten, as with [Book.Use], and a new receiver is owed what is violated. What was on its way
// is owed again. Saved must not be used afterwards. Evaluate each object of [Book.Keys] next:
// nobody else asks for them when a For or Repeat has run out.
func Restore(rules []*Rule, receivers []string, s *Saved, now time.Time) *Book {
	var all Receivers
	numbers := make(map[string]int, len(receivers))
	for i, name := range receivers {
		if name != "" {
			numbers[name] = i
			all = all.With(i)
		}
	}
	set, of := newRuleSet(rules, all), newEarlier(s, numbers)
	b := &Book{objects: s.objects, counts: map[Count]int{}, number: s.number}
	if slices.Equal(receivers, s.receivers) { // else the numbers mean others
		b.changed = map[event.Key]struct{}{}
	}
	b.set.Store(set)
	for _, o := range b.objects {
		of.move(o, now)
		set.adopt(o, of.set)
		set.name(o)
		b.count(o, 1)
		b.forgetEmpty(o)
	}
	if b.objects == nil {
		b.objects = map[event.Key]*objectText{}
	}
	return b
}

// Keys returns the keys of all objects in the book, sorted.
func (b *Book) Keys() []event.Key {
	b.mu.Lock()
	keys := slices.Collect(maps.Keys(b.objects))
	b.mu.Unlock()
	slices.SortFunc(keys, event.Key.Compare)
	return keys
}

// earlier is the rules and receivers of a cut, with the present numbers of those that there still
// are.
type earlier struct {
	set  *ruleSet
	now  [MaxReceivers]int // by the number in the cut; -1 for one that is gone
	size int
}

func newEarlier(s *Saved, numbers map[string]int) *earlier {
	e, all := &earlier{size: len(s.receivers)}, Receivers(0)
	for i, name := range s.receivers {
		e.now[i] = -1
		if n, ok := numbers[name]; ok {
			e.now[i] = n
		}
		all = all.With(i)
	}
	e.set = newRuleSet(s.rules, e.present(all))
	return e
}

// present returns the receivers of a set that there still are, by their present numbers.
func (e *earlier) present(these Receivers) (now Receivers) {
	for i := range e.size {
		if these.Has(i) && e.now[i] >= 0 {
			now = now.With(e.now[i])
		}
	}
	return now
}

// move makes what a cut has of an object fit the present receivers, and the clock: a time to come
// is now, so that a clock that was set back delays nothing for longer than the rule says. What was
// on its way is not any more.
func (e *earlier) move(o *objectText, now time.Time) {
	for i := range o.records {
		r := &o.records[i]
		owes, flying, knows := e.present(r.owes), e.present(r.flying), e.present(r.knows)
		r.owes, r.flying, r.knows = owes|flying, 0, knows
		r.maybeKnows = (e.present(r.maybeKnows) | flying) &^ knows
		if !r.violated && r.since.After(now) {
			r.since = now
		}
		if r.taken.After(now) {
			r.taken = now
		}
	}
	for i := range o.debts {
		d := &o.debts[i]
		flying, knows := e.present(d.flying), e.present(d.knows)
		d.owes, d.ending = e.present(d.owes)|e.present(d.ending), 0
		d.flying, d.knows, d.maybeKnows = 0, knows, (e.present(d.maybeKnows)|flying)&^knows
	}
}

// name has what is reported as a rule of the present name and severity be reported as that.
func (s *ruleSet) name(o *objectText) {
	present := func(r *Rule) *Rule {
		if i, ok := s.number[r.name]; ok && s.rules[i].severity == r.severity {
			return s.rules[i]
		}
		return r
	}
	for i := range o.records {
		if r := &o.records[i]; r.reportedAs != nil {
			r.reportedAs = present(r.reportedAs)
		}
	}
	for i := range o.debts {
		o.debts[i].reportedAs = present(o.debts[i].reportedAs)
	}
}
