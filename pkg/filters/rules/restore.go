package rules

import (
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
	set := newRuleSet(rules, all)
	b := &Book{objects: make(map[event.Key]*objectText, len(s.objects)), counts: map[Count]int{},
		number: s.number, changed: map[event.Key]struct{}{}}
	b.set.Store(set)
	tables := map[*cutTable]*earlier{}
	for key, saved := range s.objects {
		of := tables[saved.of]
		if of == nil {
			of = newEarlier(saved.of, numbers)
			tables[saved.of] = of
		}
		o := &objectText{key: key, uid: saved.uid, records: saved.records, debts: saved.debts}
		of.move(o, now)
		set.adopt(o, of.set)
		set.name(o)
		b.objects[key] = o
		b.count(o, 1)
		b.forgetEmpty(o)
	}
	return b
}

// Recall returns a book that remembers what is saved as it was, and the names of its receivers by
// their numbers: with all rules and receivers that there were. A rule that some of the present ones
// have the name of is that one. The state can be neither restored nor recalled after that.
func (s *Saved) Recall(present []*Rule, now time.Time) (b *Book, receivers []string) {
	all := slices.Clone(present)
	for _, o := range s.objects {
		for _, name := range o.of.receivers {
			if name != "" && !slices.Contains(receivers, name) {
				receivers = append(receivers, name)
			}
		}
		for _, was := range o.of.rules {
			if !slices.ContainsFunc(all, func(r *Rule) bool { return r.name == was.name }) {
				all = append(all, was)
			}
		}
	}
	return Restore(all, receivers, s, now), receivers
}

// Keys returns the keys of all objects in the book, sorted.
func (b *Book) Keys() []event.Key {
	b.mu.Lock()
	keys := make([]event.Key, 0, len(b.objects))
	for key := range b.objects {
		keys = append(keys, key)
	}
	b.mu.Unlock()
	sortKeys(keys)
	return keys
}

// earlier is the rules and receivers of a cut, with the present numbers of those that there still
// are.
type earlier struct {
	set  *ruleSet
	now  [MaxReceivers]int // by the number in the cut; -1 for one that is gone
	size int
}

func newEarlier(t *cutTable, numbers map[string]int) *earlier {
	e := &earlier{size: len(t.receivers)}
	for i, name := range t.receivers {
		e.now[i] = -1
		if n, ok := numbers[name]; ok {
			e.now[i] = n
		}
	}
	e.set = newRuleSet(t.rules, e.present(t.all))
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
		r.doubt = (e.present(r.doubt) | flying) &^ knows
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
		d.flying, d.knows, d.doubt = 0, knows, (e.present(d.doubt)|flying)&^knows
	}
}

// name has what is reported as a rule of the present name and severity be reported as that.
func (s *ruleSet) name(o *objectText) {
	present := func(told *Rule) *Rule {
		if i, ok := s.number[told.name]; ok && s.rules[i].severity == told.severity {
			return s.rules[i]
		}
		return told
	}
	for i := range o.records {
		if r := &o.records[i]; r.told != nil {
			r.told = present(r.told)
		}
	}
	for i := range o.debts {
		o.debts[i].told = present(o.debts[i].told)
	}
}
