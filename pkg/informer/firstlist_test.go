package informer

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

func newTestController() *controller {
	return &controller{queue: queue.New(defaultQueueLimit), store: store.New(),
		proc: &processor{}, joined: newSignal()}
}

// handAll has a worker take and finish everything, and returns what it was.
func handAll(sub *Subscription) (events []event.Event) {
	for e, ok := sub.takeWithDisk(); ok; e, ok = sub.takeWithDisk() {
		events = append(events, e.Event)
		sub.finish(&e, true)
	}
	return events
}

// Each subscription gets what it wants of the first list, all of it and in its order, however
// little room it has: nobody waits for it, nothing is merged, and it does not come in the way of
// its own events.
func TestTheFirstListReachesEveryListener(t *testing.T) {
	const n = 3*firstAtOnce + 7
	var list []*object.Object
	for i := range n {
		list = append(list, labelled([]string{"shop", "pay"}[i%2], fmt.Sprint("o", i),
			fmt.Sprint("u", i), i+1, ""))
	}
	inPay := []condition.Condition{{Values: []string{"pay"}}}
	for name, cfg := range map[string]SubscriptionConfig{
		"latest":     {Capacity: 3},
		"block":      {Capacity: 3, Overflow: OverflowBlock},
		"drop":       {Capacity: 3, Overflow: OverflowDrop},
		"spill":      {Capacity: 3, Overflow: OverflowSpill, SpillDir: t.TempDir()},
		"conditions": {Conditions: inPay},
		"few":        {Conditions: ofName("o3", "o1000")},
		"no adds":    {On: only(event.Update, event.Delete)},
	} {
		t.Run(name, func(t *testing.T) {
			c := newTestController()
			sub, err := NewSubscription(cfg)
			if err != nil {
				t.Fatal(err)
			}
			sub.diskByHand()
			reg := c.proc.join(sub, c.store, time.Time{})
			inf := &informer{queue: c.queue, proc: c.proc, store: c.store}
			c.takeList(t.Context(), list, "", false)
			var want []*object.Object
			switch name {
			case "conditions":
				want = slices.DeleteFunc(slices.Clone(list), func(o *object.Object) bool {
					return o.Namespace() != "pay"
				})
			case "few":
				want = []*object.Object{list[3], list[1000]}
			case "no adds":
			default:
				want = list
			}
			s := sub.Stats()
			if s.Offered != uint64(len(want)) || s.Refused != uint64(n-len(want)) ||
				s.Coalesced+s.Dropped+s.Blocked+s.Spilled+uint64(s.Marked) > 0 ||
				len(c.proc.blocked) > 0 {
				t.Errorf("%d are wanted: %+v", len(want), s)
			}
			if stored, _, _ := c.store.Size(); stored != n || !c.queue.HasSynced() ||
				inf.hasSynced(reg) != (len(want) == 0) {
				t.Errorf("%d objects are stored, the informer has synced: %t, the subscription: %t",
					stored, c.queue.HasSynced(), inf.hasSynced(reg))
			}
			got := handAll(sub)
			if len(got) != len(want) {
				t.Fatalf("it got %d objects, want %d", len(got), len(want))
			}
			for i, e := range got {
				if e.Object != want[i] || e.Op != event.Add || !e.Initial || e.Missed > 0 {
					t.Fatalf("%d: %s, want an initial add of %s", i, story(e), want[i].Name())
				}
			}
			if s := sub.Stats(); !inf.hasSynced(reg) || !sub.buf.Empty() || s.Backlog > 0 {
				t.Errorf("everything is done: %+v", s)
			}
		})
	}
}

