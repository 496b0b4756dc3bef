package rules

import (
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Begin notes that a report is on its way to a receiver, and returns true. It is not offered to the
// receiver again until Took, Refused or Release has settled it. If the violation ends meanwhile,
// its end is owed to the receiver too, behind the report. Begin returns false, and does nothing, if
// the report is not owed to the receiver any more, or if an earlier one of the rule is owed and
// has not begun. The receiver must get the reports of an object in the order of Begin.
func (b *Book) Begin(key event.Key, t Transition, receiver int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.find(key, t)
	if !f.owes(t, receiver) || f.waits(t, receiver) {
		return false
	}
	f.begin(t, receiver)
	b.mark(f.object.key)
	return true
}

// Took notes that a receiver has taken a report: the end of a violation will be reported to it.
// Repeat counts from now.
func (b *Book) Took(key event.Key, t Transition, receiver int, now time.Time) {
	b.settle(key, t, receiver, func(f found) {
		switch {
		case t.State == Resolved:
		case f.record != nil:
			f.record.knows = f.record.knows.With(receiver)
			f.record.maybeKnows = f.record.maybeKnows.without(receiver)
			if now.After(f.record.taken) { // a clock that was set back makes no repeat earlier
				f.record.taken = now
			}
		default:
			f.debt.knows, f.debt.maybeKnows = f.debt.knows.With(receiver),
				f.debt.maybeKnows.without(receiver)
		}
	})
}

// Refused notes that a receiver will never take a report. A violation that was refused has no end
// for the receiver; an end that was refused is over for it. Of all that is on its way, a report may
// be refused out of turn: then the others stay on their way.
func (b *Book) Refused(key event.Key, t Transition, receiver int, _ time.Time) {
	b.settle(key, t, receiver, func(f found) {
		switch {
		case t.State == Resolved:
		case f.record != nil:
			f.record.maybeKnows = f.record.maybeKnows.without(receiver)
		case !f.debt.knows.Has(receiver):
			f.debt.forget(Receivers(0).With(receiver))
		}
	})
}

// Release notes that a report was not sent after all, as if it had never begun. It is owed again if
// it is still true. If the violation has ended and the receiver has not heard of it, nothing of it
// is owed any more.
func (b *Book) Release(key event.Key, t Transition, receiver int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.release(b.find(key, t), t, receiver)
}

// Confirm reports whether a report that has begun is to be delivered now: not if its violation was
// refused, or if an earlier report of the rule is owed or on its way to the receiver. One that is
// not is released, at the same time: whoever settles what it waits for finds it owed.
func (b *Book) Confirm(key event.Key, t Transition, receiver int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.find(key, t)
	due := f.flies(t, receiver) && !f.early(t, receiver)
	if !due {
		b.release(f, t, receiver)
	}
	return due
}

// early reports whether an earlier report of the rule is owed to a receiver or on its way to it.
func (f found) early(t Transition, receiver int) bool {
	return f.debt != nil && t.State == Resolved && (f.debt.flying|f.debt.maybeKnows).Has(receiver) ||
		slices.ContainsFunc(f.earlier(), func(d debt) bool {
			return d.reportedAs.name == f.rule() && d.open().Has(receiver)
		})
}

// release is Release of what was found. The caller holds mu.
func (b *Book) release(f found, t Transition, receiver int) {
	switch {
	case !f.flies(t, receiver):
		return
	case t.State == Resolved:
		f.debt.ending, f.debt.owes = f.debt.ending.without(receiver), f.debt.owes.With(receiver)
	case f.record != nil:
		f.record.flying, f.record.owes = f.record.flying.without(receiver),
			f.record.owes.With(receiver)
	case (f.debt.knows | f.debt.maybeKnows).Has(receiver): // it was a repeat, or owed for its end
		f.debt.flying = f.debt.flying.without(receiver)
	default:
		f.debt.forget(Receivers(0).With(receiver))
	}
	b.mark(f.object.key)
	f.tidy(b)
}

// settle ends the flight of a report. One that is owed and has not begun counts as begun.
func (b *Book) settle(key event.Key, t Transition, receiver int, how func(found)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.find(key, t)
	if f.owes(t, receiver) && !f.waits(t, receiver) {
		f.begin(t, receiver)
	}
	if !f.flies(t, receiver) {
		return
	}
	switch {
	case f.record != nil:
		f.record.flying = f.record.flying.without(receiver)
	case t.State == Violated:
		f.debt.flying = f.debt.flying.without(receiver)
	default:
		f.debt.ending = f.debt.ending.without(receiver)
	}
	how(f)
	b.mark(f.object.key)
	f.tidy(b)
}

// found is what a book remembers of a transition's violation: its record or, if it has ended, its
// debt. Both are nil if the violation is forgotten.
type found struct {
	object *objectText
	record *record
	debt   *debt
	index  int // of the debt
}

// find returns what is remembered of a transition's violation. The caller holds mu.
func (b *Book) find(key event.Key, t Transition) found {
	f := found{object: b.objects[key]}
	if f.object == nil {
		return f
	}
	for i := range f.object.debts {
		if f.object.debts[i].number == t.number {
			f.debt, f.index = &f.object.debts[i], i
			return f
		}
	}
	for i := range f.object.records {
		if rec := &f.object.records[i]; rec.violated && rec.number == t.number {
			f.record = rec
		}
	}
	return f
}

// rule returns the name of the violated rule.
func (f found) rule() string {
	if f.record != nil {
		return f.record.reportedAs.name
	}
	return f.debt.reportedAs.name
}

// earlier returns the ended violations before this one, of all rules.
func (f found) earlier() []debt {
	if f.debt != nil {
		return f.object.debts[:f.index]
	}
	return f.object.debts
}

// owes reports whether a report is owed to a receiver and has not begun.
func (f found) owes(t Transition, receiver int) bool {
	switch {
	case t.State == Resolved:
		return f.debt != nil && f.debt.owes.Has(receiver)
	case f.debt != nil:
		return f.debt.again().Has(receiver)
	default:
		return f.record != nil && f.record.owes.Has(receiver)
	}
}

// waits reports whether an earlier report of the rule is owed to a receiver and has not begun.
func (f found) waits(t Transition, receiver int) bool {
	return t.State == Resolved && f.debt.again().Has(receiver) ||
		slices.ContainsFunc(f.earlier(), func(d debt) bool {
			return d.reportedAs.name == f.rule() && (d.owes | d.again()).Has(receiver)
		})
}

// begin notes that a report is on its way.
func (f found) begin(t Transition, receiver int) {
	switch {
	case t.State == Resolved:
		f.debt.owes, f.debt.ending = f.debt.owes.without(receiver), f.debt.ending.With(receiver)
	case f.debt != nil:
		f.debt.flying = f.debt.flying.With(receiver)
	default:
		f.record.owes, f.record.flying = f.record.owes.without(receiver),
			f.record.flying.With(receiver)
	}
}

// flies reports whether a report is on its way to a receiver.
func (f found) flies(t Transition, receiver int) bool {
	switch {
	case f.debt != nil && t.State == Resolved:
		return f.debt.ending.Has(receiver)
	case f.debt != nil:
		return f.debt.flying.Has(receiver)
	}
	return f.record != nil && t.State == Violated && f.record.flying.Has(receiver)
}

// tidy removes the debt and the object if nothing of them is left to remember.
func (f found) tidy(b *Book) {
	if f.debt != nil && f.debt.open() == 0 {
		f.object.debts = slices.Delete(f.object.debts, f.index, f.index+1)
	}
	b.forgetEmpty(f.object)
}
