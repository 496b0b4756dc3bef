package rules

import (
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// MaxReceivers is how many receivers a [Book] can have.
const MaxReceivers = 64

// Receivers is a set of those that get the reports of a [Book], by their numbers from 0.
type Receivers uint64

// With returns the set with a receiver added.
func (r Receivers) With(receiver int) Receivers { return r | 1<<receiver }

// Without returns the set with a receiver removed.
func (r Receivers) Without(receiver int) Receivers { return r &^ (1 << receiver) }

// Has reports whether a receiver is in the set.
func (r Receivers) Has(receiver int) bool { return r&(1<<receiver) != 0 }

// everyReceiver returns the set of n receivers.
func everyReceiver(n int) Receivers {
	return ^Receivers(0) >> (MaxReceivers - max(1, min(n, MaxReceivers)))
}

// Took notes that a receiver has taken a transition of the last outcome: it is not offered
// to the receiver again, and the end of a violation will be. Repeat counts from now.
func (e *Evaluator) Took(t Transition, receiver int, now time.Time) {
	e.book.settle(e.seen.Object.Key(), t, receiver, true, now)
}

// Refused notes that a receiver will never take a transition: it is not offered to the
// receiver again. The end of a violation that was refused is not offered to it either.
func (e *Evaluator) Refused(t Transition, receiver int, now time.Time) {
	e.book.settle(e.seen.Object.Key(), t, receiver, false, now)
}

// settle notes that a transition need not be offered to a receiver any more.
func (b *Book) settle(key event.Key, t Transition, receiver int, took bool, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.objects[key]
	if o == nil {
		return
	}
	if t.State == Resolved {
		i := slices.IndexFunc(o.debts, func(d debt) bool {
			return d.rule == t.rule && d.uid == t.UID && d.owes.Has(receiver)
		})
		if i < 0 {
			return
		}
		if o.debts[i].owes = o.debts[i].owes.Without(receiver); o.debts[i].owes == 0 {
			o.debts = slices.Delete(o.debts, i, i+1)
		}
		b.forgetEmpty(o)
		return
	}
	for i := range o.records {
		if rec := &o.records[i]; rec.rule == t.rule {
			rec.owes = rec.owes.Without(receiver)
			if took {
				rec.knows = rec.knows.With(receiver)
				if now.After(rec.taken) { // a clock that was set back makes no repeat earlier
					rec.taken = now
				}
			}
		}
	}
}
