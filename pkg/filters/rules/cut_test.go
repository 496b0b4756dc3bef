package rules

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	recorded "github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// severe compiles a rule with a severity.
func severe(t testing.TB, name, severity string) *Rule {
	t.Helper()
	r, err := Compile(Definition{Name: name, Severity: severity,
		Deny: filters.Expression{Text: deny, File: "config.yaml", Line: 7, Listener: "pods"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// restored returns the book of a cut that has everything.
func restored(t testing.TB, b *Book, rules []*Rule, from, to []string, now time.Time) *Book {
	t.Helper()
	return Restore(rules, to, savedIn(t, []recordtest.Cut{wholeOf(b, from)}), now)
}

// owedTo shows what is owed of an object.
func owedTo(b *Book, o event.Key, receiver int) (all []string) {
	for _, t := range owedOf(b, o, receiver) {
		all = append(all, fmt.Sprintf("%s %s %s %s", t.State, t.Rule.Name(), t.Rule.Severity(),
			t.UID))
	}
	return all
}

func wantOwed(t *testing.T, b *Book, receiver int, want ...string) {
	t.Helper()
	if got := owedTo(b, key("web"), receiver); !slices.Equal(got, want) {
		t.Errorf("receiver %d is owed %q, want %q", receiver, got, want)
	}
}

// begun evaluates an object, and returns the report, which is on its way to receiver 0.
func begun(t *testing.T, b *Book, fields string) Transition {
	t.Helper()
	o := b.Evaluator(nil).Evaluate(event.Event{Op: event.Update,
		Object: pod(t, "web", "u", fields)}, begin)
	tr := o.Transitions[len(o.Transitions)-1]
	if !b.Begin(key("web"), tr, 0) {
		t.Fatal("it does not begin")
	}
	return tr
}

const bad, good = `"n":5`, `"n":1`

func TestACutHasWhatHasChangedSince(t *testing.T) {
	out := []string{"out"}
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 0)}, 1)
	e := b.Evaluator(nil)
	see := func(name, fields string) {
		evaluate(e, event.Event{Op: event.Update, Object: pod(t, name, "u-"+name, fields)}, begin)
	}
	see("web", bad)
	see("db", bad)
	if first := cutOf(b, out); savedIn(t, []recordtest.Cut{first}).Len() != 2 {
		t.Errorf("the first cut is %+v", first)
	}
	see("db", bad)
	see("other", good)
	if cut := cutOf(b, out); cut != nil {
		t.Errorf("nothing has changed, but the cut is %+v", cut)
	}
	see("web", good)
	second := cutOf(b, out)
	if s := savedIn(t, []recordtest.Cut{wholeOf(b, out), second}); s.Len() != 1 {
		t.Errorf("%d objects", s.Len())
	}
	b.Use([]*Rule{rule(t, "a", deny, 0, 0)}, everyReceiver(2))
	if third := cutOf(b, []string{"out", "new"}); savedIn(t, []recordtest.Cut{third}).Len() != 1 {
		t.Errorf("after Use, the cut is %+v", third)
	}
}

// What changes during a cut of everything is in that, or in the next one.
func TestWhatChangesDuringACut(t *testing.T) {
	out := []string{"out"}
	all := []*Rule{rule(t, "a", deny, 0, 0)}
	b := NewBook(all, 1)
	const objects = 1000
	see := func(e *Evaluator, i int, fields string) {
		evaluate(e, event.Event{Op: event.Update, Object: pod(t, fmt.Sprint("web-", i), "u",
			fields)}, begin)
	}
	e := b.Evaluator(nil)
	for i := range objects {
		see(e, i, bad)
	}
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		e := b.Evaluator(nil)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				see(e, i%(2*objects), []string{bad, good}[i/(2*objects)%2])
			}
		}
	}()
	cuts := appendCut(nil, b, out)
	for range 20 {
		cuts = appendCut([]recordtest.Cut{wholeOf(b, out)}, b, out)
	}
	close(stop)
	<-ended
	again := Restore(all, out, savedIn(t, appendCut(cuts, b, out)), begin)
	if want := b.Keys(); !slices.Equal(again.Keys(), want) || again.number != b.number ||
		!slices.Equal(again.Open(), b.Open()) {
		t.Errorf("%d objects, want %d", len(again.Keys()), len(want))
	}
}

