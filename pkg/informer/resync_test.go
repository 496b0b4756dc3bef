package informer

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// stocked is a controller whose store has n objects, and a list of them.
func stocked(n int) (*controller, []*object.Object) {
	c := &controller{queue: queue.New(defaultQueueLimit), store: store.New(),
		proc: &processor{}, joined: newSignal()}
	var list []*object.Object
	for i := range n {
		list = append(list, obj(fmt.Sprintf("pod-%d", i), "u", i+1))
		c.store.Put(list[i])
	}
	return c, list
}

// late joins a subscription that wants resyncs alone.
func (c *controller) late(t *testing.T, cfg SubscriptionConfig, now time.Time) *Subscription {
	t.Helper()
	cfg.On = event.OpSet(0).With(event.Resync)
	sub, err := NewSubscription(cfg)
	if err != nil {
		t.Fatal(err)
	}
	c.proc.join(sub, c.store, now)
	return sub
}

// workOff takes and finishes everything, and counts the resyncs of each object.
func workOff(sub *Subscription) map[event.Key]int {
	got := map[event.Key]int{}
	for sub.available() > 0 {
		if e, ok := sub.take(); ok {
			got[e.Object.Key()]++
			sub.finish(&e, true)
		}
	}
	return got
}

// Two subscriptions whose resyncs come due 3 ms apart, long before either is through with one, get
// every object each.
func TestOverlappingResyncsLoseNothing(t *testing.T) {
	const n = 20_000
	c, _ := stocked(n)
	begin := time.Unix(0, 0)
	first := c.late(t, SubscriptionConfig{Resync: time.Second, Capacity: 4}, begin)
	second := c.late(t, SubscriptionConfig{Resync: time.Second, Capacity: 100},
		begin.Add(3*time.Millisecond))
	for round := 1; round <= 3; round++ {
		due := begin.Add(time.Duration(round) * time.Second)
		c.proc.startResync(due, c.store)
		for range 50 { // the first one has only begun
			e, ok := first.take()
			if !ok {
				t.Fatal("nothing to take")
			}
			first.finish(&e, true)
		}
		c.proc.startResync(due.Add(3*time.Millisecond), c.store)
		for name, sub := range map[string]*Subscription{"first": first, "second": second} {
			want := n
			if sub == first {
				want -= 50
			}
			got := workOff(sub)
			if len(got) != want {
				t.Fatalf("round %d: the %s subscription got %d of %d objects", round, name,
					len(got),
					want)
			}
			for key, times := range got {
				if times != 1 {
					t.Fatalf("%s came %d times", key, times)
				}
			}
			if s := sub.Stats(); s.Offered != uint64(round*n) || s.Done != s.Offered ||
				s.ResyncsSkipped > 0 || s.Held+s.Marked > 0 {
				t.Fatalf("%+v", s)
			}
		}
	}
}

// The same as a whole informer, with workers.
func TestEveryListenerIsResyncedInItsOwnTime(t *testing.T) {
	const n = 500
	inWorld(t, func(w *world) {
		for i := range n {
			w.server.apply(fmt.Sprint("p", i), "1", "")
		}
		var all []*recorder
		for range 3 {
			r, _, _ := w.subscribe(SubscriptionConfig{Resync: time.Minute, Capacity: 3})
			r.take()
			all = append(all, r)
			time.Sleep(3 * time.Millisecond)
		}
		for range 3 {
			time.Sleep(time.Minute)
			for _, r := range all {
				if got := r.take(); len(got) != n ||
					len(slices.Compact(slices.Sorted(slices.Values(got)))) != n {
					t.Errorf("%d resyncs of %d objects", len(got), n)
				}
			}
		}
	})
}

// A resync that comes due while the one before is under way is left out and counted: the one under
// way goes on where it is.
func TestAResyncUnderWayGoesOn(t *testing.T) {
	c, _ := stocked(10)
	begin := time.Unix(0, 0)
	sub := c.late(t, SubscriptionConfig{Resync: time.Second}, begin)
	seen := map[event.Key]int{}
	for i := range 4 {
		c.proc.startResync(begin.Add(time.Duration(i+1)*time.Second), c.store)
		for range 2 {
			e, ok := sub.take()
			if !ok {
				t.Fatal("nothing to take")
			}
			seen[e.Object.Key()]++
			sub.finish(&e, true)
		}
	}
	if s := sub.Stats(); len(seen) != 8 || s.ResyncsSkipped != 3 || s.Resyncing != 2 {
		t.Errorf("%d objects came, %+v", len(seen), s)
	}
	workOff(sub)
	c.proc.startResync(begin.Add(5*time.Second), c.store)
	if got := workOff(sub); len(got) != 10 || sub.Stats().ResyncsSkipped != 3 {
		t.Errorf("%d objects came, %+v", len(got), sub.Stats())
	}
}

