package informer

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

func only(ops ...event.Op) (set event.OpSet) {
	for _, op := range ops {
		set = set.With(op)
	}
	return set
}

func ofLabel(key string, test condition.Test, values ...string) condition.Condition {
	return condition.Condition{Of: condition.OfLabel, Key: key, Test: test, Values: values}
}

func ofField(path string, test condition.Test, values ...string) condition.Condition {
	return condition.Condition{Of: condition.OfField, Key: path, Test: test, Values: values}
}

func ofName(names ...string) []condition.Condition {
	return []condition.Condition{{Of: condition.OfName, Values: names}}
}

func TestConditionsOnObjects(t *testing.T) {
	web := labelled("shop", "web", "1", 1,
		`"tier":"front","empty":"","esc":"a\u0062","app.kubernetes.io/name":"web"`,
		`,"status":{"phase":"Running"},"spec":{"n":1,"list":["a"]}`)
	bare := labelled("", "node", "1", 1, "")
	odd := labelled("shop", "odd", "1", 1, `"tier":5,"null":null,"list":["front"]`,
		`,"status":{"phase":1}`)
	tests := []struct {
		condition      condition.Condition
		web, bare, odd bool
	}{
		{condition.Condition{}, false, false, false},
		{condition.Condition{Values: []string{"shop"}}, true, false, true},
		{condition.Condition{Values: []string{""}}, false, true, false},
		{condition.Condition{Values: []string{"z", "shop", "a", "shop"}}, true, false, true},
		{condition.Condition{Test: condition.NotIn, Values: []string{"shop", "pay"}}, false, true,
			false},
		{condition.Condition{Test: condition.NotIn}, true, true, true},
		{condition.Condition{Of: condition.OfName, Values: []string{"web", "node"}}, true, true,
			false},
		{condition.Condition{Of: condition.OfName, Test: condition.NotIn, Values: []string{"web"}},
			false, true, true},
		{ofLabel("tier", condition.In, "front"), true, false, false},
		{ofLabel("tier", condition.In, "back", "front", "5"), true, false, false},
		{ofLabel("tier", condition.In), false, false, false},
		{ofLabel("tier", condition.NotIn, "front"), false, true, true},
		{ofLabel("tier", condition.NotIn, "back", "middle", "5"), true, true, true},
		{ofLabel("tier", condition.Exists), true, false, true},
		// a label that is not a text passes both
		{ofLabel("tier", condition.NotExists), false, true, true},
		{ofLabel("null", condition.Exists), false, false, true},
		{ofLabel("null", condition.NotExists), true, true, true},
		{ofLabel("empty", condition.Exists), true, false, false},
		{ofLabel("empty", condition.In, ""), true, false, false},
		{ofLabel("esc", condition.In, "ab"), true, false, false},
		{ofLabel("app.kubernetes.io/name", condition.In, "web"), true, false, false},
		{ofLabel("metadata.labels.tier", condition.Exists), false, false, false},
		{ofField("status.phase", condition.In, "Running", "Pending"), true, false, false},
		{ofField("status.phase", condition.In, "1"), false, false, false},
		{ofField("status.phase", condition.NotIn, "Running"), false, true, true},
		{ofField("spec.list[0]", condition.In, "a"), true, false, false},
		{ofField("spec", condition.NotIn, "a"), true, true, true},
	}
	for _, tt := range tests {
		c, err := newConditions(only(event.Add), []condition.Condition{tt.condition}, false)
		if err != nil {
			t.Fatal(err)
		}
		j := c.matcher(&condition.Fields{})
		for o, want := range map[*object.Object]bool{web: tt.web, bare: tt.bare, odd: tt.odd} {
			if got := j.allows(
				&buffer.Entry{Event: event.Event{Op: event.Add, Object: o}}); got != want {
				t.Errorf("%s, %s: %t", tt.condition, o.Name(), got)
			}
			if j.allows(&buffer.Entry{Event: event.Event{Op: event.Delete, Object: o}}) {
				t.Errorf("%s, %s: a delete, which is not wanted", tt.condition, o.Name())
			}
		}
	}
}

// Where labels are no object at all, only what asks for a text is refused: there is nothing that
// could be known.
func TestConditionsOnOddLabels(t *testing.T) {
	for _, labels := range []string{`["tier"]`, `"tier"`, `5`} {
		o, err := (&object.Parser{}).Parse(
			[]byte(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":` + labels +
				`}}`))
		if err != nil {
			t.Fatal(err)
		}
		for test, want := range map[condition.Test]bool{condition.In: false, condition.NotIn: true,
			condition.Exists: true, condition.NotExists: true} {
			c, err := newConditions(only(event.Add), []condition.Condition{ofLabel("tier", test)},
				false)
			if err != nil {
				t.Fatal(err)
			}
			j := c.matcher(&condition.Fields{})
			if got := j.allows(
				&buffer.Entry{Event: event.Event{Op: event.Add, Object: o}}); got != want {
				t.Errorf("%s, %s: %t", labels, c.list[0], got)
			}
		}
	}
}