// A pending rule is not open, nor is a violation that has ended and is still owed.
func TestOpenViolationsOfACut(t *testing.T) {
	all := []*Rule{rule(t, "a", deny, 0, 0), rule(t, "b", deny, 0, 0), rule(t, "c", deny, h, 0)}
	b := NewBook(all, 1)
	open := func() int { return savedIn(t, []recordtest.Cut{wholeOf(b, []string{"out"})}).Open() }
	if n := open(); n != 0 {
		t.Errorf("%d are open in an empty book", n)
	}
	e := b.Evaluator(nil)
	for _, name := range []string{"web", "db"} {
		e.Evaluate(event.Event{Op: event.Update, Object: pod(t, name, "u", bad)}, begin)
	}
	if n := open(); n != 4 {
		t.Errorf("%d are open, want 4", n)
	}
	e.Evaluate(event.Event{Op: event.Update, Object: pod(t, "web", "u", good)}, begin)
	if n := open(); n != 2 {
		t.Errorf("%d are open, want 2", n)
	}
}

func TestABookThatWasNeverCutKeepsNothingForCuts(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 0)}, 1)
	begun(t, b, bad)
	if b.changed != nil {
		t.Errorf("it keeps %v", b.changed)
	}
}

func TestWhatWasOnItsWayIsOwedAgain(t *testing.T) {
	all, out := []*Rule{rule(t, "a", deny, 0, 0)}, []string{"out"}
	b := NewBook(all, 1)
	tr := begun(t, b, bad)
	wantOwed(t, b, 0)
	again := restored(t, b, all, out, out, begin)
	wantOwed(t, again, 0, "violated a medium u")
	b.Took(key("web"), tr, 0, begin)
	wantOwed(t, restored(t, b, all, out, out, begin), 0)
	begun(t, b, good)
	wantOwed(t, b, 0)
	wantOwed(t, restored(t, b, all, out, out, begin), 0, "resolved a medium u")
}

func TestAViolationThatWasOnItsWayComesAgainBeforeItsEnd(t *testing.T) {
	all, out := []*Rule{rule(t, "a", deny, 0, 0)}, []string{"out"}
	ended := NewBook(all, 1)
	begun(t, ended, bad)
	begun(t, ended, good)
	open := NewBook(all, 1)
	begun(t, open, bad)
	for name, b := range map[string]*Book{
		"ended before the cut": restored(t, ended, all, out, out, begin),
		"ended after it":       restored(t, open, all, out, out, begin),
		"after two restarts": restored(t, restored(t, ended, all, out, out, begin), all, out, out,
			begin),
	} {
		b.Evaluator(nil).Evaluate(event.Event{Op: event.Update, Object: pod(t, "web", "u", good)},
			begin)
		owed := owedOf(b, key("web"), 0)
		if len(owed) != 2 || owed[0].State != Violated || owed[0].Repeated ||
			owed[1].State != Resolved || owed[0].Since != owed[1].Since {
			t.Fatalf("%s: owed %+v", name, owed)
		}
		if b.Begin(key("web"), owed[1], 0) {
			t.Errorf("%s: the end begins first", name)
		}
		for i := range owed {
			if !b.Begin(key("web"), owed[i], 0) {
				t.Errorf("%s: %d does not begin", name, i)
			}
		}
		if b.owes(key("web"), owed[1], 0) {
			t.Errorf("%s: the end is sent first", name)
		}
		b.Release(key("web"), owed[0], 0)
		wantOwed(t, b, 0, "violated a medium u")
		b.Took(key("web"), owed[0], 0, begin)
		if !b.owes(key("web"), owed[1], 0) {
			t.Errorf("%s: the end is not owed", name)
		}
		b.Took(key("web"), owed[1], 0, begin)
		if len(b.Keys()) != 0 {
			t.Errorf("%s: in the end there is %v", name, b.Keys())
		}
	}
}

// Another receiver has the violation repeated meanwhile.
func TestAViolationThatIsRepeatedBeforeItComesAgain(t *testing.T) {
	all, out := []*Rule{rule(t, "a", deny, 0, time.Hour)}, []string{"out", "other"}
	b := NewBook(all, 2)
	b.Took(key("web"), begun(t, b, bad), 1, begin)
	b = restored(t, b, all, out, out, begin)
	e := b.Evaluator(nil)
	e.Evaluate(event.Event{Op: event.Update, Object: pod(t, "web", "u", bad)},
		begin.Add(time.Hour))
	if owed := owedOf(b, key("web"), 1); len(owed) != 1 || !owed[0].Repeated {
		t.Errorf("the other is owed %+v", owed)
	}
	e.Evaluate(event.Event{Op: event.Update, Object: pod(t, "web", "u", good)},
		begin.Add(time.Hour))
	wantOwed(t, b, 0, "violated a medium u", "resolved a medium u")
	wantOwed(t, b, 1, "resolved a medium u")
}

