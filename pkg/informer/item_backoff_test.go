package informer

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Item 37: the first attempt is immediate, each later one waits, also after an attempt that did not
// fail.
func TestTheFirstAttemptIsImmediateAndLaterOnesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts []time.Time
		begun := time.Now()
		server := newFakeServer()
		_, _, stop := alone(t, listWatch{
			list: func(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
				attempts = append(attempts, time.Now())
				if len(attempts) == 2 {
					return nil, errors.New("no")
				}
				return server.List(ctx, opts)
			},
			watch: func(_ context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
				if opts.SendInitialEvents != nil {
					return nil, serverError()
				}
				return nil, expired()
			},
		}, nil)
		time.Sleep(time.Minute)
		stop()
		if len(attempts) < 4 || !attempts[0].Equal(begun) {
			t.Fatal(attempts)
		}
		for i := range attempts[1:] {
			base := min(backoffMin<<i, backoffMax)
			if d := attempts[i+1].Sub(attempts[i]); d < base || d > 2*base {
				t.Errorf("attempt %d after %v, want %v to %v", i+1, d, base, 2*base)
			}
		}
	})
}

// Item 40: lists, watches and busy streams share one backoff, so that one does not bring down the
// delay of another.
func TestOneBackoffForEverything(t *testing.T) {
	inWorld(t, func(w *world) {
		var at []time.Time
		note := func(err error) error { at = append(at, time.Now()); return err }
		w.server.failWatch = func(n int, _ metav1.ListOptions) error {
			switch n {
			case 1:
				return note(&netError{syscall.ECONNREFUSED})
			case 2:
				return note(tooManyRequests())
			case 3:
				return note(expired())
			default:
				return nil
			}
		}
		w.server.failList = func(n int, _ metav1.ListOptions) error {
			if n == 2 || n == 3 {
				return note(errors.New("no"))
			}
			return nil
		}
		w.subscribe(SubscriptionConfig{})
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		at = append(at, time.Now())
		for i := range 4 {
			base := backoffMin << i
			if d := at[i+1].Sub(at[i]); d < base || d > 2*base {
				t.Errorf("delay %d is %v, want %v to %v", i, d, base, 2*base)
			}
		}
	})
}

// Items 10, 28 and 60: a stop ends every wait at once.
func TestAStopEndsEveryWait(t *testing.T) {
	failing := func(err error) func(int, metav1.ListOptions) error {
		return func(int, metav1.ListOptions) error { return err }
	}
	for name, prepare := range map[string]func(w *world){
		"between attempts": func(w *world) {
			w.server.failList = failing(serverError())
		},
		"a refused watch": func(w *world) {
			w.server.failWatch = failing(&netError{syscall.ECONNREFUSED})
		},
		"a busy watch": func(w *world) {
			w.server.raw(errorFrame(429, metav1.StatusReasonTooManyRequests))
		},
		"a quiet watch": func(*world) {},
		"a busy streamed list": func(w *world) {
			w.server.streams, w.server.failWatch = true, failing(tooManyRequests())
		},
		"a streamed list without an end": func(w *world) {
			w.server.streams, w.server.noEnd = true, true
		},
		"a subscription that blocks the queue": func(w *world) {
			w.hang(SubscriptionConfig{Capacity: 1, Overflow: OverflowBlock})
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				w := &world{t: t, server: newFakeServer(), ctx: ctx}
				w.factory = NewFactory(w.server, nil)
				var wg sync.WaitGroup
				wg.Go(func() { _ = w.factory.Run(ctx) })
				prepare(w)
				w.hang(SubscriptionConfig{})
				w.applyEach("a", "b", "c")
				begun := time.Now()
				cancel()
				wg.Wait()
				if d := time.Since(begun); d != 0 {
					t.Errorf("it took %v", d)
				}
			})
		})
	}
}

