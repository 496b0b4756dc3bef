package informer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/condition/conditiontest"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// judged is a pipeline whose subscriptions come in groups of three at a time: one with conditions,
// and two that get everything, to tell what the first one has to get.
type judged struct {
	t       *rapid.T
	ctl     *controller
	version int
	current map[event.Key]*object.Object
	uids    map[event.Key]int
	now     time.Time
	groups  []*group
}

type group struct {
	on         event.OpSet
	conditions []condition.Condition
	both       bool      // an update is judged by its old state, too
	before     *received // conditions are asked before its buffer
	behind     *received // the same size, asked behind it
	all        *received // unlimited
}

// received is a subscription and what it got.
type received struct {
	sub    *Subscription
	reg    *registration
	events []event.Event
	// entries are the same, with what the subscription knows of each.
	entries []buffer.Entry
}

// wants is what conditions mean, said in another way.
func (g *group) wants(e buffer.Entry) bool {
	asked := condition.Event{Op: e.Op, Object: e.Object, Old: e.Old, Before: e.KnownBefore()}
	return (g.on == 0 || g.on.Has(e.Op)) && conditiontest.Hold(g.conditions, g.both, asked)
}

// fits is wants of a state, for conditions that ask about no more than that.
func (g *group) fits(o *object.Object) bool {
	return conditiontest.Hold(g.conditions, false, condition.Event{Op: event.Resync, Object: o})
}

func drawConditions(t *rapid.T) (on event.OpSet, conditions []condition.Condition) {
	for _, op := range event.Ops {
		if rapid.IntRange(0, 3).Draw(t, op.String()) > 0 {
			on = on.With(op)
		}
	}
	values := func(of ...string) []string {
		return rapid.SliceOfDistinct(rapid.SampledFrom(of), rapid.ID).Draw(t, "values")
	}
	for range rapid.IntRange(0, 2).Draw(t, "conditions") {
		c := condition.Condition{
			Of: rapid.SampledFrom([]condition.Subject{condition.OfNamespace, condition.OfName,
				condition.OfLabel, condition.OfLabel, condition.OfField}).Draw(t, "of"),
			Test: rapid.SampledFrom([]condition.Test{condition.In, condition.NotIn}).Draw(t,
				"test")}
		switch c.Of {
		case condition.OfNamespace:
			c.Values = values("shop", "pay", "none")
		case condition.OfName:
			c.Values = values("a", "b", "c")
		case condition.OfField:
			switch c.Key = "status.phase"; rapid.IntRange(0, 3).Draw(t, "field test") {
			case 0:
				c.Test = rapid.SampledFrom([]condition.Test{condition.Exists,
					condition.NotExists}).Draw(t, "there")
			case 1:
				c.Test, c.Values = rapid.SampledFrom([]condition.Test{condition.StartsWith,
					condition.NotEndsWith, condition.More}).Draw(t, "text test"), []string{"x"}
			default:
				c.Values = values("x", "y", "z")
			}
		case condition.OfLabel:
			c.Key = rapid.SampledFrom([]string{"tier", "app"}).Draw(t, "key")
			if c.Test = rapid.SampledFrom([]condition.Test{condition.In, condition.In,
				condition.NotIn, condition.Exists, condition.NotExists}).Draw(
				t, "label test"); c.Test < condition.Exists {
				c.Values = values("x", "y", "z")
			}
		}
		conditions = append(conditions, c)
	}
	return on, conditions
}

// drawEventConditions adds some on what is not a state: the op, the state before, and both of them.
func drawEventConditions(t *rapid.T) (on event.OpSet, conditions []condition.Condition) {
	on, conditions = drawConditions(t)
	phase := condition.Condition{Of: condition.OfField, Key: "status.phase"}
	differs, was := phase, phase
	differs.Test = condition.Differs
	was.Old, was.Test, was.Values = true,
		rapid.SampledFrom([]condition.Test{condition.In, condition.NotIn}).Draw(t, "old test"),
		[]string{"x"}
	op := condition.Condition{Of: condition.OfOp, Ops: only(event.Add, event.Delete)}
	switch rapid.IntRange(0, 4).Draw(t, "of the event") {
	case 0:
		conditions = append(conditions, differs)
	case 1:
		conditions = append(conditions, was)
	case 2:
		conditions = append(conditions, op)
	case 3:
		conditions = append(conditions,
			condition.Condition{Of: condition.OfAlternatives,
				Either: [][]condition.Condition{{op, was}, {differs}, conditions}})
	}
	return on, conditions
}

