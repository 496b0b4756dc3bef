package informer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// hang registers a subscription that nobody serves.
func (w *world) hang(cfg SubscriptionConfig) (*Registration, *Subscription) {
	w.t.Helper()
	sub, err := NewSubscription(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	reg, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub)
	if err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
	return reg, sub
}

// serve works off a subscription that hung.
func (w *world) serve(sub *Subscription) *recorder {
	r := &recorder{}
	go func() { _ = sub.Run(w.ctx, r.HandleEvent) }()
	return r
}

func (w *world) applyEach(names ...string) {
	for _, name := range names {
		w.server.apply(name, "1", "")
		synctest.Wait()
	}
}

func TestBlockLosesNothingAndHoldsUpTheInformer(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{Capacity: 2, Overflow: OverflowBlock})
		other, _, _ := w.subscribe(SubscriptionConfig{})
		w.applyEach("a", "b", "c", "a", "b", "c")
		// The third event is offered to everybody, and then the informer waits.
		expect(t, other.take(), "add a/1 101", "add b/1 102", "add c/1 103")
		if s := sub.Stats(); s.Held != 2 || s.Blocked != 1 || s.Coalesced+s.Dropped != 0 {
			t.Errorf("%+v", s)
		}
		expect(t, w.serve(sub).take(), "add a/1 101", "add b/1 102", "add c/1 103",
			"update a/1 104 was 101", "update b/1 105 was 102", "update c/1 106 was 103")
		expect(t, other.take(), "update a/1 104 was 101", "update b/1 105 was 102",
			"update c/1 106 was 103")
	})
}

func TestWhoBlocksCanBeRemovedAndJoined(t *testing.T) {
	inWorld(t, func(w *world) {
		reg, _ := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
		w.applyEach("a", "b", "c")
		// While the informer waits, others come, go and ask.
		late, lateReg, _ := w.subscribe(SubscriptionConfig{})
		got := late.take() // the store has no order
		slices.Sort(got)
		expect(t, got, "add a/1 101*", "add b/1 102*")
		lateReg.Remove()
		if s := w.factory.Status()[0]; s.Subscriptions != 1 {
			t.Errorf("%+v", s)
		}
		stays, _, _ := w.subscribe(SubscriptionConfig{})
		stays.take()
		reg.Remove()
		expect(t, stays.take(), "add c/1 103")
	})
}

func TestWhoBlocksCanBeStopped(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
		other, _, _ := w.subscribe(SubscriptionConfig{})
		w.applyEach("a", "b", "c")
		other.take()
		sub.Stop()
		expect(t, other.take(), "add c/1 103")
	})
	// And the informer stops although a subscription blocks it: inWorld waits for that.
	inWorld(t, func(w *world) {
		w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
		w.applyEach("a", "b", "c")
	})
}

func TestAHandlerOfABlockingListenerMayListenAndRemove(t *testing.T) {
	inWorld(t, func(w *world) {
		reg, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
		w.applyEach("a", "b", "c", "d")
		var mu sync.Mutex
		var second *recorder
		go func() {
			_ = sub.Run(w.ctx, func(context.Context, event.Event) error {
				mu.Lock()
				defer mu.Unlock()
				if second != nil {
					return nil
				}
				own, err := NewSubscription(SubscriptionConfig{})
				if err != nil {
					return err
				}
				if _, err := w.factory.Subscribe(pods, Scope{}, Shape{}, own); err != nil {
					return err
				}
				second = w.serve(own)
				reg.Remove()
				return nil
			})
		}()
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if got := len(second.take()); got != 4 {
			t.Errorf("the subscription that a handler made got %d of 4 objects", got)
		}
	})
}

func TestDropCountsWhatItGivesUpAndKeepsTheFirstList(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, name := range []string{"a", "b", "c"} {
			w.server.apply(name, "1", "")
		}
		_, sub := w.hang(SubscriptionConfig{Capacity: 2, Overflow: OverflowDrop})
		w.applyEach("a", "d", "d", "c")
		if s := sub.Stats(); s.Dropped != 4 || s.Held != 2 {
			t.Errorf("%+v", s)
		}
		r := w.serve(sub)
		expect(t, r.take(), "add a/1 101*", "add b/1 102*", "add c/1 103*")
		w.applyEach("a")
		expect(t, r.take(), "update a/1 108 was 104")
	})
}

func TestSpillKeepsEveryStateOnDisk(t *testing.T) {
	inWorld(t, func(w *world) {
		dir := t.TempDir()
		_, sub := w.hang(SubscriptionConfig{Capacity: 2, Overflow: OverflowSpill, SpillDir: dir})
		w.applyEach("a", "b", "a", "b", "a")
		w.server.remove("b")
		synctest.Wait()
		if s := sub.Stats(); s.Held != 2 || s.OnDisk != 4 || s.Spilled != 4 || s.Marked != 0 ||
			s.SpillError != nil {
			t.Errorf("%+v", s)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
			t.Errorf("the spill file has a name that could be left behind: %v, %v", files, err)
		}
		expect(t, w.serve(sub).take(), "add a/1 101", "add b/1 102", "update a/1 103 was 101",
			"update b/1 104 was 102", "update a/1 105 was 103", "delete b/1 106")
		if s := sub.Stats(); s.OnDisk != 0 || s.Held != 0 || s.Coalesced != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestAFullSpillFileMarks(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill,
			SpillDir:   t.TempDir(),
			SpillBytes: 800})
		w.applyEach("a", "b", "a", "b", "a", "b", "a", "b", "a", "b")
		s := sub.Stats()
		if s.OnDisk == 0 || s.Marked == 0 || s.SpillError != nil {
			t.Errorf("%+v", s)
		}
		got := w.serve(sub).take()
		if last := got[len(got)-2:]; !strings.HasPrefix(last[0], "update b/1 110~") ||
			!strings.HasPrefix(last[1], "update a/1 109~") {
			t.Errorf("%v", got)
		}
	})
}

