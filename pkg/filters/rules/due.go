package rules

import (
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// DueReports returns the reports about an object that are due to a receiver and not on their way,
// in the order of an [Outcome]: To is that receiver alone. If the uid is not that of the object
// that was evaluated last, the reports about that one are left out: they go with its own events.
func (b *Book) DueReports(key event.Key, uid string, receiver int) []Transition {
	var due []Transition
	for _, t := range b.dueWith(key, uid) {
		if t.To.Has(receiver) {
			t.To = Receivers(0).With(receiver)
			due = append(due, t)
		}
	}
	return due
}

// dueWith is DueReports for all receivers.
func (b *Book) dueWith(key event.Key, uid string) []Transition {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.objects[key]
	if o == nil {
		return nil
	}
	due := b.set.Load().due(nil, o.uid, o.records, o.debts)
	return slices.DeleteFunc(due, func(t Transition) bool {
		return o.uid != uid && o.uid == t.UID
	})
}

// Owe makes a violation due to a receiver again, as if the receiver had not refused it, and
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

// OweEnd makes the end of a violation due to a receiver again, as if the receiver had not refused it,
// and returns true. It returns false, and does nothing, if the rule is gone, if the receiver knows of
// a later violation of the object's name, or if a report of one is on its way.
func (b *Book) OweEnd(key event.Key, rule, uid string, since time.Time, message string,
	receiver int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	set, is := b.set.Load(), objectText{}
	if o := b.objects[key]; o != nil {
		is = *o
	}
	number, there := set.number[rule]
	if !there || !set.receivers.Has(receiver) ||
		slices.ContainsFunc(is.debts, func(d debt) bool {
			return d.reportedAs.name == rule && d.open().Has(receiver)
		}) ||
		slices.ContainsFunc(is.records, func(r record) bool {
			return r.rule == number && r.violated && (r.knows | r.flying | r.maybeKnows).Has(receiver)
		}) {
		return false
	}
	b.number++
	to := Receivers(0).With(receiver)
	b.put(key, is.uid, is.records, append(slices.Clone(is.debts), debt{number: b.number,
		reportedAs: set.rules[number], uid: strings.Clone(uid), since: since,
		message: strings.Clone(message), knows: to, owes: to}))
	return true
}

// due appends the reports that are due of an object and not on their way: first the ends of those
// that had its name and of rules that are gone, then by rule.
func (s *ruleSet) due(all []Transition, uid string, records []record, debts []debt) []Transition {
	for i := range debts {
		if !s.isNow(&debts[i], uid) {
			all = appendEnd(all, &debts[i])
		}
	}
	for rule, r := range s.rules {
		for i := range debts {
			if debts[i].reportedAs.name == r.name && s.isNow(&debts[i], uid) {
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
	_, ok := s.number[d.reportedAs.name]
	return ok && d.uid == uid
}

// appendEnd appends the end of a violation, and before it the violation if that is due again.
func appendEnd(all []Transition, d *debt) []Transition {
	if to := d.again(); to != 0 {
		all = append(all, Transition{Rule: d.reportedAs, State: Violated, UID: d.uid, Message: d.message,
			Since: d.since, To: to, number: d.number})
	}
	if d.owes == 0 {
		return all
	}
	return append(all, Transition{Rule: d.reportedAs, State: Resolved, UID: d.uid, Message: d.message,
		Since: d.since, To: d.owes, number: d.number})
}

// appendViolation appends the report of a violation, or of its repeat unless that is 0.
func appendViolation(all []Transition, uid string, rec *record, to Receivers,
	repeats int) []Transition {
	if to == 0 {
		return all
	}
	return append(all, Transition{Rule: rec.reportedAs, State: Violated, UID: uid,
		Message: rec.message, Since: rec.since, Repeated: repeats > 0, Repeats: repeats, To: to,
		number: rec.number})
}
