package informer

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer/event"
)

// scoped is a cluster in which each label selector has a server of its own.
type scoped map[string]*fakeServer

func (c scoped) ListWatcher(_ Resource, scope Scope) ListWatcher { return c[scope.LabelSelector] }

// inScopes runs a factory whose servers for the selectors !old and !new have the same objects.
func inScopes(t *testing.T, f func(w *world, to *fakeServer)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &world{t: t, server: newFakeServer(), ctx: ctx}
		to := newFakeServer()
		w.factory = NewFactory(scoped{"!old": w.server, "!new": to}, nil)
		var wg sync.WaitGroup
		wg.Go(func() { _ = w.factory.Run(ctx) })
		for _, name := range []string{"a", "b", "c"} {
			w.server.apply(name, name+"1", "")
			to.apply(name, name+"1", "")
		}
		f(w, to)
		cancel()
		wg.Wait()
	})
}

// tie ties a subscription to the old scope.
func (w *world) tie(cfg SubscriptionConfig) (*Subscription, []*Registration) {
	w.t.Helper()
	sub, err := NewSubscription(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	reg, err := w.factory.Subscribe(pods, Scope{LabelSelector: "!old"}, Shape{}, sub)
	if err != nil {
		w.t.Fatal(err)
	}
	synctest.Wait()
	return sub, []*Registration{reg}
}

func targets(names ...string) (to []Target) {
	for _, name := range names {
		to = append(to, Target{Resource: pods, Scope: Scope{LabelSelector: "!" + name}})
	}
	return to
}

// exchange ties a subscription to other informers, once that can be done.
func exchange(ctx context.Context, f *Factory, s *Subscription, old []*Registration,
	to []Target) ([]*Registration, error) {
	x, err := f.Exchange(s, old, to)
	if err != nil {
		return nil, err
	}
	defer x.Cancel()
	if err := x.Wait(ctx); err != nil {
		return nil, err
	}
	for {
		s.mu.Lock()
		cfg := s.cfg // a reload may change it meanwhile
		s.mu.Unlock()
		if done, err := x.Try(cfg, false); done || err != nil {
			return x.Registrations(), err
		}
		if err := backoff.Sleep(ctx, time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// The subscription gets the difference, and after that what happens in the new scope.
func TestExchangeGivesTheDifference(t *testing.T) {
	inScopes(t, func(w *world, to *fakeServer) {
		w.server.apply("gone", "g1", "")
		w.server.remove("c")
		w.server.apply("d", "d1", "")
		sub, regs := w.tie(SubscriptionConfig{})
		r := w.serve(sub)
		expect(t, r.take(), "add a/a1 101*", "add b/b1 102*", "add gone/g1 104*", "add d/d1 106*")
		to.version = 106
		to.apply("b", "b1", "")
		to.remove("c")
		to.apply("d", "d2", "")
		to.apply("came", "k1", "")
		regs, err := exchange(w.ctx, w.factory, sub, regs, targets("new"))
		if err != nil {
			t.Fatal(err)
		}
		got := r.take()
		slices.Sort(got)
		expect(t, got, "add came/k1 110*", "add d/d2 109*", "delete d/d1 106?",
			"delete gone/g1 104?", "update b/b1 107 was 102")
		w.server.apply("a", "a1", "")
		to.remove("a")
		expect(t, r.take(), "delete a/a1 111")
		if all := w.factory.Status(); len(all) != 1 || all[0].Scope != targets("new")[0].Scope ||
			!regs[0].HasSynced() {
			t.Errorf("%+v", all)
		}
	})
}

// While a new informer cannot list, the old one goes on, and nothing of the exchange stays.
func TestExchangeWaitsForTheNewInformers(t *testing.T) {
	inScopes(t, func(w *world, to *fakeServer) {
		to.failList = func(int, metav1.ListOptions) error { return errors.New("forbidden") }
		to.failWatch = to.failList
		sub, regs := w.tie(SubscriptionConfig{})
		r := w.serve(sub)
		r.take()
		ctx, cancel := context.WithTimeout(w.ctx, 20*time.Minute)
		defer cancel()
		var ended sync.WaitGroup
		ended.Go(func() {
			_, err := exchange(ctx, w.factory, sub, regs, targets("new"))
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
		time.Sleep(10 * time.Minute)
		w.server.apply("a", "a1", "")
		expect(t, r.take(), "update a/a1 104 was 101")
		ended.Wait()
		w.server.remove("a")
		expect(t, r.take(), "delete a/a1 105")
		if n := len(w.factory.Status()); n != 1 {
			t.Errorf("%d informers", n)
		}
	})
}

// What waits in the subscription stays, in its order, with its retries and recalls, and goes when
// the new registration is removed.
func TestExchangeKeepsWhatWaits(t *testing.T) {
	for _, remove := range []bool{false, true} {
		inScopes(t, func(w *world, to *fakeServer) {
			sub, regs := w.tie(SubscriptionConfig{})
			next := func() Delivery {
				t.Helper()
				ctx, cancel := context.WithTimeout(w.ctx, time.Hour)
				defer cancel()
				d, err := sub.Next(ctx)
				if err != nil {
					t.Fatal(err)
				}
				return d
			}
			first := next()
			first.Progress = note("kept")
			first.Retry(time.Minute)
			second := next()
			second.Again(2 * time.Minute)
			w.server.apply("a", "a1", "")
			to.apply("a", "a1", "")
			to.apply("a", "a1", "") // of which the subscription gets the difference
			synctest.Wait()
			regs, err := exchange(w.ctx, w.factory, sub, regs, targets("new"))
			if err != nil {
				t.Fatal(err)
			}
			if regs[0].HasSynced(); remove {
				regs[0].Remove()
				if sub.Waiting() != 0 || len(sub.recalls)+len(sub.retries)+len(sub.retired) > 0 {
					t.Errorf("%d wait", sub.Waiting())
				}
				return
			}
			var got []string
			for range 5 {
				d := next()
				got = append(got, story(d.Event))
				if d.Attempt == 2 && d.Progress != note("kept") || d.Recalled != (d.Op == event.Resync) {
					t.Errorf("%+v", d)
				}
				d.Done()
			}
			expect(t, got, "add c/c1 103*", "add a/a1 101*", "update a/a1 104 was 101",
				"update a/a1 105 was 104", "resync b/b1 102")
			if sub.Waiting() != 0 || !regs[0].HasSynced() {
				t.Errorf("%d wait, synced %t", sub.Waiting(), regs[0].HasSynced())
			}
		})
	}
}

// A registration that fits stays as it is; a subscription that stops, or two equal targets, end the
// exchange at once.
func TestExchangeOfNothing(t *testing.T) {
	inScopes(t, func(w *world, to *fakeServer) {
		sub, regs := w.tie(SubscriptionConfig{})
		r := w.serve(sub)
		r.take()
		same, err := exchange(w.ctx, w.factory, sub, regs, targets("old"))
		if err != nil || same[0] != regs[0] || len(r.take()) > 0 {
			t.Error(err)
		}
		if _, err := exchange(w.ctx, w.factory, sub, regs, targets("new", "new")); err == nil {
			t.Error("two informers of one scope")
		}
		both, err := exchange(w.ctx, w.factory, sub, regs, targets("new", "old"))
		if err != nil || both[1] != regs[0] {
			t.Error(err)
		}
		if _, err = exchange(w.ctx, w.factory, sub, both, nil); err != nil {
			t.Error(err)
		}
		r.take()
		if n := len(w.factory.Status()); n != 0 {
			t.Errorf("%d informers are left", n)
		}
		sub.Stop()
		if _, err := exchange(w.ctx, w.factory, sub, nil, targets("new")); !errors.Is(err,
			ErrStopped) {
			t.Error(err)
		}
		if n := len(w.factory.Status()); n != 0 {
			t.Errorf("%d informers are left", n)
		}
	})
}

// Before a rescan that is expected begins, nothing comes of it. With an exchange before that, what
// leaves is a delete, whatever the new conditions are, and does not come with the rescan.
func TestARescanThatIsToCome(t *testing.T) {
	inScopes(t, func(w *world, to *fakeServer) {
		sub, regs := w.tie(SubscriptionConfig{})
		r := w.serve(sub)
		expect(t, r.take(), "add a/a1 101*", "add b/b1 102*", "add c/c1 103*")
		to.version = 103
		to.remove("b")
		reconfigured(t, sub, SubscriptionConfig{Conditions: app("none")})
		sub.RescanLater()
		expect(t, r.take())
		if _, err := exchange(w.ctx, w.factory, sub, regs, targets("new")); err != nil {
			t.Fatal(err)
		}
		expect(t, r.take(), "delete b/b1 102?")
		if !sub.Rescanning() {
			t.Error("it is forgotten")
		}
		sub.Rescan()
		got := r.take()
		slices.Sort(got)
		expect(t, got, "resync a/a1 101", "resync c/c1 103")
		if sub.Rescanning() {
			t.Error("it does not end")
		}
	})
}

// A rescan that is asked for after the stop comes to no object, and is not taken for one that has
// come to all.
func TestARescanAfterTheStopHasNotCome(t *testing.T) {
	inScopes(t, func(w *world, _ *fakeServer) {
		sub, _ := w.tie(SubscriptionConfig{})
		r := w.serve(sub)
		expect(t, r.take(), "add a/a1 101*", "add b/b1 102*", "add c/c1 103*")
		sub.RescanLater()
		sub.Stop()
		sub.Rescan()
		expect(t, r.take())
		if !sub.Rescanning() {
			t.Error("it counts as done")
		}
	})
	inScopes(t, func(w *world, _ *fakeServer) {
		sub, _ := w.tie(SubscriptionConfig{})
		sub.Stop()
		if sub.Rescanning() {
			t.Error("there is a rescan that nobody has asked for")
		}
		if sub.Rescan(); !sub.Rescanning() {
			t.Error("it counts as done")
		}
	})
}