func TestAViolationThatIsRefusedAfterARestartHasNoEnd(t *testing.T) {
	all, out := []*Rule{rule(t, "a", deny, 0, 0)}, []string{"out"}
	b := NewBook(all, 1)
	begun(t, b, bad)
	again := restored(t, b, all, out, out, begin)
	again.Refused(key("web"), owedOf(again, key("web"), 0)[0], 0, begin)
	again.Evaluator(nil).Evaluate(event.Event{Op: event.Update,
		Object: pod(t, "web", "u", good)}, begin)
	wantOwed(t, again, 0)
	begun(t, b, good)
	again = restored(t, b, all, out, out, begin)
	again.Refused(key("web"), owedOf(again, key("web"), 0)[0], 0, begin)
	if len(again.Keys()) != 0 {
		t.Errorf("in the end there is %v", again.Keys())
	}
}

func TestForAndRepeatGoOnWhileNothingRuns(t *testing.T) {
	all, out := []*Rule{rule(t, "a", deny, time.Minute, time.Hour)}, []string{"out"}
	b := NewBook(all, 1)
	see := func(b *Book, after time.Duration) string {
		return told(evaluate(b.Evaluator(nil), event.Event{Op: event.Update,
			Object: pod(t, "web", "u", bad)}, begin.Add(after)))
	}
	see(b, 0)
	b = restored(t, b, all, out, out, begin.Add(40*time.Second))
	if got := see(b, 50*time.Second); got != "look after 10s" {
		t.Errorf("pending: %s", got)
	}
	b = restored(t, b, all, out, out, begin.Add(2*time.Minute))
	if got := see(b, 2*time.Minute); got != "violated a of u since 0s; look after 1h0m0s" {
		t.Errorf("after For: %s", got)
	}
	b = restored(t, b, all, out, out, begin.Add(time.Hour))
	if got := see(b, time.Hour); got != "look after 2m0s" {
		t.Errorf("before Repeat: %s", got)
	}
	if got := see(b, 63*time.Minute); got !=
		"violated a of u since 0s again; look after 1h0m0s" {
		t.Errorf("after Repeat: %s", got)
	}
}

func TestAClockThatWasSetBackWhileNothingRan(t *testing.T) {
	all, out := []*Rule{rule(t, "a", deny, time.Minute, time.Hour)}, []string{"out"}
	b := NewBook(all, 1)
	see := func(b *Book, after time.Duration) string {
		return told(evaluate(b.Evaluator(nil), event.Event{Op: event.Update,
			Object: pod(t, "web", "u", bad)}, begin.Add(after)))
	}
	see(b, 24*time.Hour)
	pending := restored(t, b, all, out, out, begin)
	if got := see(pending, 0); got != "look after 1m0s" {
		t.Errorf("pending: %s", got)
	}
	see(b, 25*time.Hour)
	violated := restored(t, b, all, out, out, begin)
	if got := see(violated, 0); got != "look after 1h0m0s" {
		t.Errorf("violated: %s", got)
	}
	if got := see(violated, time.Hour); got !=
		"violated a of u since 24h0m0s again; look after 1h0m0s" {
		t.Errorf("an hour later: %s", got)
	}
	if since := violated.Open()[0].Since; since != begin.Add(24*time.Hour) {
		t.Errorf("it is since %v, which its report has said otherwise", since)
	}
}

// Cuts of books with other rules have them by their names.
func TestCutsOfBooksWithOtherRules(t *testing.T) {
	a, b, c := severe(t, "a", "low"), severe(t, "b", "high"), rule(t, "c", deny, time.Hour, 0)
	now := NewBook([]*Rule{a, c}, 2)
	see := func(name, fields string) {
		o := now.Evaluator(nil).Evaluate(event.Event{Op: event.Update,
			Object: pod(t, name, "u", fields)}, begin)
		for _, tr := range o.Transitions {
			now.Begin(key(name), tr, 1)
		}
	}
	see("web", bad)
	see("db", bad)
	see("db", good)
	cuts := appendCut(nil, now, []string{"x", "y"})
	s := savedIn(t, cuts)
	// another book goes on, whose numbers of rules are others
	now = NewBook([]*Rule{c, b}, 2)
	now.number, now.changed = s.number, map[event.Key]struct{}{}
	see("cache", bad)
	cuts = appendCut(cuts, now, []string{"x", "y"})
	for name, state := range map[string]*Saved{"it": savedIn(t, cuts)} {
		book := Restore([]*Rule{b, c, a}, []string{"z", "y", "x"}, state, begin)
		var got []string
		for _, k := range book.Keys() {
			for receiver := range 3 {
				for _, tr := range owedOf(book, k, receiver) {
					got = append(got, fmt.Sprint(k.Name, " ", tr.Rule.Name(), " ", tr.State, " ",
						receiver))
				}
			}
		}
		want := []string{"cache b violated 0", "cache b violated 1", "cache b violated 2",
			"db a violated 1", "db a resolved 1", "web a violated 0", "web a violated 1",
			"web a violated 2"}
		if !slices.Equal(got, want) || book.number != now.number {
			t.Errorf("%s: %q\nwant %q", name, got, want)
		}
	}
}

