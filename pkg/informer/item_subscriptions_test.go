package informer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
)

// Items 74, 88 and 96: who subscribes before the start gets everything, the first list as initial
// adds; nothing has synced before that.
func TestListenBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := newFakeServer()
		server.apply("a", "1", "")
		f := NewFactory(server, nil)
		sub, err := NewSubscription(SubscriptionConfig{})
		if err != nil {
			t.Fatal(err)
		}
		reg, err := f.Subscribe(pods, Scope{}, Shape{}, sub)
		if err != nil {
			t.Fatal(err)
		}
		r := &recorder{}
		var wg sync.WaitGroup
		wg.Go(func() { _ = sub.Run(ctx, r.HandleEvent) })
		expect(t, r.take())
		if reg.HasSynced() || f.Status()[0].Synced {
			t.Error("synced before the start")
		}
		wg.Go(func() { _ = f.Run(ctx) })
		expect(t, r.take(), "add a/1 101*")
		server.apply("a", "1", "")
		expect(t, r.take(), "update a/1 102 was 101")
		if !reg.HasSynced() || !f.Status()[0].Synced {
			t.Error("not synced")
		}
		cancel()
		wg.Wait()
	})
}

// Item 88: the informer has synced when its store has the first list, whatever its subscriptions
// do.
func TestTheInformerSyncsWithoutItsListeners(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		reg, _ := w.hang(SubscriptionConfig{})
		if s := w.factory.Status()[0]; !s.Synced || reg.HasSynced() {
			t.Errorf("informer %t, subscription %t", s.Synced, reg.HasSynced())
		}
	})
}

// Item 75: a subscription that comes while changes flow misses none and gets none twice: of each
// object it gets one add, and then each version after that.
func TestLateListenersMissNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		const names, changes = 7, 700
		w.subscribe(SubscriptionConfig{})
		var late []*recorder
		for i := range changes {
			w.server.apply(fmt.Sprint("p", i%names), "1", "")
			if i%100 == 50 { // without waiting for the changes to arrive
				sub, err := NewSubscription(SubscriptionConfig{})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub); err != nil {
					t.Fatal(err)
				}
				late = append(late, w.serve(sub))
			}
		}
		for i, r := range late {
			last := map[string]int{}
			for _, s := range r.take() {
				var op, name, version, was string
				_, _ = fmt.Sscanf(s, "%s %s %s was %s", &op, &name, &version, &was)
				n, err := strconv.Atoi(trimStar(version))
				if err != nil {
					t.Fatal(s)
				}
				if op == "add" && last[name] != 0 || op == "update" &&
					(n != last[name]+names || was != strconv.Itoa(last[name])) {
					t.Fatalf("subscription %d: %s after %d", i, s, last[name])
				}
				last[name] = n
			}
			for j := range names {
				if want := 100 + changes - names + j + 1; last[fmt.Sprintf("p%d/1", j)] != want {
					t.Errorf("subscription %d: p%d ends at %d, want %d", i, j,
						last[fmt.Sprintf("p%d/1", j)], want)
				}
			}
		}
	})
}

func trimStar(s string) string {
	if n := len(s) - 1; n >= 0 && s[n] == '*' {
		return s[:n]
	}
	return s
}

// Item 76: one handler can serve many subscriptions, which know nothing of each other.
func TestOneHandlerForManyListeners(t *testing.T) {
	inWorld(t, func(w *world) {
		r := &recorder{}
		var regs []*Registration
		for range 3 {
			sub, err := NewSubscription(SubscriptionConfig{})
			if err != nil {
				t.Fatal(err)
			}
			reg, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub)
			if err != nil {
				t.Fatal(err)
			}
			regs = append(regs, reg)
			go func() { _ = sub.Run(w.ctx, r.HandleEvent) }()
		}
		w.server.apply("a", "1", "")
		got := r.take()
		expect(t, got, got[0], got[0], got[0])
		regs[1].Remove()
		w.server.apply("a", "1", "")
		expect(t, r.take(), "update a/1 102 was 101", "update a/1 102 was 101")
	})
}

