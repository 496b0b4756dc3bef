package route

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// parsed returns an object.
func parsed(text []byte) (*object.Object, error) { return (&object.Parser{}).Parse(text) }

func newMessages(t testing.TB) *cloudevent.Builder {
	t.Helper()
	b, err := cloudevent.NewBuilder(sink.Origin{Cluster: "c", Listener: "l", Resource: "pods",
		Version: "v1", Kind: "Pod"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// newKept is newFed for a route that keeps what a restart needs, and is ready to run.
func newKept(t *testing.T, outputs int, how func(*fed)) *fed {
	t.Helper()
	f := newFed(t, outputs, Buffer{Capacity: 100})
	f.Keep, f.Letters, f.Messages = true, &letters{}, newMessages(t)
	f.On = event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete)
	f.Retry.MaxBackoff = time.Second
	if how != nil {
		how(f)
	}
	var err error
	if f.Route, err = New(f.Config); err != nil {
		t.Fatal(err)
	}
	return f
}

// stop ends a route at once.
func (f *fed) stop(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Drain(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-f.ended; !errors.Is(err, context.Canceled) && err != nil {
		t.Error(err)
	}
}

// saved returns what cuts add up to.
func saved(t testing.TB, cuts ...recordtest.Cut) *Saved {
	t.Helper()
	s, err := Read(recordtest.Apply(cuts...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// goOn returns a route that goes on with what was kept, with the rules.
func goOn(t *testing.T, s *Saved, outputs int, how func(*fed), all ...*rules.Rule) *fed {
	t.Helper()
	f := newKept(t, outputs, func(f *fed) {
		if s.Rules() != nil {
			var names []string
			for _, out := range f.Outputs {
				names = append(names, out.To.Name)
			}
			f.Rules, f.RuleSet = rules.Restore(all, names, s.Rules(), time.Now()), all
		}
		if how != nil {
			how(f)
		}
	})
	if err := f.exchange(&f.Pipeline); err != nil {
		t.Fatal(err)
	}
	if err := f.Restore(s); err != nil {
		t.Fatal(err)
	}
	return f
}

// begin is start for a route that has kept nothing.
func (f *fed) begin(t *testing.T) {
	t.Helper()
	if err := f.exchange(&f.Pipeline); err != nil {
		t.Fatal(err)
	}
	f.start(t)
}

// letters returns what dead letters there are: an output, a reason and an object.
func (f *fed) deadLetters() (all []string) {
	l := f.Letters.(*letters)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, letter := range l.all {
		all = append(all, letter.Output+" "+letter.Reason+" "+letter.Name)
	}
	slices.Sort(all)
	return all
}

func TestARestoredRouteSendsWhatWasUnsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newKept(t, 2, nil)
		f.begin(t)
		f.away(1, time.Hour)
		f.change(t, 1, "Running", "a")
		first := recordtest.Of(f.Cut)
		f.change(t, 2, "Running", "a")
		f.change(t, 1, "Running", "b")
		second := recordtest.Of(f.Cut)
		f.stop(t)
		third := recordtest.Of(f.Cut)
		s := saved(t, first, second, third)
		if n, outs := s.Unsent(), s.UnsentTo(); n != 3 ||
			!maps.Equal(outs, map[string]int{"out1": 3}) {
			t.Errorf("%d entries for %v are unsent", n, outs)
		}
		next := goOn(t, saved(t, recordtest.Of(recordtest.Apply(first, second, third).Write)), 2, nil)
		restored := recordtest.Of(next.Cut)
		if n := len(recordtest.Apply(restored)[restoredPart(2)]); n != 2 {
			t.Errorf("the first cut has %d restored versions: %+v", n, restored)
		}
		if cut := recordtest.Of(next.Cut); cut != nil {
			t.Errorf("nothing has happened, but the cut is %+v", cut)
		}
		next.last = f.last
		next.change(t, 3, "Running", "a")
		next.start(t)
		next.expect(t, 0, "a@3")
		next.expect(t, 1, "a@1", "a@2", "a@3", "b@1")
		if got := next.got(1); slices.Index(got, "a@3") < slices.Index(got, "a@2") ||
			slices.Index(got, "a@2") < slices.Index(got, "a@1") {
			t.Errorf("%v", got)
		}
		fourth := recordtest.Of(next.Cut)
		if n := saved(t, first, second, third, restored, fourth).Unsent(); n != 0 {
			t.Errorf("%d entries are unsent in the end", n)
		}
		next.stop(t)
	})
}

func TestWhatWasUnsentForARemovedOutputIsADeadLetter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newKept(t, 3, nil)
		f.begin(t)
		f.away(1, time.Hour)
		f.hold(2, time.Hour)
		f.away(2, time.Hour)
		f.change(t, 1, "Running", "a")
		f.stop(t)
		// out2 is removed, and is there again, while nothing can be a dead letter
		cuts := []recordtest.Cut{recordtest.Of(f.Cut)}
		all := f.Outputs
		without := f.Pipeline
		without.Outputs = all[:2]
		if err := f.exchange(&without); err != nil {
			t.Fatal(err)
		}
		cuts = append(cuts, recordtest.Of(f.Cut))
		if err := f.exchange(&f.Pipeline); err != nil {
			t.Fatal(err)
		}
		if n := f.Stats().Leaving; n != 1 {
			t.Fatalf("%d entries are leaving", n)
		}
		for name, s := range map[string]*Saved{"cuts": saved(t, cuts...),
			"whole": saved(t, recordtest.Of(f.Whole))} {
			next := goOn(t, s, 3, func(f *fed) { f.Outputs = slices.Delete(f.Outputs, 1, 2) })
			next.change(t, 2, "Running", "a")
			if n := next.Stats().Leaving; n != 2 {
				t.Errorf("%s: %d entries are leaving", name, n)
			}
			synctest.Wait()
			store := next.Letters.(*letters)
			store.mu.Lock()
			store.fails = 2
			store.mu.Unlock()
			next.start(t)
			next.expect(t, 0, "a@2")
			next.expect(t, 2) // until what waited before is a dead letter
			time.Sleep(time.Minute)
			next.expect(t, 2, "a@2")
			expectAll(t, name, next.deadLetters(), "out1 "+deadletter.OutputRemoved+" a",
				"out2 "+deadletter.OutputRemoved+" a")
			cut := recordtest.Of(next.Cut)
			if n := saved(t, append(cuts, cut)...).Unsent(); n != 0 {
				t.Errorf("%s: %d entries are unsent in the end", name, n)
			}
			next.stop(t)
		}
	})
}

func TestRulesGoOnAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := pending(10 * time.Second)
		d.Deny.Kind = filters.KindDeny
		rule, err := rules.Compile(d)
		if err != nil {
			t.Fatal(err)
		}
		f := newKept(t, 2, func(f *fed) {
			f.Rules, f.RuleSet = rules.NewBook([]*rules.Rule{rule}, 2), []*rules.Rule{rule}
			f.Quiet = true
		})
		f.begin(t)
		f.change(t, 1, "Pending", "a")
		cuts := []recordtest.Cut{}
		restart := func() {
			cuts = append(cuts, recordtest.Of(f.Cut))
			f.stop(t)
			next := goOn(t, saved(t, cuts...), 2, func(f *fed) { f.Quiet = true }, rule)
			next.last = f.last
			f = next
			f.start(t)
			f.offerNow(t, event.Event{Op: event.Resync, Object: f.last["a"]})
		}
		time.Sleep(6 * time.Second)
		restart()
		f.expect(t, 0)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		f.expect(t, 0, "stuck violated")
		f.away(1, time.Minute)
		f.change(t, 2, "Running", "a")
		f.expect(t, 0, "stuck violated", "stuck resolved")
		restart()
		time.Sleep(time.Hour)
		synctest.Wait()
		f.expect(t, 0)
		f.expect(t, 1, "stuck resolved")
		// without rules there is no book any more
		cuts = append(cuts, recordtest.Of(f.Cut))
		f.stop(t)
		without := goOn(t, saved(t, cuts...), 2, func(f *fed) { f.Rules, f.RuleSet = nil, nil })
		cuts = append(cuts, recordtest.Of(without.Cut))
		if s := saved(t, cuts...); s.Rules() != nil {
			t.Error("there are rules")
		}
		if s := saved(t, recordtest.Of(without.Whole)); s.Rules() != nil {
			t.Error("there are rules in the whole")
		}
	})
}

