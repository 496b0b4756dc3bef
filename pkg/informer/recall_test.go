package informer

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
)

// asking is a worker that wants objects again, and writes down what it gets.
type asking struct {
	mu    sync.Mutex
	after map[string]time.Duration // by name; 0 is never
	got   []string
}

func (a *asking) run(ctx context.Context, sub *Subscription) error {
	for {
		d, err := sub.Next(ctx)
		if err != nil {
			return err
		}
		a.mu.Lock()
		told := story(d.Event)
		if d.Recalled {
			told += " recalled"
		}
		a.got = append(a.got, told)
		after := a.after[d.Object.Name()]
		a.mu.Unlock()
		if after > 0 {
			d.Again(after)
		} else {
			d.Done()
		}
	}
}

func (a *asking) take() []string {
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	got := a.got
	a.got = nil
	return got
}

func (w *world) ask(sub *Subscription, after map[string]time.Duration) *asking {
	a := &asking{after: after}
	ctx := w.t.Context()
	go func() {
		if err := a.run(ctx, sub); !errors.Is(err, context.Canceled) &&
			!errors.Is(err, ErrStopped) {
			w.t.Error(err)
		}
	}()
	return a
}

func TestAnObjectComesAgainWhenItIsAskedFor(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{})
		a := w.ask(sub, map[string]time.Duration{"a": time.Minute})
		w.applyEach("a", "b")
		expect(t, a.take(), "add a/1 101", "add b/1 102")
		time.Sleep(59 * time.Second)
		expect(t, a.take())
		time.Sleep(2 * time.Second)
		expect(t, a.take(), "resync a/1 101 recalled")
		if s := sub.Stats(); s.Recalled != 1 || s.Offered != 2 || s.Done != 2 || s.Held != 0 {
			t.Errorf("%+v", s)
		}
		// again and again, as long as it is asked for
		time.Sleep(2 * time.Minute)
		expect(t, a.take(), "resync a/1 101 recalled", "resync a/1 101 recalled")
	})
}

// An event that comes first makes the wish pointless: its worker knows better.
func TestAnEventForgetsTheWish(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{})
		after := map[string]time.Duration{"a": time.Minute}
		a := w.ask(sub, after)
		w.applyEach("a")
		time.Sleep(30 * time.Second)
		w.applyEach("a")
		expect(t, a.take(), "add a/1 101", "update a/1 102 was 101")
		time.Sleep(59 * time.Second)
		expect(t, a.take())
		a.mu.Lock()
		after["a"] = 0
		a.mu.Unlock()
		w.applyEach("a")
		w.server.remove("a")
		time.Sleep(time.Hour)
		expect(t, a.take(), "update a/1 103 was 102", "delete a/1 104")
	})
}

// There is nothing to come again of a deleted object, of a stopped subscription, or from an
// informer that was left.
func TestWhatIsGoneDoesNotComeAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		_, sub := w.hang(SubscriptionConfig{})
		a := w.ask(sub, map[string]time.Duration{"a": time.Minute})
		w.applyEach("a")
		w.server.remove("a")
		expect(t, a.take(), "add a/1 101", "delete a/1 102")
		time.Sleep(time.Hour)
		expect(t, a.take())

		w.applyEach("a")
		expect(t, a.take(), "add a/1 103")
		sub.Stop()
		time.Sleep(time.Hour)
		expect(t, a.take())

		reg, sub := w.hang(SubscriptionConfig{})
		a = w.ask(sub, map[string]time.Duration{"a": time.Minute})
		expect(t, a.take(), "add a/1 103*")
		reg.Remove()
		time.Sleep(time.Hour)
		expect(t, a.take())
		if s := sub.Stats(); s.Discarded != 0 || s.Recalled != 0 || s.Held != 0 ||
			len(sub.recalls) != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// A subscription that learns when objects stop fulfilling its conditions gets the end of one that
// it has asked for, if they have refused that.
func TestARefusedEndComesInstead(t *testing.T) {
	inWorld(t, func(w *world) {
		conditions := []condition.Condition{{Of: condition.OfName, Test: condition.NotIn,
			Values: []string{"a"}}}
		for _, tt := range []struct {
			cfg  SubscriptionConfig
			want []string
		}{
			{SubscriptionConfig{Conditions: conditions, Transitions: true},
				[]string{"delete a/1 101? recalled"}},
			{SubscriptionConfig{Conditions: conditions}, nil},
			{SubscriptionConfig{Transitions: true}, nil}, // it has heard of that
			{SubscriptionConfig{Conditions: conditions, Transitions: true,
				On: event.OpSet(0).With(event.Add).With(event.Update)}, nil},
		} {
			reg, sub := w.hang(tt.cfg)
			a := w.ask(sub, nil)
			o := labelled("", "a", "1", 101, "")
			sub.mu.Lock()
			sub.recallAfter(&buffer.Entry{Event: event.Event{Op: event.Update, Object: o},
				From: &reg.reg.Origin}, time.Minute)
			sub.mu.Unlock()
			time.Sleep(2 * time.Minute)
			expect(t, a.take(), tt.want...)
			if s := sub.Stats(); s.Held != 0 || s.Offered != 0 || s.Done != 0 {
				t.Errorf("%+v", s)
			}
			reg.Remove()
		}
	})
}
