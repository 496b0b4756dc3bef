package rules

import (
	"cmp"
	"slices"
)

// ruleSet is what a book's objects are judged by. It is immutable.
type ruleSet struct {
	rules     []*Rule
	number    map[string]int // by name, the index in rules
	receivers Receivers      // all of them
}

func newRuleSet(rules []*Rule, receivers Receivers) *ruleSet {
	s := &ruleSet{rules: slices.Clone(rules), receivers: receivers, number: map[string]int{}}
	for i, r := range s.rules {
		s.number[r.name] = i
	}
	return s
}

// Use replaces the rules and the receivers of the book. A rule of the same name keeps its states,
// and the next evaluation of each object judges them; violations of a rule that is gone end. The
// receivers keep their numbers. What is on its way stays so, but a receiver that is gone is
// forgotten, and must settle nothing any more; a new one is owed what is violated. Evaluators go on
// with the new rules. Use a number again only when nothing is on its way to the one that had it.
func (b *Book) Use(rules []*Rule, receivers Receivers) {
	next := newRuleSet(rules, receivers)
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.set.Load()
	b.set.Store(next)
	b.changed = nil // numbers of receivers may mean others
	clear(b.counts)
	b.open = 0
	for _, o := range b.objects {
		next.adopt(o, old)
		b.count(o, 1)
		b.forgetEmpty(o)
	}
}

// adopt makes what is remembered of an object fit the rules and receivers.
func (s *ruleSet) adopt(o *objectText, old *ruleSet) {
	records, debts := make([]record, 0, len(o.records)), slices.Clone(o.debts)
	for _, rec := range o.records {
		rule, stays := s.number[old.rules[rec.rule].name]
		if !stays {
			if d, owed := rec.debt(o.uid); owed {
				debts = append(debts, d)
			}
			continue
		}
		rec.rule = rule
		rec.owes, rec.flying = rec.owes&s.receivers, rec.flying&s.receivers
		rec.knows, rec.maybeKnows = rec.knows&s.receivers, rec.maybeKnows&s.receivers
		if rec.violated {
			rec.owes |= s.receivers &^ old.receivers
		}
		if rec.knows|rec.flying|rec.maybeKnows == 0 {
			rec.reportedAs = s.rules[rule]
		}
		records = append(records, rec)
	}
	slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.rule, b.rule) })
	for i := range debts {
		debts[i].forget(^s.receivers)
	}
	o.records = records
	o.debts = slices.DeleteFunc(debts, func(d debt) bool { return d.open() == 0 })
}
