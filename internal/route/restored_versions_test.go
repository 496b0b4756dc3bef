package route

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// wantedEvent is what an object becomes, as informers have it, and as the select has it.
func wantedEvent(t *testing.T, op, selected event.Op, uid, version string) *wanted {
	t.Helper()
	o, err := parsed([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","uid":"` + uid + `","resourceVersion":"` + version + `"}}`))
	if err != nil {
		t.Fatal(err)
	}
	e := event.Event{Op: op, Object: o}
	d := &wanted{Delivery: &informer.Delivery{Entry: informer.Entry{Event: e}}, event: e}
	d.event.Op, d.From = selected, newOf(d.From)
	return d
}

// newOf makes what a pointer is to whose type has no name here.
func newOf[T any](*T) *T { return new(T) }

func TestRestoredVersions(t *testing.T) {
	const add, update, ends, resync = event.Add, event.Update, event.Delete, event.Resync
	type step struct {
		op, selected event.Op
		uid, version string
		held         bool
	}
	for name, c := range map[string]struct {
		ended bool
		steps []step
	}{
		"up to the version, and no more": {false, []step{{update, update, "u", "8", true}, {update, update, "u", "9", true},
			{update, update, "u", "10", false}, {update, update, "u", "9", false}}},
		"the end of it is new":              {false, []step{{ends, ends, "u", "8", false}}},
		"the end of an earlier one":         {false, []step{{ends, ends, "t", "8", true}, {add, add, "u", "9", true}}},
		"an end that was handed over":       {true, []step{{ends, ends, "u", "8", true}, {add, add, "v", "10", false}}},
		"an end of a name alone":            {true, []step{{ends, ends, "", "8", false}}},
		"what leaves the select":            {false, []step{{update, ends, "u", "9", false}}},
		"what had left the select":          {true, []step{{update, ends, "u", "9", true}}},
		"what is selected, and had left it": {true, []step{{update, add, "u", "9", false}}},
		"what is repeated":                  {false, []step{{resync, resync, "u", "9", false}}},
		"what leaves and comes by another select": {false, []step{{update, update, "u", "9", true},
			{resync, ends, "u", "9", false}, {resync, add, "u", "9", false}}},
	} {
		var a restoredVersions
		a.objects = map[event.Key]*restoredVersion{{Name: "a"}: {UID: "u", Version: 9, Ended: c.ended}}
		a.any.Store(true)
		for i, s := range c.steps {
			if held := a.has(wantedEvent(t, s.op, s.selected, s.uid, s.version)); held != s.held {
				t.Errorf("%s: step %d: %t", name, i, held)
			}
		}
	}
}

// A process that dies after a cut goes on where the informer was before it, so records have a
// version until the cut after the one that has what the informer has come to.
func TestRecordsOfRestoredVersions(t *testing.T) {
	var a restoredVersions
	a.objects = map[event.Key]*restoredVersion{{Name: "a"}: {UID: "u", Version: 9}, {Name: "b"}: {UID: "v", Version: 7}}
	a.any.Store(true)
	a.changed = true
	records := record.Set{}
	want := func(when string, n int) {
		t.Helper()
		a.cut(records, 1)
		whole := recordtest.Apply(recordtest.Of(func(to record.Writer) { a.whole(to, 1) }))
		if got := len(records[restoredPart(1)]); got != n || len(whole[restoredPart(1)]) != n {
			t.Errorf("%s: %d records, want %d; whole: %v", when, got, n, whole)
		}
	}
	want("in the beginning", 2)
	a.has(wantedEvent(t, event.Update, event.Update, "u", "9"))
	want("in the cut after it came", 2)
	want("in the next one", 1)
	rewound := wantedEvent(t, event.Update, event.Update, "u", "3")
	rewound.From.Rewound.Store(true)
	if a.has(rewound) {
		t.Error("versions have gone back, and one is held back")
	}
	want("after versions have gone back", 0)
}

// Versions may have gone back while an output was away.
func TestTheLastVersionOfABacklogCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newKept(t, 1, nil)
		f.begin(t)
		f.away(0, time.Hour)
		f.change(t, 900, "Running", "a")
		f.change(t, 400, "Running", "a")
		cut := recordtest.Of(f.Cut)
		f.stop(t)
		next := goOn(t, saved(t, cut), 1, nil)
		next.last = f.last
		next.start(t)
		next.change(t, 500, "Running", "a")
		next.expect(t, 0, "a@900", "a@400", "a@500")
		next.stop(t)
	})
}

// What informers have after versions went back may be cut before an event of it is wanted, and the
// versions of before would hold back what comes after the next restart.
func TestACutForgetsVersionsThatWentBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newKept(t, 1, nil)
		f.begin(t)
		f.away(0, time.Hour)
		f.change(t, 900, "Running", "a")
		cuts := []recordtest.Cut{recordtest.Of(f.Cut)}
		f.stop(t)
		next := goOn(t, saved(t, cuts...), 1, nil)
		rewound := false
		next.rewound = func() bool { return rewound }
		for n, want := range []int{1, 0} {
			cuts = append(cuts, recordtest.Of(next.Cut))
			if got := recordtest.Apply(cuts...)[restoredPart(1)]; len(got) != want {
				t.Errorf("cut %d: %v", n, got)
			}
			rewound = true
		}
		// Nothing else of the object was wanted until the next restart.
		for _, cuts := range [][]recordtest.Cut{cuts, {recordtest.Of(next.Whole)}} {
			third := goOn(t, saved(t, cuts...), 1, nil)
			third.last = f.last
			third.start(t)
			third.change(t, 500, "Running", "a")
			third.expect(t, 0, "a@900", "a@500")
			third.stop(t)
		}
	})
}