func TestRulesAndReceiversAreFoundByTheirNames(t *testing.T) {
	a, other := severe(t, "a", "low"), severe(t, "other", "low")
	b := NewBook([]*Rule{a, other}, 3)
	e := b.Evaluator(nil)
	o := e.Evaluate(event.Event{Op: event.Add, Object: pod(t, "web", "u", bad)}, begin)
	for _, tr := range o.Transitions {
		b.Took(key("web"), tr, 1, begin)
	}
	from := []string{"x", "y", "z"}
	b = restored(t, b, []*Rule{severe(t, "b", "low"), severe(t, "a", "high")}, from,
		[]string{"new", "", "z", "y"}, begin)
	wantOwed(t, b, 0, "violated a low u")
	wantOwed(t, b, 1)
	wantOwed(t, b, 2, "violated a low u")
	wantOwed(t, b, 3, "resolved other low u")
	if got := opened(b); got != "a high shop/web u since 0s: a" {
		t.Errorf("open: %s", got)
	}
	b.Evaluator(nil).Evaluate(event.Event{Op: event.Update, Object: pod(t, "web", "u", good)},
		begin)
	wantOwed(t, b, 3, "resolved other low u", "resolved a low u")
	wantOwed(t, b, 0)
}

func TestDamagedRecordsAreRefused(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 0), rule(t, "b", deny, time.Second, 0)}, 1)
	begun(t, b, bad)
	begun(t, b, good)
	begun(t, b, bad)
	records := recordtest.Apply(wholeOf(b, []string{"out"}))[Part]
	refused := func(what string, key event.Key, value []byte) {
		t.Helper()
		damaged := maps.Clone(records)
		if damaged[key] = (recorded.Record{Value: value}); value == nil {
			delete(damaged, key)
		}
		if _, err := ReadSaved(damaged); !errors.Is(err, recorded.ErrDamaged) {
			t.Errorf("%s of %v: %v", what, key, err)
		}
	}
	for key, r := range records {
		for n := range r.Value {
			refused(fmt.Sprint(n, " bytes"), key, r.Value[:n:n])
		}
		refused("one byte too much", key, append(slices.Clone(r.Value), 0))
	}
	refused("nothing", event.Key{}, nil)
}

// FuzzSaved: no bytes make a book that does not work.
func FuzzSaved(f *testing.F) {
	all, out := []*Rule{rule(f, "a", deny, 0, 0), rule(f, "b", deny, time.Second, time.Second)},
		[]string{"out", "other"}
	b := NewBook(all, 2)
	e := b.Evaluator(nil)
	for i, fields := range []string{bad, bad, good, bad, good} {
		o := e.Evaluate(event.Event{Op: event.Update, Object: pod(f, "web", "u", fields)},
			begin.Add(time.Duration(i)*time.Second))
		for _, t := range o.Transitions {
			b.Begin(key("web"), t, 0)
		}
		records := recordtest.Apply(wholeOf(b, out))[Part]
		f.Add(records[event.Key{}].Value, records[key("web")].Value)
	}
	f.Fuzz(func(t *testing.T, head, web []byte) {
		s, err := ReadSaved(map[event.Key]recorded.Record{{}: {Value: head},
			key("web"): {Value: web}})
		if err != nil {
			return
		}
		b := Restore(all, out, s, begin)
		e := b.Evaluator(nil)
		for _, k := range b.Keys() {
			for receiver := range out {
				for _, tr := range owedOf(b, k, receiver) {
					if b.Begin(k, tr, receiver) {
						b.Took(k, tr, receiver, begin)
					}
				}
			}
		}
		evaluate(e, event.Event{Op: event.Update, Object: pod(t, "web", "u", good)}, begin)
		again := restored(t, b, all, out, out, begin)
		if !slices.Equal(again.Keys(), b.Keys()) || len(again.Open()) != len(b.Open()) {
			t.Errorf("%v is %v when it is restored", b.Keys(), again.Keys())
		}
	})
}

