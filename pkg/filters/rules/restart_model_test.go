package rules

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// names returns the names of the receivers, by their numbers.
func (r *routes) names() []string {
	names := make([]string, modelReceivers)
	for i := range names {
		if r.receivers.Has(i) {
			names[i] = fmt.Sprint("receiver ", i)
		}
	}
	return names
}

// restart goes on with a restored book. Of what was on its way, receivers may have taken some after
// the last cut.
func (r *routes) restart(t *rapid.T) {
	r.cuts = appendCut(r.cuts, r.book, r.names())
	lanes := slices.SortedFunc(maps.Keys(r.lanes), func(a, b lane) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.receiver, b.receiver))
	})
	for _, l := range lanes {
		for _, tr := range r.lanes[l] {
			at := wire{l.name, tr.Rule.name, l.receiver}
			if !r.book.owes(key(l.name), tr, l.receiver) ||
				rapid.Bool().Draw(t, "nothing more taken after the cut") {
				break
			}
			r.take(l, tr)
			r.repeated[idOf(l, tr)] = true
			r.book.Took(key(l.name), tr, l.receiver, r.now)
			b := r.beliefs[at]
			b.backs = -1 // the book does not know when it was
			r.beliefs[at] = b
		}
	}
	clear(r.lanes)
	r.restarted = true
	r.book = Restore(r.rules, r.names(), savedIn(t, r.cuts), r.now)
	r.evaluator = r.book.Evaluator(nil)
	for l, all := range r.lines {
		for i := range all {
			all[i].restarted()
		}
		r.tidy(l)
	}
}

// restarted notes that what is on its way is owed again.
func (h *heard) restarted() {
	if h.violation == "flying" {
		h.violation, h.maybeKnows = "owed", true
	}
	if h.end == "flying" {
		h.end = "owed"
	}
	if h.repeat == "flying" {
		h.repeat = "owed"
		if h.ended {
			h.repeat = ""
		}
	}
}
