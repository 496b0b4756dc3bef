package informer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

func app(values ...string) []condition.Condition {
	return []condition.Condition{ofLabel("app", condition.In, values...)}
}

// applyApp creates or updates an object with a label.
func (w *world) applyApp(name, app string) {
	w.t.Helper()
	s := w.server
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	typ := "MODIFIED"
	if _, ok := s.objects[name]; !ok {
		typ = "ADDED"
		s.order = append(s.order, name)
	}
	text := fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":"shop",`+
		`"uid":%q,"resourceVersion":"%d","labels":{"app":%q}}}`, name, name+"1", s.version, app)
	s.objects[name] = text
	s.publish(typ, text, nil)
}

// next returns the next delivery.
func (w *world) next(s *Subscription) Delivery {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, time.Hour)
	defer cancel()
	d, err := s.Next(ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func reconfigured(t *testing.T, s *Subscription, cfg SubscriptionConfig) {
	t.Helper()
	if err := s.Reconfigure(cfg); err != nil {
		t.Fatal(err)
	}
}

// What waits stays, whatever the new conditions are: buffered events, retries with their progress,
// and recalls. Later events are judged by the new ones.
func TestReconfigureKeepsWhatWaits(t *testing.T) {
	inWorld(t, func(w *world) {
		for _, name := range []string{"a", "b", "c"} {
			w.applyApp(name, "web")
		}
		_, sub := w.hang(SubscriptionConfig{Name: "l", Conditions: app("web")})
		synctest.Wait()
		d := w.next(sub)
		d.Progress = note("kept")
		d.Retry(time.Minute)
		d = w.next(sub)
		d.Again(2 * time.Minute)
		reconfigured(t, sub, SubscriptionConfig{Name: "other", Conditions: app("db"), Capacity: 2})
		w.applyApp("c", "web")
		w.applyApp("d", "db")
		synctest.Wait()
		var got []string
		for range 4 {
			d := w.next(sub)
			got = append(got, story(d.Event))
			if (d.Attempt == 2) != (d.Progress == note("kept")) {
				t.Errorf("%+v", d)
			}
			d.Done()
		}
		expect(t, got, "add c/c1 103*", "add d/d1 105", "add a/a1 101*", "resync b/b1 102")
		if stats := sub.Stats(); stats.Refused != 1 || sub.Waiting() != 0 || sub.name != "l" {
			t.Errorf("%+v", stats)
		}
	})
}

// A subscription that holds up its informer does so no more when it has another policy or more
// room.
func TestReconfigureMakesRoom(t *testing.T) {
	for _, cfg := range []SubscriptionConfig{
		{Capacity: 1}, {Capacity: 1, Overflow: OverflowDrop},
		{Capacity: 1, Overflow: OverflowSpill, SpillDir: t.TempDir()},
		{Capacity: 9, Overflow: OverflowBlock},
	} {
		inWorld(t, func(w *world) {
			reg, sub := w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
			w.applyEach("a", "b", "c")
			synctest.Wait()
			if n := reg.Status().Objects; n == 3 {
				t.Fatal("the informer was not held up")
			}
			reconfigured(t, sub, cfg)
			time.Sleep(time.Second)
			synctest.Wait()
			if n := reg.Status().Objects; n != 3 {
				t.Errorf("%v: %d objects", cfg.Overflow, n)
			}
			sub.Discard()
		})
	}
}

// A configuration that cannot be has no effect, nor has another folder for a file that is used.
func TestReconfigureRefuses(t *testing.T) {
	cfg := SubscriptionConfig{Name: "l", Overflow: OverflowSpill, SpillDir: t.TempDir()}
	s := byHand(t, cfg)
	other := cfg
	other.SpillDir, other.Capacity = t.TempDir(), 7
	for want, cfg := range map[string]SubscriptionConfig{
		`subscription "l": capacity, resync and spill bytes must not be negative`: {Capacity: -1},
		`subscription "l": the folder and the limit of a spill file cannot be changed while it is ` +
			`used`: other,
	} {
		if err := s.Reconfigure(cfg); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if s.Room() != defaultCapacity || s.cfg.SpillDir != cfg.SpillDir {
		t.Errorf("room for %d", s.Room())
	}
}

// A period begins with the change, and ends with it.
func TestReconfigureResync(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		r, _, sub := w.subscribe(SubscriptionConfig{})
		r.take()
		time.Sleep(time.Hour)
		reconfigured(t, sub, SubscriptionConfig{Resync: time.Minute})
		time.Sleep(59 * time.Second)
		expect(t, r.take())
		time.Sleep(2 * time.Second)
		expect(t, r.take(), "resync a/1 101")
		reconfigured(t, sub, SubscriptionConfig{Resync: time.Hour})
		time.Sleep(59 * time.Minute)
		expect(t, r.take())
		time.Sleep(2 * time.Minute)
		expect(t, r.take(), "resync a/1 101")
		reconfigured(t, sub, SubscriptionConfig{})
		time.Sleep(10 * time.Hour)
		expect(t, r.take())
	})
}