// BenchmarkCut is a cut of a book with 100,000 violations.
func BenchmarkCut(b *testing.B) {
	book, out := violate(b, manyViolations), []string{"out"}
	bytes := &written{}
	book.Cut(bytes, out)
	b.Logf("%d bytes for each violation", bytes.Len()/manyViolations)
	b.Run("Whole", func(b *testing.B) {
		for b.Loop() {
			bytes.Buffer.Reset()
			book.Whole(bytes, out)
		}
	})
	b.Run("Longest", func(b *testing.B) { // for which an evaluation waits
		longest := time.Duration(0)
		for b.Loop() {
			done := make(chan struct{})
			go func() {
				bytes.Buffer.Reset()
				book.Whole(bytes, out)
				close(done)
			}()
			for over := false; !over; {
				begun := time.Now()
				book.Counts()
				longest = max(longest, time.Since(begun))
				select {
				case <-done:
					over = true
				case <-time.After(100 * time.Microsecond):
				}
			}
		}
		b.ReportMetric(float64(longest.Microseconds()), "longest-us")
	})
	b.Run("Changed", func(b *testing.B) { // 100 of them
		keys := book.Keys()[:100]
		b.ReportAllocs()
		for b.Loop() {
			for _, k := range keys {
				book.mark(k)
			}
			bytes.Buffer.Reset()
			book.Cut(bytes, out)
		}
	})
	b.Run("Restore", func(b *testing.B) {
		cut, rules := wholeOf(book, out), book.set.Load().rules
		for b.Loop() {
			if n := len(Restore(rules, out, savedIn(b, []recordtest.Cut{cut}), begin).objects); n !=
				manyViolations {
				b.Fatal(n)
			}
		}
	})
}

func TestADeleteThatComesAgainEndsNothingOfTheNextObject(t *testing.T) {
	all, out := []*Rule{rule(t, "a", deny, 0, 0)}, []string{"out"}
	b := NewBook(all, 1)
	begun(t, b, bad)
	again := restored(t, b, all, out, out, begin)
	over := event.Event{Op: event.Delete, Object: pod(t, "web", "before", bad), Resumed: true}
	if got := again.Evaluator(nil).Evaluate(over, begin); len(got.Transitions) > 0 {
		t.Errorf("the delete of another object reports %v", got.Transitions)
	}
	wantOwed(t, again, 0, "violated a medium u")
	over.Missed = 1 // it stands for events of the next object, too
	again.Evaluator(nil).Evaluate(over, begin)
	if got := owedTo(again, key("web"), 0); slices.Equal(got, []string{"violated a medium u"}) {
		t.Errorf("an event that stands for several has ended nothing, and %q are owed", got)
	}
}

// It still reports the ends that are owed of those before the next object: nothing else may.
func TestADeleteThatComesAgainReportsWhatIsOwed(t *testing.T) {
	all, out := []*Rule{rule(t, "a", deny, 0, 0)}, []string{"out"}
	for fields, want := range map[string]string{good: "resolved a medium u",
		bad: "resolved a medium u, violated a medium next"} {
		b := NewBook(all, 1)
		b.Took(key("web"), begun(t, b, bad), 0, begin)
		b.Evaluator(nil).Evaluate(event.Event{Op: event.Update,
			Object: pod(t, "web", "next", fields)}, begin)
		again := restored(t, b, all, out, out, begin)
		over := event.Event{Op: event.Delete, Object: pod(t, "web", "u", bad), Resumed: true}
		got := again.Evaluator(nil).Evaluate(over, begin).Transitions
		if len(got) != 1 || got[0].State != Resolved || got[0].UID != "u" || got[0].New {
			t.Errorf("it reports %v", got)
		}
		if owed := strings.Join(owedTo(again, key("web"), 0), ", "); owed != want {
			t.Errorf("%q is owed, want %q", owed, want)
		}
	}
}

// written takes records as a checkpoint does.
type written struct{ bytes.Buffer }

func (w *written) Reset()                   {}
func (w *written) Clear(string)             {}
func (w *written) Delete(string, event.Key) {}

func (w *written) Put(_ string, _ event.Key, value any, _ []*object.Object) {
	recorded.Encode(&w.Buffer, value)
}
