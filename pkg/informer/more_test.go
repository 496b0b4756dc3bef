package informer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// stories tells what was delivered.
func stories(all []Delivery) (told []string) {
	for _, d := range all {
		told = append(told, story(d.Event))
	}
	return told
}

// hanging has a subscription with some events in its buffer, of which a worker has taken the first.
func (w *world) hanging(cfg SubscriptionConfig, names ...string) (*Subscription, Delivery) {
	w.t.Helper()
	_, sub := w.hang(cfg)
	w.applyEach(names...)
	first, err := sub.Next(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return sub, first
}

// A worker that has an event takes what else is ready, in order, and nothing of an object that
// somebody works on.
func TestMoreTakesWhatIsReady(t *testing.T) {
	inWorld(t, func(w *world) {
		sub, first := w.hanging(SubscriptionConfig{}, "a", "b", "a", "c", "b")
		got := sub.More([]Delivery{first}, 10, 1)
		expect(t, stories(got), "add a/1 101", "add b/1 102", "add c/1 104")
		if more := sub.More(nil, 10, 1); len(more) > 0 {
			t.Errorf("of objects at a worker there came %q", stories(more))
		}
		for _, d := range slices.Backward(got) {
			d.Done()
		}
		expect(t, stories(sub.More(nil, 10, 1)), "update b/1 105 was 102", "update a/1 103 was 101")
	})
}

func TestMoreTakesNoMoreThanItMay(t *testing.T) {
	for _, c := range []struct{ ready, n, workers, want int }{
		// no workers are one
		{9, 5, 1, 5}, {9, 100, 1, 9}, {9, 0, 1, 0}, {9, -1, 1, 0}, {9, 100, 0, 9},
		{9, 100, 3, 3}, {8, 100, 3, 2}, {2, 100, 3, 0}, {9, 2, 3, 2}, {0, 100, 1, 0},
	} {
		inWorld(t, func(w *world) {
			var names []string
			for i := range c.ready + 1 {
				names = append(names, fmt.Sprint("o", i))
			}
			sub, _ := w.hanging(SubscriptionConfig{}, names...)
			if got := sub.More(nil, c.n, c.workers); len(got) != c.want {
				t.Errorf("%d ready, %d wanted, %d workers: %d taken, want %d", c.ready, c.n,
					c.workers, len(got), c.want)
			}
		})
	}
}

// What More leaves wakes the next worker, as what Next leaves.
func TestWhatMoreLeavesIsForTheOthers(t *testing.T) {
	inWorld(t, func(w *world) {
		sub, _ := w.hanging(SubscriptionConfig{}, "a", "b", "c", "d")
		<-sub.wake // another worker was woken, and has not come yet
		expect(t, stories(sub.More(nil, 2, 1)), "add b/1 102", "add c/1 103")
		r := w.serve(sub)
		expect(t, r.take(), "add d/1 104")
	})
}

// Attempts and wishes to come again are the same as with Next.
func TestMoreGivesRetriesAndRecalls(t *testing.T) {
	inWorld(t, func(w *world) {
		sub, first := w.hanging(SubscriptionConfig{}, "a", "b", "c")
		rest := sub.More(nil, 2, 1)
		first.Retry(time.Second)
		rest[0].Again(time.Second)
		rest[1].Again(2 * time.Second)
		w.applyEach("c")
		// and so nobody needs the wish any more
		expect(t, stories(sub.More(nil, 3, 1)), "update c/1 104 was 103")
		time.Sleep(3 * time.Second)
		synctest.Wait()
		got := sub.More(nil, 3, 1)
		expect(t, stories(got), "add a/1 101", "resync b/1 102")
		if got[0].Attempt != 2 || !got[1].Recalled {
			t.Errorf("%+v", got)
		}
	})
}

// Whatever workers do, no object is with two of them, and what comes of an object comes in order.
func TestNoObjectIsOutTwice(t *testing.T) {
	total := 0
	for seed := range uint64(30) {
		inWorld(t, func(w *world) {
			dice := rand.New(rand.NewPCG(seed, 0))
			_, sub := w.hang(SubscriptionConfig{Capacity: 1 + dice.IntN(8)})
			out, last := map[string]Delivery{}, map[string]string{}
			for range 100 {
				name := fmt.Sprint("o", dice.IntN(5))
				d, isOut := out[name]
				switch step := dice.IntN(6); {
				case step < 2:
					w.applyEach(name)
				case step < 4:
					for _, d := range sub.More(nil, 1+dice.IntN(5), 1+dice.IntN(3)) {
						name, version := d.Object.Name(), d.Object.ResourceVersion()
						if _, twice := out[name]; twice || d.Attempt == 1 &&
							version <= last[name] || d.Attempt > 1 && version != last[name] {
							t.Fatalf("seed %d: %s while %v is out, after %q", seed, story(d.Event),
								out[name].Event, last[name])
						}
						out[name], last[name] = d, version
						total++
					}
				case isOut && step == 4:
					delete(out, name)
					d.Done()
				case isOut:
					delete(out, name)
					d.Retry(0)
					time.Sleep(time.Nanosecond) // its timer
				}
			}
		})
	}
	if total < 300 {
		t.Errorf("only %d were taken", total)
	}
}

// Stopped is closed with Stop, while there is still something to take.
func TestStoppedIsToldAtOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		sub, first := w.hanging(SubscriptionConfig{}, "a", "b")
		select {
		case <-sub.Stopped():
			t.Error("it was not stopped")
		default:
		}
		sub.Stop()
		sub.Stop()
		<-sub.Stopped()
		expect(t, stories(sub.More(nil, 2, 1)), "add b/1 102")
		first.Done()
		if n := sub.Discard(); n != 0 {
			t.Errorf("discarded %d", n)
		}
	})
}