func TestASpillFolderThatIsNotThere(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill,
			SpillDir: "/nonexistent/folder"})
		w.applyEach("a", "a", "a")
		if s := sub.Stats(); s.SpillError == nil ||
			!strings.HasPrefix(s.SpillError.Error(),
				"cannot make a spill file: open /nonexistent/folder/") {
			t.Errorf("%+v", s)
		}
		expect(t, w.serve(sub).take(), "add a/1 101", "update a/1 102 was 101",
			"update a/1 103 was 102")
	})
}

func TestJoiningCostsTheSameHoweverMuchIsStored(t *testing.T) {
	inWorld(t, func(w *world) {
		for i := range 300 {
			w.server.apply(fmt.Sprint("p", i), "1", "")
		}
		first, _, _ := w.subscribe(SubscriptionConfig{})
		first.take()
		reg, sub := w.hang(SubscriptionConfig{Capacity: 4})
		if s := sub.Stats(); s.Held != 4 || s.Backlog != 296 || s.Marked != 0 {
			t.Errorf("%+v", s)
		}
		w.applyEach("p7")
		expect(t, first.take(), "update p7/1 401 was 108")
		r := w.serve(sub)
		got := r.take()
		switch { // p7 may have been among the first four
		case len(got) == 300 && slices.Contains(got, "add p7/1 401*~1"), len(got) == 301 &&
			got[300] == "update p7/1 401 was 108":
		default:
			t.Errorf("%d events, the last is %s", len(got), got[len(got)-1])
		}
		if !reg.HasSynced() {
			t.Error("not synced")
		}
	})
}

// TestOneHungListenerForTenMinutes: others get everything at once, and what is kept for the hung
// one is bounded by the number of objects, not of events.
func TestOneHungListenerForTenMinutes(t *testing.T) {
	for _, overflow := range []Overflow{OverflowLatest, OverflowDrop, OverflowSpill} {
		t.Run(fmt.Sprint(overflow), func(t *testing.T) {
			inWorld(t, func(w *world) {
				_, sub := w.hang(SubscriptionConfig{Capacity: 8, Overflow: overflow,
					SpillDir: t.TempDir(), SpillBytes: 64 << 10})
				var mu sync.Mutex
				var written time.Time
				var worst time.Duration
				well, err := NewSubscription(SubscriptionConfig{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := w.factory.Subscribe(pods, Scope{}, Shape{}, well); err != nil {
					t.Fatal(err)
				}
				go func() {
					_ = well.Run(w.ctx, func(context.Context, event.Event) error {
						mu.Lock()
						defer mu.Unlock()
						worst = max(worst, time.Since(written))
						return nil
					})
				}()
				for i := range 6000 {
					mu.Lock()
					written = time.Now()
					mu.Unlock()
					w.applyEach(fmt.Sprint("p", i%10))
					time.Sleep(100 * time.Millisecond)
				}
				mu.Lock()
				defer mu.Unlock()
				if s := well.Stats(); s.Done != 6000 || worst > 0 {
					t.Errorf("the other subscription got %d of 6000, the latest after %v", s.Done,
						worst)
				}
				s := sub.Stats()
				if s.Held != 8 || s.Marked > 10 { // TestBufferModel bounds the file
					t.Errorf("%+v", s)
				}
				if s.Coalesced+s.Dropped+uint64(s.Held+s.Marked+s.OnDisk) != 6000 {
					t.Errorf("not everything is accounted for: %+v", s)
				}
			})
		})
	}
}

func TestWhatIsOnDiskCanBeGivenUp(t *testing.T) {
	for name, giveUp := range map[string]func(reg *Registration, sub *Subscription){
		"discard": func(_ *Registration, sub *Subscription) { sub.Discard() },
		"remove":  func(reg *Registration, _ *Subscription) { reg.Remove() },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				reg, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowSpill,
					SpillDir: t.TempDir()})
				w.applyEach("a", "b", "a", "b")
				if s := sub.Stats(); s.OnDisk != 3 {
					t.Fatalf("%+v", s)
				}
				giveUp(reg, sub)
				synctest.Wait()
				if s := sub.Stats(); s.Discarded != 4 || s.OnDisk != 0 || s.Held != 0 ||
					s.SpillError != nil {
					t.Errorf("%+v", s)
				}
				sub.Stop()
				if _, err := sub.Next(w.ctx); !errors.Is(err, ErrStopped) {
					t.Error(err)
				}
			})
		})
	}
}