// A rescan brings each stored object once, in its last state, whatever the conditions have refused,
// and after the object's own events; what is gone does not come.
func TestRescan(t *testing.T) {
	inWorld(t, func(w *world) {
		w.applyApp("worked", "web")
		w.applyApp("failed", "web")
		w.applyApp("refused", "db")
		w.applyApp("gone", "db")
		w.applyApp("left", "web")
		_, sub := w.hang(SubscriptionConfig{Conditions: app("web")})
		worked, failed, left := w.next(sub), w.next(sub), w.next(sub)
		left.Done()
		w.applyApp("left", "db")
		w.applyApp("failed", "db")
		w.server.remove("gone")
		synctest.Wait()
		failed.Retry(time.Minute)
		reconfigured(t, sub, SubscriptionConfig{Conditions: app("db"),
			On: event.OpSet(0).With(event.Delete)})
		sub.Rescan()
		sub.Rescan()
		if n := sub.Stats().Resyncing; n != 4 {
			t.Errorf("%d objects are to come", n)
		}
		got := map[string]int{}
		for range 2 {
			d := w.next(sub)
			got[story(d.Event)]++
			if !d.Recalled {
				t.Errorf("%+v", d)
			}
			d.Done()
		}
		if len(got) != 2 || got["resync refused/refused1 103"] != 1 ||
			got["resync left/left1 106"] != 1 {
			t.Errorf("%v", got)
		}
		ctx, cancel := context.WithTimeout(w.ctx, time.Second)
		defer cancel()
		if d, err := sub.Next(ctx); err == nil {
			t.Errorf("%s, while a worker has it", story(d.Event))
		}
		worked.Done()
		var rest []string
		for range 3 {
			d := w.next(sub)
			rest = append(rest, story(d.Event))
			d.Done()
		}
		expect(t, rest, "resync worked/worked1 101", "add failed/failed1 102*",
			"resync failed/failed1 107")
		if stats := sub.Stats(); sub.Waiting() != 0 || stats.Recalled != 4 ||
			stats.Resyncing != 0 ||
			len(sub.later) != 0 {
			t.Errorf("%+v", stats)
		}
	})
}

// With its registration or its subscription, a rescan ends.
func TestARescanEnds(t *testing.T) {
	for _, end := range []func(*Subscription, *Registration){
		func(s *Subscription, _ *Registration) { s.Stop() },
		func(_ *Subscription, r *Registration) { r.Remove() },
	} {
		inWorld(t, func(w *world) {
			w.applyEach("a", "b")
			reg, sub := w.hang(SubscriptionConfig{})
			d := w.next(sub)
			b := w.next(sub)
			b.Done()
			sub.Rescan()
			b = w.next(sub)
			ctx, cancel := context.WithTimeout(w.ctx, time.Second)
			defer cancel()
			if _, err := sub.Next(ctx); err == nil { // it comes to a, which is busy
				t.Error("an object came twice")
			}
			end(sub, reg)
			d.Done()
			b.Done()
			sub.Rescan()
			if n := sub.Stats().Resyncing; n != 0 || len(sub.later) != 0 || len(sub.resyncs) != 0 {
				t.Errorf("%d objects are to come", n)
			}
		})
	}
}

// Reloads of all kinds at the same time, while events come and workers work: in the end each
// object's last state is known.
func TestReloadsAtTheSameTime(t *testing.T) {
	server := newFakeServer()
	factory := NewFactory(scoped{"": server, "!one": server, "!two": server}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var all, working sync.WaitGroup
	all.Go(func() { _ = factory.Run(ctx) })
	sub := byHand(t, SubscriptionConfig{Capacity: 8})
	reg, err := factory.Subscribe(pods, Scope{}, Shape{}, sub)
	if err != nil {
		t.Fatal(err)
	}
	regs, last := []*Registration{reg}, sync.Map{}
	for range 2 {
		all.Go(func() {
			for {
				d, err := sub.Next(ctx)
				if err != nil {
					if !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					return
				}
				last.Store(d.Object.Name(), story(event.Event{Op: d.Op, Object: d.Object}))
				d.Done()
			}
		})
	}
	working.Go(func() {
		for i := range 300 {
			name := fmt.Sprint("pod-", i%7)
			if server.apply(name, name, ""); i%11 == 0 {
				server.remove(name)
			}
			time.Sleep(100 * time.Microsecond)
		}
	})
	working.Go(func() {
		for i := range 50 {
			cfg := SubscriptionConfig{Capacity: 1 + i%9, Overflow: Overflow(i % 2),
				Resync: time.Duration(i%3) * time.Second}
			if i%5 == 1 {
				cfg.Conditions = app("web")
			}
			if err := sub.Reconfigure(cfg); err != nil {
				t.Error(err)
			}
			sub.Rescan()
			sub.Stats()
		}
		if err := sub.Reconfigure(SubscriptionConfig{}); err != nil {
			t.Error(err)
		}
	})
	working.Go(func() {
		for i := range 10 {
			scope := Scope{LabelSelector: []string{"!one", "!two"}[i%2]}
			var err error
			if regs, err = exchange(ctx, factory, sub, regs, []Target{{pods, scope,
				Shape{}}}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	working.Wait()
	sub.Rescan()
	names := 0
	for name := range server.objects {
		want := ""
		for range 1000 {
			o, err := regs[0].Lister().Get("shop", name)
			if err == nil && o.JSON() == server.objects[name] {
				want = fmt.Sprintf("%s/%s %s", name, o.UID(), o.ResourceVersion())
				if got, _ := last.Load(name); got != nil && (got == "update "+want ||
					got == "add "+want || got == "resync "+want) {
					names++
					break
				}
			}
			time.Sleep(time.Millisecond)
		}
	}
	if names != len(server.objects) {
		t.Errorf("of %d objects, %d are known in their last state", len(server.objects), names)
	}
	cancel()
	all.Wait()
}
