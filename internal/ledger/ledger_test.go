package ledger

import (
	"fmt"
	"slices"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// An object takes about 20 bytes, and what has gone is given back.
func TestMemoryOfALedger(t *testing.T) {
	const objects = 100_000
	l := &Ledger{}
	mark := func(i int) Mark { return Mark{object.Key{Name: fmt.Sprint(i)}.Hash(), uint64(i + 1)} }
	sum, n := 0.0, 0
	for i := range objects {
		if l.Settle(mark(i), event.Add, Unmatched); i >= objects/2 && i%1000 == 0 {
			sum, n = sum+float64(16*len(l.table.slots))/float64(i+1), n+1
		}
	}
	if mean := sum / float64(n); mean > 21 {
		t.Errorf("%.1f bytes for each object", mean)
	}
	for i := range objects {
		l.Settle(mark(i), event.Delete, Unmatched)
	}
	if n := len(l.table.slots); n > 4*minSlots {
		t.Errorf("%d slots of nothing", n)
	}
}

// Of the objects that are gone, those that went last are noted.
func TestEndsAreBounded(t *testing.T) {
	l := &Ledger{}
	for i := range 3 * maxEnds {
		o := objectAt(t, fmt.Sprint("p", i), uint64(i+1))
		if i%2 == 0 {
			l.Ended(o, true)
		} else {
			l.Dropped(o, true)
		}
		if l.ends > maxEnds {
			t.Fatalf("%d of %d", l.ends, i+1)
		}
	}
	last := objectAt(t, fmt.Sprint("p", 3*maxEnds-1), 0).Key().Hash()
	if e, known := l.Get(last); !known || e.State != Overflown || !e.Gone {
		t.Errorf("%+v", e)
	}
	if n := len(l.Objects()); n != l.ends {
		t.Errorf("%d objects, %d ends", n, l.ends)
	}
}

// Versions are compared as numbers that go round, and those that are none are all the same.
func TestVersions(t *testing.T) {
	for _, c := range []struct {
		version, other string
		want           bool
	}{
		{"7", "7", true}, {"8", "7", true}, {"7", "8", false}, {"10", "9", true},
		{"18446744073709551615", "18446744073709551614", true},
		{"4503599627370496", "4503599627370495", true}, // 2^52 and the one before
		{"4503599627370495", "4503599627370496", false},
		{"one", "two", true}, {"", "", true},
	} {
		if got := Reaches(ParseVersion(c.version), ParseVersion(c.other)); got != c.want {
			t.Errorf("%s reaches %s: %v", c.version, c.other, got)
		}
	}
}

// A note keeps what it was made of.
func TestNotes(t *testing.T) {
	for s := None; s <= DeadLetter; s++ {
		for _, outputs := range []int{0, 1, 63} {
			n := newNote(1<<52-2, outputs, s, s%2 == 0)
			if n.version() != 1<<52-2 || n.outputs() != outputs || n.state() != s ||
				n.gone() != (s%2 == 0) {
				t.Errorf("%x: state %d, %d outputs", uint64(n), s, outputs)
			}
		}
	}
}

// Each state has an outcome, and what waits is not among those that are at an end.
func TestOutcomes(t *testing.T) {
	all := []string{OutcomeDelivered, OutcomeFiltered, OutcomeEarlier, OutcomeDropped,
		OutcomeDeadLetter, OutcomeWaiting, OutcomeNeverSeen}
	for s := None; s <= DeadLetter; s++ {
		outcome, _ := s.Outcome()
		if !slices.Contains(all, outcome) || (s == None) != (outcome == OutcomeNeverSeen) ||
			(s == Passed) != (outcome == OutcomeWaiting) {
			t.Errorf("%d: %q", s, outcome)
		}
	}
}

// A ledger that is not there notes nothing.
func TestNilLedger(t *testing.T) {
	var l *Ledger
	o := objectAt(t, "a", 1)
	m := l.Mark(o)
	l.Settle(m, event.Add, Unmatched)
	l.Pass(m, event.Add, 1)
	l.End(m, Delivered)
	l.Replayed(m)
	if m != (Mark{}) {
		t.Errorf("%+v", m)
	}
}

// BenchmarkLedger is what a ledger adds to an event that one output takes.
func BenchmarkLedger(b *testing.B) {
	const objects = 100_000
	l, all := &Ledger{}, make([]*object.Object, objects)
	for i := range all {
		all[i] = objectAt(b, fmt.Sprint("pod-", i*7919%objects), uint64(i+1))
	}
	b.Run("Passed", func(b *testing.B) {
		for i := range b.N {
			m := l.Mark(all[i%objects])
			l.Pass(m, event.Update, 1)
			l.End(m, Delivered)
		}
	})
	b.Run("Settled", func(b *testing.B) {
		for i := range b.N {
			l.Settle(l.Mark(all[i%objects]), event.Update, Unmatched)
		}
	})
}
