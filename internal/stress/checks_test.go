package stress

import (
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// one is the history of a name that two objects have had: a was written at 1, 3 and 5 and deleted
// at 6, b was written at 8 and 9.
var one = lives{
	{uid: "a", states: []state{{version: 1, number: "1"}, {version: 3, number: "3"}, {
		version: 5, number: "5"}}, deleted: true},
	{uid: "b", states: []state{{version: 8, number: "8"}, {version: 9, number: "9"}}},
}

var numbers = map[uint64]string{1: "1", 3: "3", 5: "5", 6: "5", 8: "8", 9: "9"}

// rec makes a record as the listener should see it.
func rec(op event.Op, uid string, version, old uint64, change ...func(*record)) record {
	r := record{op: op, uid: uid, version: version, old: old, number: numbers[version], attempt: 1}
	for _, c := range change {
		c(&r)
	}
	return r
}

func missed(n int) func(*record)    { return func(r *record) { r.missed = n } }
func attempt(n int) func(*record)   { return func(r *record) { r.attempt = n } }
func inEpoch(n int) func(*record)   { return func(r *record) { r.epoch = n } }
func number(n string) func(*record) { return func(r *record) { r.number = n } }
func failed(r *record)              { r.retried = true }
func overlapping(r *record)         { r.overlaps = true }
func tombstone(r *record)           { r.finalStateUnknown = true }

func TestLedgerNoticesWhatIsWrong(t *testing.T) {
	const (
		add    = event.Add
		update = event.Update
		del    = event.Delete
		resync = event.Resync
	)
	addA, updA3, updA5, delA := rec(add, "a", 1, 0), rec(update, "a", 3, 1), rec(update, "a", 5, 3),
		rec(del, "a", 6, 0)
	addB, updB := rec(add, "b", 8, 0), rec(update, "b", 9, 8)
	for name, c := range map[string]struct {
		records []record
		resyncs bool
		epoch   int
		want    string // "" is right
	}{
		"everything":   {records: []record{addA, updA3, updA5, delA, addB, updB}},
		"the end only": {records: []record{rec(add, "b", 9, 0, missed(1))}},
		"states left out": {
			records: []record{addA, rec(update, "a", 5, 1, missed(1)), delA, rec(add, "b", 9, 0)}},
		"delete of an unknown object": {
			records: []record{rec(del, "a", 6, 0, missed(3)), addB, updB}},
		"a delete that was missed": {
			records: []record{addA, updA3, rec(del, "a", 3, 0, tombstone), addB, updB}},
		"a retry": {
			records: []record{addB, rec(update, "b", 9, 8, failed),
				rec(update, "b", 9, 8, attempt(2))}},
		"a resync": {
			records: []record{addB, rec(resync, "b", 8, 0), updB}, resyncs: true},
		"a registration after": {
			records: []record{addA, rec(add, "b", 9, 0, inEpoch(1))}, epoch: 1},
		"a failed event is discarded": {
			records: []record{rec(add, "a", 1, 0, failed), rec(add, "b", 9, 0, inEpoch(1))},
			epoch:   1},
		"nothing": {
			want: "the listener ends with nothing, but the server has uid b at 9"},
		"not the last state": {
			records: []record{addB},
			want:    "the listener ends with uid b at 8, but the server has uid b at 9"},
		"nothing after registering": {
			records: []record{addB, updB}, epoch: 1,
			want: "the listener ends with nothing, but the server has uid b at 9"},
		"back in time": {records: []record{rec(add, "b", 9, 0), rec(update, "b", 8, 9)},
			want: "update of uid b at 8, old 9: the object was at 9 before"},
		"back in time, registered again": {
			records: []record{rec(add, "b", 9, 0), rec(add, "b", 8, 0, inEpoch(1))}, epoch: 1,
			want: "add of uid b at 8, registration 2: the object was at 9 before"},
		"after its delete": {
			records: []record{addA, delA, updA3},
			want:    "update of uid a at 3, old 1: the object had been deleted"},
		"deleted twice": {
			records: []record{addA, delA, delA},
			want:    "delete of uid a at 6: the object had been deleted"},
		"no delete": {
			records: []record{addA, addB},
			want:    "add of uid b at 8: there was no delete of uid a at 1"},
		"delete after the add": {
			records: []record{addA, addB, delA},
			want:    "add of uid b at 8: there was no delete of uid a at 1"},
		"added twice": {
			records: []record{addB, addB},
			want:    "add of uid b at 8: there was no delete of uid b at 8"},
		"delete and add as one": {
			records: []record{addA, rec(update, "b", 8, 1)},
			want:    "update of uid b at 8, old 1: the listener knew uid a at 1"},
		"update of nothing": {
			records: []record{updA3},
			want:    "update of uid a at 3, old 1: the listener knew nothing"},
		"update without a change": {
			records: []record{addA, rec(update, "a", 1, 1)},
			want:    "update of uid a at 1, old 1: nothing has changed"},
		"update from elsewhere": {
			records: []record{addA, updA5},
			want:    "update of uid a at 5, old 3: it starts from 3, but the listener knew uid a at 1"},
		"delete of another": {
			records: []record{addB, delA},
			want:    "delete of uid a at 6: the listener knew uid b at 8"},
		"delete never announced": {
			records: []record{delA},
			want:    "delete of uid a at 6: the listener never got the object, and missed nothing"},
		"resync not asked for": {
			records: []record{addB, rec(resync, "b", 8, 0)},
			want:    "resync of uid b at 8: the listener did not ask for resyncs"},
		"resync with a change": {
			records: []record{addB, rec(resync, "b", 9, 0)}, resyncs: true,
			want: "resync of uid b at 9: the listener knew uid b at 8"},
		"not an update, with an old state": {
			records: []record{rec(add, "b", 8, 1)},
			want:    "add of uid b at 8, old 1: only an update has an old state"},
		"two at a time": {
			records: []record{addB, rec(update, "b", 9, 8, overlapping)},
			want:    "update of uid b at 9, old 8 came while the previous event was being handled"},
		"retry overtaken": {
			records: []record{rec(add, "b", 8, 0, failed), updB},
			want:    "update of uid b at 9, old 8 came instead of the retry of add of uid b at 8, failed"},
		"retry of nothing": {
			records: []record{rec(add, "b", 8, 0, attempt(2))},
			want:    "add of uid b at 8, attempt 2 came instead of the retry of nothing"},
		"retry forgotten": {
			records: []record{rec(add, "b", 9, 0, failed)},
			want:    "add of uid b at 9, failed was never retried"},
		"unknown uid": {
			records: []record{rec(add, "c", 8, 0)},
			want:    "add of uid c at 8: uid c never existed"},
		"unknown version": {
			records: []record{rec(add, "a", 2, 0)},
			want:    "add of uid a at 2: version 2 of uid a was never written"},
		"another's content": {
			records: []record{rec(add, "a", 1, 0, number("3"))},
			want:    `add of uid a at 1: version 1 was written with number "1", but came with "3"`},
		"delete at a wrong time": {
			records: []record{addA, rec(del, "a", 5, 0)},
			want:    "delete of uid a at 5: uid a was not deleted at 5"},
		"delete after the next": {
			records: []record{addA, rec(del, "a", 8, 0)},
			want:    "delete of uid a at 8: uid a was not deleted at 8"},
		"delete of what lives": {
			records: []record{addB, rec(del, "b", 8, 0, tombstone)},
			want:    "delete of uid b at 8, final state unknown: uid b was never deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger(c.resyncs)
			l.epoch = c.epoch
			got := ""
			if err := l.check(&history{records: c.records}, one, identity{"b", 9}); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestLedgerNotesDeliveries(t *testing.T) {
	parser := object.Parser{APIVersion: "v1", Kind: "ConfigMap"}
	object := func(version string) *object.Object {
		o, err := parser.Parse(
			[]byte(`{"metadata":{"namespace":"stress-0","name":"x","uid":"b","resourceVersion":"` +
				version + `"},"data":{"n":"` + version + `"}}`))
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	deliver := func(e event.Event, attempt int) informer.Delivery {
		return informer.NewDelivery(informer.Entry{Event: e, Attempt: attempt}, nil)
	}
	l := newLedger(false)
	first := deliver(event.Event{Op: event.Add, Object: object("8"), Initial: true}, 1)
	again := deliver(event.Event{Op: event.Add, Object: object("8"), Initial: true}, 2)
	second := deliver(event.Event{Op: event.Update, Object: object("9"), Old: object("8"),
		Missed: 4}, 1)
	at := one[0].states[0].at
	l.begin(&first, at)
	l.end(&first, true)
	l.begin(&again, at)
	l.begin(&second, at) // while the retry is being handled
	l.end(&second, false)
	want := `  00:00:00.000 add of uid b at 8, initial, failed
  00:00:00.000 add of uid b at 8, initial, attempt 2
  00:00:00.000 update of uid b at 9, old 8, missed 4
`
	h := l.of(event.Key{Namespace: "stress-0", Name: "x"})
	if h.String() != want || !h.records[2].overlaps {
		t.Errorf("got\n%swant\n%s", h, want)
	}
	if have := (counts{deliveries: 3, retried: 1, done: 1, missed: 4}); l.counts != have {
		t.Errorf("got %+v, want %+v", l.counts, have)
	}
}

func TestCountersThatDoNotAddUp(t *testing.T) {
	right := informer.SubscriptionStats{Offered: 10, Done: 7, Coalesced: 3, Retried: 2}
	counted := counts{deliveries: 9, retried: 2, done: 7, missed: 3}
	for name, c := range map[string]struct {
		change func(*informer.SubscriptionStats)
		want   []string
	}{
		"right": {func(*informer.SubscriptionStats) {}, nil},
		"one lost": {func(s *informer.SubscriptionStats) {
			s.Offered++
		}, []string{"Offered and its outcomes: 10, want 11"}},
		"coalesced without a word": {
			func(s *informer.SubscriptionStats) { s.Coalesced++; s.Offered++ },
			[]string{"Missed of all events, as Coalesced: 3, want 4"}},
		"done twice": {func(s *informer.SubscriptionStats) {
			s.Done++
			s.Offered++
		}, []string{"Done: 8, want 7"}},
		"held": {func(s *informer.SubscriptionStats) {
			s.Held = 1
		}, []string{"Held, Marked, Backlog and OnDisk: 1, want 0"}},
	} {
		s := right
		c.change(&s)
		if got := unaccounted(counted, s, false); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %s, want %s", name, strings.Join(got, "; "),
				strings.Join(c.want, "; "))
		}
	}
}
