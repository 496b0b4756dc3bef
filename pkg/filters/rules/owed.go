package rules

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Owed returns the reports about an object that are owed to a receiver and not on their way, in
// the order of an [Outcome]: To is that receiver alone. If the uid is not that of the object that
// was evaluated last, the reports about that one are left out: they go with its own events.
func (b *Book) Owed(key event.Key, uid string, receiver int) []Transition {
	var owed []Transition
	for _, t := range b.owedWith(key, uid) {
		if t.To.Has(receiver) {
			t.To = Receivers(0).With(receiver)
			owed = append(owed, t)
		}
	}
	return owed
}

// owedWith is Owed for all receivers.
func (b *Book) owedWith(key event.Key, uid string) []Transition {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.objects[key]
	if o == nil {
		return nil
	}
	owed := b.set.Load().owed(nil, o.uid, o.records, o.debts)
	return slices.DeleteFunc(owed, func(t Transition) bool {
		return o.uid != uid && o.uid == t.UID
	})
}

// Owe makes a violation owed to a receiver again, as if the receiver had not refused it, and
// returns true. It returns false, and does nothing, if that violation of that object has ended, or
// if the receiver knows of it or a report of it is on its way.
func (b *Book) Owe(key event.Key, rule, uid string, since time.Time, receiver int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, set := b.objects[key], b.set.Load()
	if o == nil || o.uid != uid || !set.receivers.Has(receiver) {
		return false
	}
	i := slices.IndexFunc(o.records, func(r record) bool {
		return r.violated && set.rules[r.rule].name == rule && r.since.Equal(since)
	})
	if i < 0 || (o.records[i].knows | o.records[i].flying).Has(receiver) {
		return false
	}
	o.records[i].owes = o.records[i].owes.With(receiver)
	b.mark(o.key)
	return true
}

// Unreported returns the keys of the objects of which a report is owed to a receiver and not on its
// way, sorted. Its cost depends on the number of all objects in the book.
func (b *Book) Unreported(receiver int) []event.Key {
	b.mu.Lock()
	var keys []event.Key
	for key, o := range b.objects {
		if slices.ContainsFunc(o.records, func(r record) bool { return r.owes.Has(receiver) }) ||
			slices.ContainsFunc(o.debts, func(d debt) bool {
				return (d.owes | d.again()).Has(receiver)
			}) {
			keys = append(keys, key)
		}
	}
	b.mu.Unlock()
	sortKeys(keys)
	return keys
}

func sortKeys(keys []event.Key) {
	slices.SortFunc(keys, compareKeys)
}

func compareKeys(a, b event.Key) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

// owed appends the reports that are owed of an object and not on their way: first the ends of those
// that had its name and of rules that are gone, then by rule.
func (s *ruleSet) owed(all []Transition, uid string, records []record, debts []debt) []Transition {
	for i := range debts {
		if !s.isNow(&debts[i], uid) {
			all = appendEnd(all, &debts[i])
		}
	}
	for rule, r := range s.rules {
		for i := range debts {
			if debts[i].told.name == r.name && s.isNow(&debts[i], uid) {
				all = appendEnd(all, &debts[i])
			}
		}
		if len(records) > 0 && records[0].rule == rule {
			rec := &records[0]
			records = records[1:]
			all = appendViolation(all, uid, rec, rec.owes&^rec.knows, 0)
			all = appendViolation(all, uid, rec, rec.owes&rec.knows, rec.repeats)
		}
	}
	return all
}

// isNow reports whether a debt is of the present object and of a present rule.
func (s *ruleSet) isNow(d *debt, uid string) bool {
	_, ok := s.number[d.told.name]
	return ok && d.uid == uid
}

// appendEnd appends the end of a violation, and before it the violation if that is owed again.
func appendEnd(all []Transition, d *debt) []Transition {
	if to := d.again(); to != 0 {
		all = append(all, Transition{Rule: d.told, State: Violated, UID: d.uid, Message: d.message,
			Since: d.since, To: to, number: d.number})
	}
	if d.owes == 0 {
		return all
	}
	return append(all, Transition{Rule: d.told, State: Resolved, UID: d.uid, Message: d.message,
		Since: d.since, To: d.owes, number: d.number})
}

// appendViolation appends the report of a violation, or of its repeat unless that is 0.
func appendViolation(all []Transition, uid string, rec *record, to Receivers,
	repeats int) []Transition {
	if to == 0 {
		return all
	}
	return append(all, Transition{Rule: rec.told, State: Violated, UID: uid, Message: rec.message,
		Since: rec.since, Repeated: repeats > 0, Repeats: repeats, To: to, number: rec.number})
}
