package rules

import (
	"maps"
	"slices"
)

// Append appends a cut that has all of the state, as [Book.Whole] of the book that it is the state
// of does.
func (s *Saved) Append(to []byte) []byte {
	a := appending{cut: cut{set: &ruleSet{}, number: s.number, whole: true},
		rules: map[ruleName]int{}, tables: map[*cutTable]*renumbered{}}
	keys := slices.SortedFunc(maps.Keys(s.objects), compareKeys)
	for _, key := range keys {
		if of := s.objects[key].of; a.tables[of] == nil {
			a.tables[of] = a.renumber(of)
		}
	}
	for _, key := range keys {
		a.add(s.objects[key])
	}
	return a.cut.append(to)
}

// appending makes one cut of objects from several.
type appending struct {
	cut    cut
	rules  map[ruleName]int // the places in the cut's set
	tables map[*cutTable]*renumbered
}

// ruleName is what a cut has of a rule.
type ruleName struct{ name, severity string }

// renumbered is the rules and receivers of a cut, as the new one has them.
type renumbered struct {
	rules     []int
	receivers earlier
}

// add adds an object. What it has is not changed.
func (a *appending) add(o *savedObject) {
	table := a.tables[o.of]
	present := table.receivers.present
	var all Receivers
	for n := range a.cut.receivers {
		all = all.With(n)
	}
	a.cut.add(&o.objectText)
	added := &a.cut.objects[len(a.cut.objects)-1]
	for i := range added.records {
		r := &added.records[i]
		if r.rule = table.rules[r.rule]; r.violated {
			r.told = a.cut.set.rules[r.rule]
		}
		r.owes, r.flying = present(r.owes), present(r.flying)
		r.knows, r.doubt = present(r.knows), present(r.doubt)
		if r.violated { // whom the object's cut does not have has not heard of it
			r.owes |= all &^ table.receivers.set.receivers
		}
	}
	for i := range added.debts {
		d := &added.debts[i]
		d.told = a.cut.set.rules[a.rule(d.told)]
		d.owes, d.ending, d.flying = present(d.owes), present(d.ending), present(d.flying)
		d.knows, d.doubt = present(d.knows), present(d.doubt)
	}
}

// renumber returns the numbers of a cut's rules and receivers in the new one.
func (a *appending) renumber(t *cutTable) *renumbered {
	numbers := map[string]int{}
	for _, name := range t.receivers {
		n := slices.Index(a.cut.receivers, name)
		if n < 0 && name != "" && len(a.cut.receivers) < MaxReceivers {
			n = len(a.cut.receivers)
			a.cut.receivers = append(a.cut.receivers, name)
		}
		if n >= 0 {
			numbers[name] = n
		}
	}
	to := &renumbered{receivers: *newEarlier(t, numbers)}
	for _, r := range t.rules {
		to.rules = append(to.rules, a.rule(r))
	}
	return to
}

// rule returns the place of a rule of its name and severity in the cut's set.
func (a *appending) rule(r *Rule) int {
	name := ruleName{r.name, r.severity}
	n, ok := a.rules[name]
	if !ok {
		n = len(a.cut.set.rules)
		a.rules[name] = n
		a.cut.set.rules = append(a.cut.set.rules, r)
	}
	return n
}