// A process dies once a report was sent, and the object is mended, or broken again, when the next
// one begins.
func TestAReportIsSentOnceItIsOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := pending(0)
		d.Deny.Kind = filters.KindDeny
		rule, err := rules.Compile(d)
		if err != nil {
			t.Fatal(err)
		}
		var f *fed
		var works atomic.Bool
		cuts := make(chan recordtest.Cut, 10)
		f = newKept(t, 1, func(f *fed) {
			f.Rules, f.RuleSet = rules.NewBook([]*rules.Rule{rule}, 1), []*rules.Rule{rule}
		})
		f.await = func(context.Context) error {
			if !works.Load() {
				return errors.New("the disk is full")
			}
			cuts <- recordtest.Of(f.Cut)
			return nil
		}
		f.begin(t)
		f.change(t, 1, "Running", "b")
		f.change(t, 1, "Pending", "a")
		time.Sleep(time.Minute)
		synctest.Wait()
		f.expect(t, 0, "b@1") // which waits for nothing
		if s := f.Stats(); s.Retried != 0 || s.DeadLetters != 0 || len(f.deadLetters()) != 0 {
			t.Errorf("%+v", s)
		}
		works.Store(true)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		f.expect(t, 0, "b@1", "stuck violated", "a@1")
		f.stop(t)
		next := goOn(t, saved(t, <-cuts), 1, nil, rule)
		first := recordtest.Of(next.Whole)
		next.await = func(context.Context) error {
			cuts <- recordtest.Of(next.Cut)
			return nil
		}
		next.last = f.last
		next.start(t)
		next.change(t, 2, "Running", "a")
		got := next.got(0)
		if n := slices.Index(got, "stuck resolved"); n < 0 || n < slices.Index(got,
			"stuck violated") {
			t.Errorf("%v", got)
		}
		next.stop(t)
		close(cuts)
		all := []recordtest.Cut{first}
		for cut := range cuts {
			all = append(all, cut)
		}
		last := goOn(t, saved(t, all...), 1, nil, rule)
		last.last = next.last
		last.start(t)
		last.change(t, 3, "Pending", "a")
		got = last.got(0)
		if n := slices.Index(got, "stuck violated"); n < 0 || n < slices.Index(got,
			"stuck resolved") {
			t.Errorf("in the end %v", got)
		}
		last.stop(t)
	})
}

// inTheFirstHour selects all objects in the first hour of a bubble.
const inTheFirstHour = `age("2000-01-01T00:00:00Z") < "1h"`

func TestAnObjectThatWasSelectedStaysSoAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		how := func(f *fed) {
			f.Select = expression(t, inTheFirstHour, filters.KindSelect)
		}
		f := newKept(t, 1, how)
		f.begin(t)
		f.change(t, 1, "Running", "a", "b")
		f.offerNow(t, event.Event{Op: event.Delete, Object: f.last["b"]})
		synctest.Wait()
		cuts := []recordtest.Cut{recordtest.Of(f.Cut)}
		f.stop(t)
		time.Sleep(2 * time.Hour)
		for name, s := range map[string]*Saved{"cut": saved(t, cuts...),
			"whole": saved(t, recordtest.Of(f.Whole)),
			"saved": saved(t, recordtest.Of(recordtest.Apply(cuts...).Write))} {
			next := goOn(t, s, 1, how)
			if n := next.Stats().Members; n != 1 {
				t.Errorf("%s: %d members", name, n)
			}
			next.start(t)
			next.offerNow(t, event.Event{Op: event.Resync, Object: f.last["a"]})
			next.offerNow(t, event.Event{Op: event.Resync, Object: f.last["b"]})
			synctest.Wait()
			expectAll(t, name, next.outs[0].got, "deleted pods/shop/a")
			if n := len(saved(t, cuts[0], recordtest.Of(next.Cut)).members); n != 0 {
				t.Errorf("%s: %d members in the end", name, n)
			}
			next.stop(t)
		}
		// without a select nothing is remembered
		next := goOn(t, saved(t, cuts...), 1, nil)
		if n := len(saved(t, cuts[0], recordtest.Of(next.Cut)).members); n != 0 ||
			next.Stats().Members != 0 {
			t.Errorf("%d members without a select", n)
		}
	})
}

func TestAnEventGoesIntoAllOutboxesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newKept(t, 2, func(f *fed) {
			f.Buffer = Buffer{Capacity: 1, Overflow: informer.OverflowBlock}
			f.hold(1, time.Hour)
		})
		f.begin(t)
		for _, name := range []string{"a", "b", "c"} {
			f.change(t, 1, "Running", name)
		}
		f.expect(t, 0, "a@1", "b@1")
		if n := f.queue.Waiting(); n != 1 {
			t.Errorf("%d events wait, and c is the only one that no output has", n)
		}
		s := saved(t, recordtest.Of(f.Cut))
		without := f.Pipeline
		without.Outputs = without.Outputs[:1]
		if err := f.exchange(&without); err != nil { // nobody waits for the other one any more
			t.Fatal(err)
		}
		synctest.Wait()
		f.expect(t, 0, "a@1", "b@1", "c@1")
		f.stop(t)
		next := goOn(t, s, 2, nil)
		next.start(t)
		next.expect(t, 0)
		next.expect(t, 1, "a@1", "b@1")
		next.stop(t)
	})
}

func TestWhatWaitsForTheOnlyOutboxGoesIntoIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newKept(t, 1, func(f *fed) {
			f.Buffer = Buffer{Capacity: 1, Overflow: informer.OverflowBlock}
			f.Workers = 2
			f.hold(0, time.Hour)
			f.newGuest = func(context.Context) (guest, error) { return f.puppet, nil }
			f.puppet.lasts = time.Second
		})
		if err := f.exchange(&f.Pipeline); err != nil {
			t.Fatal(err)
		}
		f.change(t, 1, "Running", "a", "b") // each worker handles one
		f.start(t)
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := f.queue.Waiting(); n != 1 {
			t.Errorf("%d events wait", n)
		}
		f.stop(t)
		if n := f.queue.Waiting(); n != 0 || len(f.called()) != 2 {
			t.Errorf("%d events wait", n)
		}
		next := goOn(t, saved(t, recordtest.Of(f.Cut)), 1, nil)
		next.start(t)
		next.expect(t, 0, "a@1", "b@1")
		next.stop(t)
	})
}

func TestEndAbsentEndsWhatThereIsNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := pending(0)
		d.Deny.Kind = filters.KindDeny
		rule, err := rules.Compile(d)
		if err != nil {
			t.Fatal(err)
		}
		how := func(f *fed) { f.Select = expression(t, inTheFirstHour, filters.KindSelect) }
		f := newKept(t, 1, func(f *fed) {
			f.Rules, f.RuleSet = rules.NewBook([]*rules.Rule{rule}, 1), []*rules.Rule{rule}
			how(f)
		})
		f.begin(t)
		f.change(t, 1, "Pending", "a", "b", "d")
		f.change(t, 1, "Running", "c")
		f.stop(t)
		next := goOn(t, saved(t, recordtest.Of(f.Cut)), 1, how, rule)
		next.last = f.last
		next.outs[0].fail = func(_ int, m sink.Message) error {
			if m.Object.Name() == "d" {
				return errors.New("down")
			}
			return nil
		}
		next.start(t)
		var mu sync.Mutex
		asked := map[string]int{}
		stored := func(key event.Key) bool {
			mu.Lock()
			defer mu.Unlock()
			asked[key.Name]++
			// b is stored, and e comes back before a worker has its end
			return key.Name == "b" || key.Name == "e" && asked["e"] > 1
		}
		next.members.put(event.Key{Namespace: "shop", Name: "e"}, member{in: true}, true)
		if err := next.EndAbsent(t.Context(), stored); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		var got []string
		next.outs[0].mu.Lock()
		for _, m := range next.outs[0].messages {
			text := m.Object.Name() + " " + m.Type[strings.LastIndex(m.Type, ".")+1:]
			if m.Report == nil && (!m.FinalStateUnknown || m.Object.UID() != "" ||
				m.Object.Kind() != "Pod" || m.Object.APIVersion() != "v1") {
				t.Errorf("%s: %s", text, m.Object.JSON())
			}
			got = append(got, text)
		}
		next.outs[0].mu.Unlock()
		slices.Sort(got)
		expectAll(t, "written", got, "a deleted", "a resolved", "c deleted")
		if n := next.Stats().Members; n != 2 || asked["e"] != 2 { // b and e
			t.Errorf("%d members, %v", n, asked)
		}
		next.stop(t)
		if err := next.EndAbsent(t.Context(), func(event.Key) bool { return false }); err == nil {
			t.Error("the subscription has stopped")
		}
	})
}