// A resync waits for events, and no event for a resync: not even one that comes when the resync has
// begun.
func TestAResyncNeverMakesAnEventWait(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 10 {
			w.server.apply(fmt.Sprint("p", i), "1", "")
		}
		_, sub := w.hang(SubscriptionConfig{Resync: time.Minute, Capacity: 2,
			Overflow: OverflowBlock})
		for range 10 {
			d, err := sub.Next(w.ctx)
			if err != nil {
				t.Fatal(err)
			}
			d.Done()
		}
		time.Sleep(time.Minute + time.Millisecond)
		synctest.Wait()
		blocked := sub.Stats().Blocked // by the first list
		if s := sub.Stats(); s.Resyncing != 10 || s.Held != 0 {
			t.Fatalf("%+v", s)
		}
		d, _ := sub.Next(w.ctx)
		if d.Op != event.Resync {
			t.Errorf("%s", story(d.Event))
		}
		name := "p0"
		if d.Object.Name() == name {
			name = "p1"
		}
		w.applyEach(name)
		d.Done()
		if d, _ = sub.Next(w.ctx); d.Op != event.Update || d.Object.Name() != name {
			t.Errorf("%s comes first", story(d.Event))
		}
		d.Done()
		if s := sub.Stats(); s.Blocked != blocked || s.Resyncing != 9 {
			t.Errorf("%+v", s)
		}
		r := w.serve(sub)
		if got := r.take(); len(got) != 8 || slices.ContainsFunc(got, func(s string) bool {
			return s[:len("resync "+name)] == "resync "+name
		}) {
			t.Errorf("%v: %s has had its news", got, name)
		}
	})
}

// A subscription that wants resyncs alone gets an object's current state, though updates of it,
// which it refuses, are under way all the time.
func TestARefusedUpdateDoesNotTakeAResyncsPlace(t *testing.T) {
	c, list := stocked(3)
	begin := time.Unix(0, 0)
	alone := c.late(t, SubscriptionConfig{Resync: time.Second}, begin)
	sub, err := NewSubscription(SubscriptionConfig{Resync: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	c.proc.join(sub, c.store, begin)
	workOff(sub)
	c.proc.startResync(begin.Add(time.Second), c.store)
	c.apply(&queue.Delta{Type: queue.Updated, Object: obj("pod-1", "u", 101)})
	c.apply(&queue.Delta{Type: queue.Deleted, Object: list[2]})
	c.apply(&queue.Delta{Type: queue.Added, Object: obj("pod-2", "another", 102)})
	stories := func(sub *Subscription) (all []string) {
		for sub.available() > 0 {
			if e, ok := sub.take(); ok {
				all = append(all, story(e.Event))
				sub.finish(&e, true)
			}
		}
		slices.Sort(all)
		return all
	}
	expect(t, stories(alone), "resync pod-0/u 1", "resync pod-1/u 101")
	expect(t, stories(sub), "add pod-2/another 102", "delete pod-2/u 3", "resync pod-0/u 1",
		"update pod-1/u 101 was 2")
}

// What a subscription with conditions is not to get is passed over, some objects at a time, and
// counted.
func TestAResyncPassesOverWhatIsRefused(t *testing.T) {
	const n = 10 * maxResyncScan
	c, _ := stocked(n)
	begin := time.Unix(0, 0)
	sub := c.late(t, SubscriptionConfig{Resync: time.Second,
		Conditions: []condition.Condition{{Of: condition.OfName, Values: []string{"pod-7"}}}},
		begin)
	refused := sub.Stats().Refused
	c.proc.startResync(begin.Add(time.Second), c.store)
	steps, got := 0, 0
	for sub.available() > 0 {
		before := sub.Stats().Resyncing
		e, ok := sub.take()
		if ok {
			got++
			sub.finish(&e, true)
		}
		if passed := before - sub.Stats().Resyncing; passed > maxResyncScan {
			t.Fatalf("%d objects at once", passed)
		}
		steps++
	}
	if s := sub.Stats(); got != 1 || steps < 10 || s.Refused-refused != n-1 {
		t.Errorf("%d objects in %d steps, %d refused", got, steps, s.Refused-refused)
	}
}

// A resync takes no memory for each object, neither when it begins nor while it is under way.
func TestAResyncTakesNoMemory(t *testing.T) {
	const n = 50_000
	c, _ := stocked(n)
	begin := time.Unix(0, 0)
	var all []*Subscription
	for range 10 {
		all = append(all, c.late(t, SubscriptionConfig{Resync: time.Second}, begin))
	}
	c.proc.startResync(begin.Add(time.Second), c.store)
	for _, sub := range all {
		workOff(sub)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c.proc.startResync(begin.Add(2*time.Second), c.store)
	for _, sub := range all {
		for range n {
			e, ok := sub.take()
			if !ok {
				t.Fatal("nothing to take")
			}
			sub.finish(&e, true)
		}
	}
	runtime.ReadMemStats(&after)
	// a byte for each object
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > uint64(len(all)*n) {
		t.Errorf("%d resyncs of %d objects took %d KB", len(all), n, allocated>>10)
	}
}

// The rest of a resync goes with the registration and with the subscription's intake.
func TestAResyncEndsWithItsListener(t *testing.T) {
	for name, end := range map[string]func(*Registration, *Subscription){
		"remove": func(reg *Registration, _ *Subscription) { reg.Remove() },
		"stop":   func(_ *Registration, sub *Subscription) { sub.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.applyEach("a", "b")
				reg, sub := w.hang(SubscriptionConfig{Resync: time.Minute,
					On: event.OpSet(0).With(event.Resync)})
				time.Sleep(time.Minute + time.Millisecond)
				if s := sub.Stats(); s.Resyncing != 2 {
					t.Fatalf("%+v", s)
				}
				end(reg, sub)
				if s := sub.Stats(); s.Resyncing != 0 || s.Discarded != 0 || !sub.buf.Empty() ||
					sub.available() != 0 {
					t.Errorf("%+v", s)
				}
			})
		})
	}
}