// All conditions must hold.
func TestConditionsAreAllAsked(t *testing.T) {
	c, err := newConditions(only(event.Add), []condition.Condition{ofLabel("a", condition.In, "1"),
		ofLabel("b", condition.NotIn, "2"), {Values: []string{"shop"}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	j := c.matcher(&condition.Fields{})
	for text, want := range map[string]bool{
		`shop "a":"1"`: true, `shop "a":"1","b":"1"`: true, `shop "a":"1","b":"2"`: false,
		`shop "a":"2"`: false, `pay "a":"1"`: false, `shop "b":"1"`: false,
	} {
		var namespace, labels string
		if _, err := fmt.Sscan(text, &namespace, &labels); err != nil {
			t.Fatal(err)
		}
		if got := j.allows(&buffer.Entry{Event: event.Event{Op: event.Add,
			Object: labelled(namespace, "p", "1", 1, labels)}}); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

func TestConditionsThatMakeNoSense(t *testing.T) {
	for want, bad := range map[string]condition.Condition{
		`subscription "n": condition 2, label("") in ["a"]: the label's key is missing`:                                             {Of: condition.OfLabel, Values: []string{"a"}},
		`subscription "n": condition 2, name not in ["a", "b"]: a key is for labels and fields alone`:                               {Of: condition.OfName, Key: "k", Test: condition.NotIn, Values: []string{"a", "b"}},
		`subscription "n": condition 2, a..b in []: field path "a..b", offset 1: expected a field name; quote other names as ["…"]`: ofField("a..b", condition.In),
		`subscription "n": condition 2,  in []: field path is empty`:                                                                ofField("", condition.In),
		`subscription "n": condition 2, .x exists: it is not a condition on an item of a list`:                                      {Of: condition.OfItem, Key: "x", Test: condition.Exists},
		`subscription "n": condition 2, namespace exists: only labels and fields may exist or not`:                                  {Test: condition.Exists},
		`subscription "n": condition 2, label("k") does not exist "": this test has nothing to do with values`:                      ofLabel("k", condition.NotExists, ""),
		`subscription "n": condition 2, subject 7 in []: there is no such subject`:                                                  {Of: condition.OfAlternatives + 1},
		`subscription "n": condition 2, namespace test 26: there is no such test`:                                                   {Test: condition.Every + 1},
	} {
		_, err := NewSubscription(
			SubscriptionConfig{Name: "n",
				Conditions: []condition.Condition{ofLabel("k", condition.Exists), bad}})
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// What is refused takes no room: a buffer of one is enough for one object among many.
func TestWhatIsRefusedNeverEntersTheBuffer(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{Capacity: 1, Conditions: ofName("a")})
		w.applyEach("b", "c", "b", "a", "b", "c")
		w.server.remove("b")
		synctest.Wait()
		if s := sub.Stats(); s.Refused != 6 || s.Offered != 1 || s.Held != 1 ||
			s.Marked+s.Backlog != 0 || s.Coalesced != 0 {
			t.Errorf("%+v", s)
		}
		expect(t, w.serve(sub).take(), "add a/1 104")
	})
}

// A late subscription's snapshot of the store is judged as well, and it has synced without what was
// refused.
func TestALateListenerGetsWhatItsConditionsAllow(t *testing.T) {
	inWorld(t, func(w *world) {
		w.subscribe(SubscriptionConfig{})
		w.applyEach("a", "b", "c", "d")
		some, someReg, sub := w.subscribe(SubscriptionConfig{Conditions: ofName("b", "d")})
		got := some.take() // the store has no order
		slices.Sort(got)
		expect(t, got, "add b/1 102*", "add d/1 104*")
		if s := sub.Stats(); !someReg.HasSynced() || s.Refused != 2 || s.Offered != 2 {
			t.Errorf("synced %t, %+v", someReg.HasSynced(), s)
		}
		for _, cfg := range []SubscriptionConfig{{Conditions: ofName("z")}, {
			On: only(event.Update, event.Delete), Conditions: ofName("a")}} {
			none, reg, sub := w.subscribe(cfg)
			expect(t, none.take())
			if s := sub.Stats(); !reg.HasSynced() || s.Refused != 4 || s.Offered != 0 {
				t.Errorf("synced %t, %+v", reg.HasSynced(), s)
			}
		}
	})
}

// So is the first list.
func TestTheFirstListIsJudged(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		w.server.apply("b", "1", "")
		w.server.apply("c", "1", "")
		reg, sub := w.hang(SubscriptionConfig{Conditions: ofName("b")})
		if s := sub.Stats(); reg.HasSynced() || s.Held != 1 || s.Refused != 2 {
			t.Errorf("synced %t, %+v", reg.HasSynced(), s)
		}
		expect(t, w.serve(sub).take(), "add b/1 102*")
		if !reg.HasSynced() {
			t.Error("not synced")
		}
	})
}

// And resyncs, those of its own period and those of a new list.
func TestResyncsAreJudged(t *testing.T) {
	inWorld(t, func(w *world) {
		r, _, sub := w.subscribe(SubscriptionConfig{Resync: time.Hour, Conditions: ofName("b")})
		w.applyEach("a", "b", "c")
		expect(t, r.take(), "add b/1 102")
		time.Sleep(time.Hour + time.Second)
		expect(t, r.take(), "resync b/1 102")
		w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
		time.Sleep(time.Minute)
		expect(t, r.take(), "resync b/1 102")
		if s := sub.Stats(); s.Refused != 6 || s.Offered != 3 {
			t.Errorf("%+v", s)
		}
	})
}

// Each event is judged by its own object, as a filter behind the buffer would do: an object that
// comes to fit is an update whose old state the subscription was never told of, and one that stops
// fitting is heard of no more.
func TestEventsAreJudgedByTheirOwnObject(t *testing.T) {
	sub, err := NewSubscription(SubscriptionConfig{
		Conditions: []condition.Condition{ofLabel("tier", condition.In, "x")}})
	if err != nil {
		t.Fatal(err)
	}
	ctl := &controller{queue: queue.New(10), store: store.New(), proc: &processor{},
		joined: newSignal()}
	ctl.proc.join(sub, ctl.store, time.Now())
	for i, step := range []struct {
		typ  queue.Type
		tier string
		want string
	}{
		{queue.Added, "y", ""},
		{queue.Updated, "x", "update p/1 1 was 0"},
		{queue.Updated, "y", ""},
		{queue.Updated, "x", "update p/1 3 was 2"},
		{queue.Updated, "y", ""},
		{queue.Deleted, "y", ""},
		{queue.Added, "x", "add p/1 6"},
		{queue.Deleted, "x", "delete p/1 7"},
	} {
		ctl.apply(&queue.Delta{Type: step.typ,
			Object: labelled("shop", "p", "1", i, fmt.Sprintf(`"tier":%q`, step.tier))})
		e, ok := sub.buf.Take()
		got := ""
		if ok {
			got = story(e.Event)
			sub.finish(&e, true)
		}
		if got != step.want {
			t.Errorf("step %d: got %q, want %q", i, got, step.want)
		}
	}
	if s := sub.Stats(); s.Refused != 4 || s.Offered != 4 {
		t.Errorf("%+v", s)
	}
}

// With Transitions, an update is let in for its old state as well: the subscription learns that an
// object has stopped fitting.
func TestTransitionsAreJudgedByBothStates(t *testing.T) {
	sub, err := NewSubscription(SubscriptionConfig{
		Conditions:  []condition.Condition{ofField("status.phase", condition.In, "x")},
		Transitions: true})
	if err != nil {
		t.Fatal(err)
	}
	ctl := &controller{queue: queue.New(10), store: store.New(), proc: &processor{},
		joined: newSignal()}
	ctl.proc.join(sub, ctl.store, time.Now())
	for i, step := range []struct {
		typ   queue.Type
		phase string
		want  string
	}{
		{queue.Added, "y", ""},
		{queue.Updated, "x", "update p/1 1 was 0"},
		{queue.Updated, "x", "update p/1 2 was 1"},
		{queue.Updated, "y", "update p/1 3 was 2"},
		{queue.Updated, "y", ""},
		{queue.Deleted, "y", ""},
	} {
		ctl.apply(&queue.Delta{Type: step.typ,
			Object: labelled("shop", "p", "1", i, "",
				fmt.Sprintf(`,"status":{"phase":%q}`, step.phase))})
		e, ok := sub.buf.Take()
		got := ""
		if ok {
			got = story(e.Event)
			sub.finish(&e, true)
		}
		if got != step.want {
			t.Errorf("step %d: got %q, want %q", i, got, step.want)
		}
	}
}

// Only what is wanted is merged into a mark: the object is delivered in the last state that fits,
// although it has moved on by then.
func TestAMarkKeepsTheLastStateThatFits(t *testing.T) {
	sub, err := NewSubscription(SubscriptionConfig{Capacity: 1,
		Conditions: []condition.Condition{ofLabel("tier", condition.In, "x")}})
	if err != nil {
		t.Fatal(err)
	}
	ctl := &controller{queue: queue.New(10), store: store.New(), proc: &processor{},
		joined: newSignal()}
	reg := ctl.proc.join(sub, ctl.store, time.Now())
	for i, tier := range []string{"x", "x", "y", "x", "y", "y"} {
		ctl.apply(&queue.Delta{Type: queue.Updated, Initial: i == 0,
			Object: labelled("shop", "p", "1", i, fmt.Sprintf(`"tier":%q`, tier))})
	}
	if s := sub.Stats(); s.Refused != 3 || s.Coalesced != 1 || s.Marked != 1 || reg.Initials != 1 {
		t.Errorf("%+v, %d initial adds", s, reg.Initials)
	}
	for _, want := range []string{"add p/1 0*", "update p/1 3~1 was 0"} {
		e, ok := sub.buf.Take()
		if !ok || story(e.Event) != want {
			t.Fatalf("%t, got %s, want %s", ok, story(e.Event), want)
		}
		sub.finish(&e, true)
	}
	if !sub.buf.Empty() || reg.Initials != 0 {
		t.Errorf("%+v", sub.Stats())
	}
}

// To refuse takes neither memory nor the subscription's lock, with which its workers are busy.
func TestRefusingTakesNoLockAndNoMemory(t *testing.T) {
	refusing := []SubscriptionConfig{
		{On: only(event.Delete)}, {Conditions: []condition.Condition{{Values: []string{"pay"}}}}, {
			Conditions: ofName("q", "r")},
		{Conditions: []condition.Condition{ofLabel("a", condition.NotIn, "2", "3"),
			ofLabel("tier", condition.In, "x")}}, {Conditions: []condition.Condition{
			ofLabel("z", condition.Exists)}},
		{Conditions: []condition.Condition{ofField("status.phase", condition.In, "x")},
			Transitions: true},
	}
	for _, kind := range further {
		refusing = append(refusing, SubscriptionConfig{Conditions: kind.conditions(1)})
	}
	proc, store := &processor{}, store.New()
	for _, cfg := range refusing {
		sub, err := NewSubscription(cfg)
		if err != nil {
			t.Fatal(err)
		}
		reg := proc.join(sub, store, time.Now())
		sub.mu.Lock() // to ask for it once more would hang
		defer sub.mu.Unlock()
		defer func() {
			if got := reg.subscription.refused.Load(); got != 101 {
				t.Errorf("%s: refused %d of 101", cfg.Conditions, got)
			}
		}()
	}
	e := event.Event{Op: event.Add, Object: labelled("shop", "p", "1", 1, `"a":"1","tier":"y"`)}
	if n := testing.AllocsPerRun(100, func() { proc.distribute(e, false) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// When a subscription leaves, the others are still judged by their own fields.
func TestListenersAreJudgedByTheirOwnFieldsWhenOthersLeave(t *testing.T) {
	proc, store := &processor{}, store.New()
	var regs []*registration
	for _, phase := range []string{"w", "x", "y", "z"} {
		sub, err := NewSubscription(
			SubscriptionConfig{
				Conditions: []condition.Condition{ofField("status."+phase, condition.In,
					phase)}})
		if err != nil {
			t.Fatal(err)
		}
		regs = append(regs, proc.join(sub, store, time.Now()))
	}
	for version, leaving := range []int{-1, 0, 2, 1} {
		if leaving >= 0 {
			proc.leave(regs[leaving])
			regs[leaving] = nil
		}
		proc.distribute(event.Event{Op: event.Add,
			Object: labelled("shop", "p", "1", version, "",
				`,"status":{"y":"y","x":"w","w":"w","z":"z"}`)}, false)
		var got []int
		for i, reg := range regs {
			if reg == nil {
				continue
			}
			if e, ok := reg.subscription.buf.Take(); ok {
				got = append(got, i)
				reg.subscription.finish(&e, true)
			}
		}
		if want := [][]int{{0, 2, 3}, {2, 3}, {3}, {3}}[version]; !slices.Equal(got, want) {
			t.Errorf("after %d subscriptions have left, %v got the event, want %v", version, got,
				want)
		}
	}
}

func newConditions(on event.OpSet, list []condition.Condition, transitions bool) (*conditions,
	error) {
	return &conditions{on: on, list: list, transitions: transitions}, condition.Validate(list)
}