// run lets objects and subscriptions live, and everything that happened be told in the end.
func (j *judged) run(t *rapid.T, join func(*rapid.T) *group) {
	j.ctl = &controller{queue: queue.New(1 << 20), store: store.New(), proc: &processor{},
		joined: newSignal()}
	j.current, j.uids, j.now = map[event.Key]*object.Object{}, map[event.Key]int{}, time.Unix(0, 0)
	key := rapid.SampledFrom([]event.Key{{Namespace: "shop", Name: "a"}, {
		Namespace: "shop", Name: "b"}, {Namespace: "pay", Name: "a"}, {Name: "c"}})
	j.groups = append(j.groups, join(t))
	for range rapid.IntRange(0, 6).Draw(t, "listed") {
		j.change(t, key.Draw(t, "key"), false)
	}
	j.relist()
	t.Repeat(map[string]func(*rapid.T){
		"change": func(t *rapid.T) { j.change(t, key.Draw(t, "key"), true) },
		// twice as likely
		"change ":       func(t *rapid.T) { j.change(t, key.Draw(t, "key"), true) },
		"missed change": func(t *rapid.T) { j.change(t, key.Draw(t, "key"), false) },
		"relist":        func(*rapid.T) { j.relist() },
		"apply":         func(*rapid.T) { j.apply() },
		"time passes": func(*rapid.T) {
			j.now = j.now.Add(time.Minute)
			j.ctl.proc.startResync(j.now, j.ctl.store)
		},
		"join": func(t *rapid.T) {
			if len(j.groups) < 3 {
				j.groups = append(j.groups, join(t))
			}
		},
		"work": func(t *rapid.T) {
			g := j.groups[rapid.IntRange(0, len(j.groups)-1).Draw(t, "group")]
			rapid.SampledFrom([]*received{g.before, g.behind}).Draw(t,
				"subscription").work(rapid.IntRange(1, 4).Draw(t, "n"))
		},
	})
	j.relist()
	for j.apply() {
	}
	for _, g := range j.groups {
		for _, l := range []*received{g.before, g.behind, g.all} {
			l.work(1 << 20)
			if l.reg.Initials != 0 || !l.sub.buf.Empty() {
				t.Fatalf("%v: %d initial adds are not accounted for, %+v", g.conditions,
					l.reg.Initials, l.sub.Stats())
			}
		}
	}
}

func (j *judged) subscription(cfg SubscriptionConfig) *received {
	sub, err := NewSubscription(cfg)
	if err != nil {
		j.t.Fatal(err)
	}
	sub.diskByHand()
	return &received{sub: sub, reg: j.ctl.proc.join(sub, j.ctl.store, j.now)}
}

func (j *judged) change(t *rapid.T, key event.Key, watched bool) {
	j.version++
	typ := queue.Updated
	switch {
	case j.current[key] == nil:
		j.uids[key]++
		typ = queue.Added
	case rapid.IntRange(0, 2).Draw(t, "delete") == 0:
		typ = queue.Deleted
	}
	labels := rapid.SampledFrom([]string{"", `"tier":"x"`, `"tier":"y"`, `"tier":"x","app":"z"`,
		`"app":"x"`}).Draw(t, "labels")
	phase := rapid.SampledFrom([]string{"", `,"status":{"phase":"x"}`,
		`,"status":{"phase":"y"}`}).Draw(t, "phase")
	o := labelled(key.Namespace, key.Name, fmt.Sprint(j.uids[key]), j.version, labels, phase)
	if j.current[key] = o; typ == queue.Deleted {
		delete(j.current, key)
	}
	if !watched {
		return
	}
	d := queue.Delta{Type: typ, Object: o}
	if rapid.Bool().Draw(t, "at once") && j.ctl.applyNow(d) {
		return
	}
	if err := j.ctl.queue.Add(context.Background(), d); err != nil {
		t.Fatal(err)
	}
}

func (j *judged) relist() {
	var list []*object.Object
	for _, o := range j.current {
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b *object.Object) int {
		return strings.Compare(a.Key().String(), b.Key().String())
	})
	j.ctl.takeList(context.Background(), list, "", false)
}

func (j *judged) apply() bool {
	deltas, ok := j.ctl.queue.Pop()
	for i := range deltas {
		j.ctl.apply(&deltas[i])
	}
	if ok {
		j.ctl.queue.Done()
	}
	return ok
}

func (l *received) work(n int) {
	for range n {
		e, ok := l.sub.takeWithDisk()
		if !ok {
			return
		}
		l.events, l.entries = append(l.events, e.Event), append(l.entries, e)
		l.sub.finish(&e, true)
	}
}

// describe returns all that an event says.
func describe(e event.Event) string {
	return story(e) + " " + e.Object.Namespace() + " " + fmt.Sprint(e.Object.Labels())
}