// Subscriptions get both states of an object that the first list has twice, and one whose name
// another one takes there ends.
func TestAFirstListWithOneNameTwice(t *testing.T) {
	c := newTestController()
	sub, err := NewSubscription(SubscriptionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	c.proc.join(sub, c.store, time.Time{})
	c.takeList(t.Context(), []*object.Object{
		obj("a", "1", 1), obj("b", "2", 2), obj("c", "3", 3), obj("a", "1", 4), obj("b", "5", 5),
		obj("c", "3", 3),
	}, "", false)
	if c.queue.HasSynced() {
		t.Fatal("it has synced, and of some objects the last state is queued")
	}
	for deltas, ok := c.queue.Pop(); ok; deltas, ok = c.queue.Pop() {
		for i := range deltas {
			c.apply(&deltas[i])
		}
		c.done()
	}
	if !c.queue.HasSynced() {
		t.Error("not synced")
	}
	var got []string
	for _, e := range handAll(sub) {
		got = append(got, story(e))
	}
	expect(t, got, "add a/1 1*", "add b/2 2*", "add c/3 3*", "update a/1 4 was 1", "delete b/2 2?",
		"add b/5 5*")
}

// A registration that is being removed gets nothing more, and a stop ends the list where it is.
func TestTheFirstListEndsForWhoHasLeft(t *testing.T) {
	c := newTestController()
	sub, err := NewSubscription(SubscriptionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	reg := c.proc.join(sub, c.store, time.Time{})
	c.queue.ClaimFirst()
	c.takeFirst([]*object.Object{obj("a", "1", 1)})
	sub.remove(reg) // the first half of processor.leave
	c.takeFirst([]*object.Object{obj("b", "2", 2)})
	if got := handAll(sub); len(got) > 0 {
		t.Errorf("it got %s", story(got[0]))
	}

	stopped, stop := context.WithCancel(t.Context())
	stop()
	c = newTestController()
	c.takeList(stopped, []*object.Object{obj("a", "1", 1)}, "", false)
	if stored, _, _ := c.store.Size(); stored > 0 || c.queue.HasSynced() {
		t.Errorf("after the stop, %d objects were stored, synced: %t", stored, c.queue.HasSynced())
	}
}

// BenchmarkFirstList is what the first list costs for each object once it is read, the workers'
// turn included.
func BenchmarkFirstList(b *testing.B) {
	const n = 10_000
	var list []*object.Object
	for i := range n {
		list = append(list, labelled("shop", fmt.Sprint("o", i), fmt.Sprint("u", i), i+1,
			`"app":"web"`))
	}
	for _, subscriptions := range []int{1, 10} {
		b.Run(fmt.Sprint(subscriptions), func(b *testing.B) {
			for b.Loop() {
				c := newTestController()
				var all []*Subscription
				for range subscriptions {
					sub, err := NewSubscription(SubscriptionConfig{})
					if err != nil {
						b.Fatal(err)
					}
					c.proc.join(sub, c.store, time.Time{})
					all = append(all, sub)
				}
				c.takeList(b.Context(), list, "", false)
				for _, sub := range all {
					for e, ok := sub.buf.Take(); ok; e, ok = sub.buf.Take() {
						sub.finish(&e, true)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/object")
		})
	}
}

// What happens to an object of the first list while the subscription is full makes one event of the
// two, in the object's place.
func TestTheBacklogIsMergedWithMarks(t *testing.T) {
	c := newTestController()
	sub, err := NewSubscription(SubscriptionConfig{Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	reg := c.proc.join(sub, c.store, time.Time{})
	var list []*object.Object
	for i, name := range []string{"a", "b", "c", "d", "e"} {
		list = append(list, obj(name, name, i+1))
	}
	c.takeList(t.Context(), list, "", false)
	for _, d := range []queue.Delta{
		{Type: queue.Updated, Object: obj("d", "d", 6)},
		{Type: queue.Updated, Object: obj("a", "a", 7)},
		{Type: queue.Updated, Object: obj("b", "b", 8)},
		{Type: queue.Updated, Object: obj("b", "b", 9)},
		{Type: queue.Deleted, Object: obj("c", "c", 10)},
		{Type: queue.Deleted, Object: obj("e", "e", 11)},
		{Type: queue.Added, Object: obj("e", "e2", 12)},
	} {
		if !c.applyNow(d) {
			t.Fatal("not applied")
		}
	}
	offered := sub.Stats().Offered
	var got []string
	missed := 0
	for _, e := range handAll(sub) {
		got, missed = append(got, story(e)), missed+int(e.Missed)
	}
	expect(t, got, "add a/a 1*", "add b/b 9*~2", "delete c/c 10~1", "add d/d 6*~1",
		"delete e/e 11~1", "add e/e2 12", "update a/a 7 was 1")
	if s := sub.Stats(); s.Coalesced != uint64(missed) || offered != uint64(len(got)+missed) ||
		reg.Initials != 0 || !sub.buf.Empty() || s.Marked > 0 || s.Mistakes > 0 {
		t.Errorf("offered %d, missed %d, %+v", offered, missed, s)
	}
}