// Item 77: one subscription's handler is never called twice at a time, and in order; two
// subscriptions do not wait for each other.
func TestAHandlerIsCalledOneAtATime(t *testing.T) {
	inWorld(t, func(w *world) {
		var running, peak [2]atomic.Int32
		var mu sync.Mutex
		var order [2][]string
		both := make(chan struct{}) // closed once both handlers are inside
		var inside atomic.Int32
		for i := range 2 {
			sub, err := NewSubscription(SubscriptionConfig{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub); err != nil {
				t.Fatal(err)
			}
			go func() {
				_ = sub.Run(w.ctx, func(_ context.Context, e event.Event) error {
					peak[i].Store(max(peak[i].Load(), running[i].Add(1)))
					defer running[i].Add(-1)
					if inside.Add(1) == 2 {
						close(both)
					}
					<-both
					time.Sleep(time.Millisecond)
					mu.Lock()
					defer mu.Unlock()
					order[i] = append(order[i], e.Object.ResourceVersion())
					return nil
				})
			}()
		}
		w.applyEach("a", "b", "a", "c", "b")
		time.Sleep(time.Second)
		mu.Lock()
		defer mu.Unlock()
		for i := range 2 {
			expect(t, order[i], "101", "102", "103", "104", "105")
			if peak[i].Load() != 1 {
				t.Errorf("%d calls at a time", peak[i].Load())
			}
		}
	})
}

// Items 79 and 80: an object that is unchanged in a new list goes to the subscriptions that were
// part of the last resync. Each counts as one of them until the first resync.
func TestWhoIsSyncing(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		often, _, _ := w.subscribe(SubscriptionConfig{Resync: time.Hour})
		rarely, _, _ := w.subscribe(SubscriptionConfig{Resync: 10 * time.Hour})
		never, _, _ := w.subscribe(SubscriptionConfig{})
		all := []*recorder{often, rarely, never}
		for _, r := range all {
			r.take()
		}
		relist := func() {
			w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
			time.Sleep(time.Minute)
		}
		relist()
		expect(t, often.take(), "resync a/1 101")
		expect(t, rarely.take(), "resync a/1 101")
		time.Sleep(time.Hour) // a resync of the first one alone
		expect(t, often.take(), "resync a/1 101")
		relist()
		expect(t, often.take(), "resync a/1 101")
		expect(t, rarely.take())
		time.Sleep(9 * time.Hour) // one of both
		often.take()
		expect(t, rarely.take(), "resync a/1 101")
		relist()
		expect(t, rarely.take(), "resync a/1 101")
		expect(t, never.take())
	})
}

// Item 81: adds, changes and deletes go to everybody, syncing or not.
func TestChangesGoToEverybody(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		often, _, _ := w.subscribe(SubscriptionConfig{Resync: time.Minute})
		rarely, _, _ := w.subscribe(SubscriptionConfig{Resync: time.Hour})
		never, _, _ := w.subscribe(SubscriptionConfig{})
		time.Sleep(90 * time.Second) // the second one is not syncing any more
		for _, r := range []*recorder{often, rarely, never} {
			r.take()
		}
		w.applyEach("a", "b")
		w.server.remove("a")
		for _, r := range []*recorder{often, rarely, never} {
			expect(t, r.take(), "update a/1 102 was 101", "add b/1 103", "delete a/1 104")
		}
	})
}

// Item 82: no period is no resync, and none is shorter than a second.
func TestResyncPeriodsHaveAMinimum(t *testing.T) {
	for period, want := range map[time.Duration]time.Duration{
		0: 0, 1: time.Second, 999 * time.Millisecond: time.Second, time.Second: time.Second,
		time.Minute: time.Minute,
	} {
		if got := (SubscriptionConfig{Resync: period}).withDefaults().Resync; got != want {
			t.Errorf("%v becomes %v, want %v", period, got, want)
		}
	}
	if _, err := NewSubscription(SubscriptionConfig{Name: "n", Resync: -1}); err == nil ||
		err.Error() != `subscription "n": capacity, resync and spill bytes must not be negative` {
		t.Error(err)
	}
}