// Item 41: resyncs come from the store, in their own time: neither new lists nor a server that is
// away put them off.
func TestResyncsGoOnWhileTheServerIsAway(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		w.server.failList = func(n int, _ metav1.ListOptions) error {
			if n > 1 {
				return errors.New("no route to host")
			}
			return nil
		}
		r, _, _ := w.subscribe(SubscriptionConfig{Resync: 10 * time.Second})
		r.take()
		w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
		time.Sleep(31 * time.Second)
		expect(t, r.take(), slices.Repeat([]string{"resync a/1 101"}, 3)...)
		if n := len(w.server.listed()); n < 3 {
			t.Errorf("only %d lists", n)
		}
	})
}

// Item 41: the last version can be asked for at any time; it is "" before the start.
func TestTheVersionCanBeAskedForAtAnyTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := NewFactory(newFakeServer(), nil)
		sub, err := NewSubscription(SubscriptionConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Subscribe(pods, Scope{}, Shape{}, sub); err != nil {
			t.Fatal(err)
		}
		if s := f.Status()[0]; s.ResourceVersion != "" || s.Synced {
			t.Errorf("before the start: %+v", s)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { _ = f.Run(ctx) })
		synctest.Wait()
		if s := f.Status()[0]; s.ResourceVersion != "100" || !s.Synced {
			t.Errorf("running: %+v", s)
		}
		cancel()
		wg.Wait()
		if s := f.Status()[0]; s.ResourceVersion != "100" {
			t.Errorf("after the stop: %+v", s)
		}
	})
}

// A custom resource whose definition goes is not found for a while. When the definition returns,
// everything heals by itself: what was there before is reported as deleted, what is there now as
// added.
func TestADefinitionThatGoesAndReturns(t *testing.T) {
	for _, streams := range []bool{false, true} {
		inWorld(t, func(w *world) {
			w.server.streams = streams
			w.server.apply("a", "1", "")
			w.server.apply("b", "2", "")
			r, reg, _ := w.subscribe(SubscriptionConfig{})
			r.take()

			gone := true // guarded by the server's lock, under which it is read
			notFound := func(int, metav1.ListOptions) error {
				if gone {
					return apierrors.NewNotFound(pods.GroupResource(), "")
				}
				return nil
			}
			w.server.mu.Lock()
			w.server.failList, w.server.failWatch = notFound, notFound
			w.server.mu.Unlock()
			w.server.remove("a")
			w.server.remove("b", true)
			synctest.Wait()
			w.server.disconnect(true)
			time.Sleep(time.Hour)
			if s := w.factory.Status()[0]; !apierrors.IsNotFound(s.Err) {
				t.Errorf("the status does not tell: %v", s.Err)
			}
			expect(t, r.take(), "delete a/1 103")
			if n := len(w.server.listed()); n > 140 {
				t.Errorf("%d lists in an hour", n)
			}

			w.server.apply("b", "3", "", true) // the successor has the name
			w.server.apply("c", "4", "", true)
			w.server.mu.Lock()
			gone = false
			w.server.mu.Unlock()
			time.Sleep(2 * backoffMax)
			expect(t, r.take(), "delete b/2 102?", "add b/3 106", "add c/4 107")
			w.server.apply("c", "4", "")
			expect(t, r.take(), "update c/4 108 was 107")
			if s := w.factory.Status()[0]; s.Err != nil || !reg.HasSynced() {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A custom resource whose definition comes after the subscription.
func TestADefinitionThatComesLater(t *testing.T) {
	inWorld(t, func(w *world) {
		begun := time.Now()
		notFound := func(int, metav1.ListOptions) error {
			if time.Since(begun) < time.Hour {
				return apierrors.NewNotFound(pods.GroupResource(), "")
			}
			return nil
		}
		w.server.failList, w.server.failWatch = notFound, notFound
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		w.server.apply("a", "1", "")
		time.Sleep(time.Hour)
		if reg.HasSynced() {
			t.Error("synced without a definition")
		}
		time.Sleep(2 * backoffMax)
		expect(t, r.take(), "add a/1 101*")
	})
}