// What is under way ends by itself, and while there is no room, EndAbsent waits.
func TestEndAbsentWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newKept(t, 1, nil)
		if err := f.EndAbsent(t.Context(), nil); err == nil {
			t.Error("it has not begun")
		}
		f.Select = expression(t, inTheFirstHour, filters.KindSelect)
		if err := f.exchange(&f.Pipeline); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b"} {
			f.members.put(event.Key{Namespace: "shop", Name: name}, member{in: true}, true)
		}
		f.change(t, 1, "Running", "b")
		err := f.queue.Reconfigure(informer.SubscriptionConfig{Capacity: 1})
		if err != nil {
			t.Fatal(err)
		}
		absent := func(event.Key) bool { return false }
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := f.EndAbsent(ctx, absent); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- f.EndAbsent(t.Context(), absent) }()
		f.start(t)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		slices.Sort(f.outs[0].got)
		if got := f.outs[0].got; !slices.Contains(got, "deleted pods/shop/a") {
			t.Errorf("%v", got)
		}
		f.stop(t)
	})
}

// Another object has taken the name of the one that an unsent event is about: what the rules report
// of it has its state.
func TestAReportHasItsOwnObjectAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := pending(0)
		d.Deny.Kind = filters.KindDeny
		rule, err := rules.Compile(d)
		if err != nil {
			t.Fatal(err)
		}
		as := func(version int, uid string) *object.Object {
			o, err := (&object.Parser{}).Parse([]byte(strings.Replace(
				pod(version, `"Pending"`).JSON(), `"uid":"u"`, `"uid":"`+uid+`"`, 1)))
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		f := newKept(t, 1, func(f *fed) {
			f.Rules, f.RuleSet = rules.NewBook([]*rules.Rule{rule}, 1), []*rules.Rule{rule}
			f.Quiet = true
		})
		f.begin(t)
		f.offerNow(t, event.Event{Op: event.Add, Object: as(1, "u1")})
		synctest.Wait()
		f.away(0, time.Hour)
		f.offerNow(t, event.Event{Op: event.Delete, Object: as(2, "u1")})
		f.offerNow(t, event.Event{Op: event.Add, Object: as(3, "u2")})
		synctest.Wait()
		cut := recordtest.Of(f.Cut)
		f.stop(t)
		next := goOn(t, saved(t, cut), 1, func(f *fed) { f.Quiet = true }, rule)
		next.start(t)
		time.Sleep(time.Second)
		synctest.Wait()
		var got []string
		for _, m := range next.outs[0].messages {
			got = append(got, strings.TrimPrefix(m.Type, "dev.informerd.rule.")+" "+m.UID+"@"+
				m.ResourceVersion)
		}
		expectAll(t, "after the restart", got, "resolved u1@2", "violated u2@3")
		next.stop(t)
	})
}

// The end of a violation was on its way when the next one was judged, and is not any more: the
// entry of the next one asks for what is owed when it is sent, since nothing else would.
func TestAReportThatWaitsIsAskedFor(t *testing.T) {
	b := book(t, pending(0))
	f := newKept(t, 1, func(f *fed) { f.Rules = b })
	seen := func(e event.Event) []rules.Transition {
		all := b.Evaluator(nil).Evaluate(e, time.Now()).Transitions
		return slices.DeleteFunc(slices.Clone(all), func(tr rules.Transition) bool {
			return !b.Begin(e.Object.Key(), tr, 0)
		})
	}
	in, out := pod(1, `"Pending"`), pod(2, `"Running"`)
	b.Took(in.Key(), seen(event.Event{Op: event.Add, Object: in})[0], 0, time.Now())
	resolved := seen(event.Event{Op: event.Update, Object: out, Old: in})[0]
	e := event.Event{Op: event.Update, Object: pod(3, `"Pending"`), Old: out}
	transitions := slices.Clone(b.Evaluator(nil).Evaluate(e, time.Now()).Transitions)
	b.Release(in.Key(), resolved, 0)
	stage := f.Outputs[0].stage()
	d := &informer.Delivery{Entry: informer.Entry{Event: e}}
	reports, waits := f.reports(transitions, 0, &stage, d, e)
	if len(transitions) != 1 || len(reports) != 0 || !waits {
		t.Errorf("%d transitions, %d reports, waits %t", len(transitions), len(reports), waits)
	}
}