// Items 83, 84 and 85: each subscription is resynced at its own period, whoever was there before
// it, and for the first time one period after it came.
func TestALateListenerKeepsItsOwnPeriod(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		never, _, _ := w.subscribe(SubscriptionConfig{})
		hourly, _, _ := w.subscribe(SubscriptionConfig{Resync: time.Hour})
		time.Sleep(90 * time.Second)
		begun := time.Now()
		var mu sync.Mutex
		var at []time.Duration
		sub, err := NewSubscription(SubscriptionConfig{Resync: 10 * time.Second,
			On: event.OpSet(0).With(event.Resync)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub); err != nil {
			t.Fatal(err)
		}
		go func() {
			_ = sub.Run(w.ctx, func(context.Context, event.Event) error {
				mu.Lock()
				defer mu.Unlock()
				at = append(at, time.Since(begun))
				return nil
			})
		}()
		time.Sleep(time.Hour - 90*time.Second + time.Second)
		never.take()
		if got := hourly.take(); !slices.Equal(got, []string{"add a/1 101*", "resync a/1 101"}) {
			t.Errorf("%v", got)
		}
		mu.Lock()
		defer mu.Unlock()
		if len(at) != 351 || at[0] != 10*time.Second || at[1] != 20*time.Second ||
			at[350] != 3510*time.Second {
			t.Errorf("%d resyncs, %v", len(at), at[:min(3, len(at))])
		}
	})
}

// Items 85 and 87: a panic over an object of the first list is retried, and the subscription syncs
// in the end.
func TestAPanicDoesNotKeepAListenerFromSyncing(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		w.server.apply("b", "2", "")
		reg, sub := w.hang(SubscriptionConfig{})
		calls := 0
		go func() {
			_ = sub.Run(w.ctx, func(_ context.Context, e event.Event) error {
				if calls++; calls == 1 {
					panic("at the first object")
				}
				return nil
			})
		}()
		synctest.Wait()
		if reg.HasSynced() {
			t.Error("synced although an initial add is still to be retried")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if !reg.HasSynced() || calls != 3 || sub.Stats().Retried != 1 {
			t.Errorf("synced %t after %d calls, %+v", reg.HasSynced(), calls, sub.Stats())
		}
	})
}

// Item 89: what a removed subscription has not been given is discarded; what its handler is at is
// finished.
func TestRemoveLetsTheRunningCallFinish(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, name := range []string{"a", "b", "c"} {
			w.server.apply(name, "1", "")
		}
		reg, sub := w.hang(SubscriptionConfig{})
		d, err := sub.Next(w.ctx)
		if err != nil {
			t.Fatal(err)
		}
		reg.Remove()
		reg.Remove()
		if s := sub.Stats(); s.Discarded != 2 || s.Held != 1 {
			t.Errorf("%+v", s)
		}
		d.Done()
		if s := sub.Stats(); s.Held != 0 || s.Done != 1 {
			t.Errorf("%+v", s)
		}
		w.server.apply("d", "1", "")
		synctest.Wait()
		if s := sub.Stats(); s.Held != 0 || s.Offered != 3 {
			t.Errorf("after the removal: %+v", s)
		}
	})
}