// Without overflow, conditions before the buffer deliver what the same conditions behind it let
// through, event for event, and nothing else takes room. (Resyncs come when workers ask;
// TestResyncModel has those.)
func TestConditionsModelIsAFilterBehindTheBuffer(t *testing.T) {
	delivered := 0
	rapid.Check(t, func(t *rapid.T) {
		j := &judged{t: t}
		j.run(t, func(t *rapid.T) *group {
			g := &group{}
			g.on, g.conditions = drawEventConditions(t)
			g.both = rapid.Bool().Draw(t, "transitions")
			g.before = j.subscription(SubscriptionConfig{Capacity: 1 << 20, On: g.on,
				Conditions: g.conditions, Transitions: g.both})
			g.behind = j.subscription(SubscriptionConfig{Capacity: 1 << 20, Transitions: g.both})
			g.all = g.behind
			return g
		})
		for _, g := range j.groups {
			var want, got []string
			for _, e := range g.behind.entries {
				if g.wants(e) {
					want = append(want, describe(e.Event))
				}
			}
			for _, e := range g.before.events {
				got = append(got, describe(e))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("on %b, %v:\n got %s\nwant %s", g.on, g.conditions,
					strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
			s := g.before.sub.Stats()
			if s.Offered != uint64(len(want)) ||
				s.Refused != uint64(len(g.behind.events)-len(want)) {
				t.Fatalf("%d of %d events are wanted, %+v", len(want), len(g.behind.events), s)
			}
			delivered += len(want)
		}
	})
	if !t.Failed() && delivered < 100 {
		t.Errorf("only %d events were delivered", delivered)
	}
}

// With overflow, each object's states come in order and end with the last one that the conditions
// allow.
func TestConditionsModelEndsOnTheLastStateAllowed(t *testing.T) {
	dir, coalesced := t.TempDir(), uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		j := &judged{t: t}
		j.run(t, func(t *rapid.T) *group {
			g := &group{}
			g.on, g.conditions = drawConditions(t)
			g.before = j.subscription(SubscriptionConfig{
				Capacity: rapid.IntRange(1, 3).Draw(t, "capacity"), On: g.on,
				Conditions: g.conditions,
				Overflow: rapid.SampledFrom([]Overflow{OverflowLatest, OverflowSpill}).Draw(t,
					"overflow"), SpillDir: dir, SpillBytes: 2000,
			})
			g.all = j.subscription(SubscriptionConfig{Capacity: 1 << 20})
			g.behind = g.all
			return g
		})
		for _, g := range j.groups {
			want, got := map[event.Key][]string{}, map[event.Key][]string{}
			wanted := 0
			for _, e := range g.all.entries {
				if g.wants(e) {
					wanted++
					want[e.Object.Key()] = append(want[e.Object.Key()], state(e.Event))
				}
			}
			missed := 0
			for _, e := range g.before.entries {
				if !g.wants(e) {
					t.Fatalf("on %b, %v: got %s", g.on, g.conditions, describe(e.Event))
				}
				if e.Op == event.Update && e.Old.UID() != e.Object.UID() {
					t.Fatalf("on %b, %v: %s is not an update, old is of another object", g.on,
						g.conditions, describe(e.Event))
				}
				missed += int(e.Missed)
				got[e.Object.Key()] = append(got[e.Object.Key()], state(e.Event))
			}
			for key := range want {
				if !isSubsequence(got[key], want[key]) || len(got[key]) == 0 ||
					got[key][len(got[key])-1] != want[key][len(want[key])-1] {
					t.Fatalf("on %b, %v: %s got %v, what was allowed is %v", g.on,
						g.conditions, key, got[key], want[key])
				}
			}
			s := g.before.sub.Stats()
			if s.SpillError != nil || s.Refused != uint64(len(g.all.events)-wanted) ||
				s.Offered != uint64(wanted) || uint64(missed) != s.Coalesced {
				t.Fatalf("%d of %d events are wanted, told of %d missed, %+v", wanted,
					len(g.all.events), missed, s)
			}
			coalesced += s.Coalesced
		}
	})
	if !t.Failed() && coalesced < 100 {
		t.Errorf("only %d events were merged", coalesced)
	}
}

func state(e event.Event) string {
	if e.Op == event.Delete {
		return e.Object.UID() + "@gone"
	}
	return e.Object.UID() + "@" + e.Object.ResourceVersion()
}

func isSubsequence(part, of []string) bool {
	for _, s := range part {
		at := slices.Index(of, s)
		if at < 0 {
			return false
		}
		of = of[at+1:]
	}
	return true
}