// Item 89: an event that an informer waits with does not reach a subscription that is removed
// meanwhile.
func TestRemoveWhileTheInformerWaits(t *testing.T) {
	inWorld(t, func(w *world) {
		stays, _, _ := w.subscribe(SubscriptionConfig{})
		reg, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
		w.applyEach("a", "b", "c")
		reg.Remove()
		if got := stays.take(); len(got) != 3 {
			t.Errorf("%v", got)
		}
		if s := sub.Stats(); s.Held != 0 || s.Offered != 1 || s.Discarded != 1 || s.Blocked != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// Item 89: removing a subscription before the start leaves nothing to be started.
func TestRemoveBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newFakeServer()
		f := NewFactory(server, nil)
		sub, err := NewSubscription(SubscriptionConfig{})
		if err != nil {
			t.Fatal(err)
		}
		reg, err := f.Subscribe(pods, Scope{}, Shape{}, sub)
		if err != nil {
			t.Fatal(err)
		}
		reg.Remove()
		ctx, cancel := newTimeout(t, time.Minute)
		defer cancel()
		if err := f.Run(ctx); err != nil {
			t.Error(err)
		}
		if len(f.Status()) != 0 || len(server.listed()) != 0 {
			t.Errorf("%+v, %d lists", f.Status(), len(server.listed()))
		}
		reg.Remove() // after the end, too
	})
}

// Item 90: to shut a subscription down is to remove and stop it; its Run returns when the running
// call has.
func TestShuttingAListenerDownWaitsForItsCall(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		w.server.apply("b", "2", "")
		reg, sub := w.hang(SubscriptionConfig{})
		calls, release, ended := 0, make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- sub.Run(w.ctx, func(context.Context, event.Event) error {
				calls++
				<-release
				return nil
			})
		}()
		synctest.Wait()
		reg.Remove()
		sub.Stop()
		synctest.Wait()
		select {
		case <-ended:
			t.Fatal("Run returned before the handler did")
		default:
		}
		close(release)
		if err := <-ended; !errors.Is(err, ErrStopped) || calls != 1 {
			t.Errorf("%v after %d calls", err, calls)
		}
	})
}

// Item 91: subscriptions come and go from many goroutines, also from within handlers, while changes
// flow.
func TestListenersComeAndGoFromEverywhere(t *testing.T) {
	inWorld(t, func(w *world) {
		stays, _, _ := w.subscribe(SubscriptionConfig{})
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range 20 {
					overflow := []Overflow{OverflowLatest, OverflowBlock, OverflowDrop}[(g+i)%3]
					sub, err := NewSubscription(SubscriptionConfig{Capacity: 1 + i%3,
						Overflow: overflow,
						Resync:   time.Second})
					if err != nil {
						t.Error(err)
						return
					}
					reg, err := w.factory.Subscribe(pods, Scope{}, Shape{}, sub)
					if err != nil {
						t.Error(err)
						return
					}
					var inner sync.WaitGroup
					inner.Go(func() {
						_ = sub.Run(w.ctx, func(context.Context, event.Event) error {
							own, err := NewSubscription(SubscriptionConfig{})
							if err != nil {
								return err
							}
							second, err := w.factory.Subscribe(pods, Scope{}, Shape{}, own)
							if err != nil {
								return err
							}
							second.Remove()
							reg.Remove()
							sub.Stop()
							return nil
						})
					})
					if i%2 == 0 {
						reg.Remove()
						sub.Stop()
					}
					inner.Wait()
				}
			})
		}
		wg.Go(func() {
			for i := range 400 {
				w.server.apply(fmt.Sprint("p", i%5), "1", "")
				time.Sleep(time.Millisecond)
			}
		})
		wg.Wait()
		if got := stays.take(); len(got) != 400 {
			t.Errorf("the subscription that stayed got %d of 400", len(got))
		}
		if s := w.factory.Status()[0]; s.Subscriptions != 1 {
			t.Errorf("%d subscriptions are left", s.Subscriptions)
		}
	})
}

// Defect e: a subscription that nobody fills holds no buffer.
func TestAnIdleListenerHoldsNoBuffer(t *testing.T) {
	inWorld(t, func(w *world) {
		_, _, sub := w.subscribe(SubscriptionConfig{Capacity: 1 << 20})
		sub.mu.Lock()
		defer sub.mu.Unlock()
		fresh := buffer.New(buffer.Config{Capacity: 1 << 20}) // TestAnIdleBufferHoldsNoMemory
		if !reflect.DeepEqual(sub.buf, fresh) || sub.retries != nil {
			t.Errorf("%+v", sub.buf)
		}
	})
}
