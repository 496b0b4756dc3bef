package route

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Of two replays of one letter, one sends it. The other one waits for the object, and finds that
// the letter has gone: nobody has noted whether something newer was delivered since.
func TestALetterIsReplayedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReplays(t)
		r.out.fail = func(int, sink.Message) error { return sink.Permanent(errors.New("no")) }
		defer r.start(t)()
		first := event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}
		r.offer(t, first)
		l := r.stored(t)[0]
		r.out.mu.Lock()
		r.out.fail = away(time.Minute)
		r.out.mu.Unlock()
		type outcome struct {
			result delivery.Result
			err    error
		}
		ended := make(chan outcome, 2)
		for range 2 {
			go func() {
				result, err := r.Replay(t.Context(), Replay{Letter: l, Event: first,
					Superseded: func() bool { return r.store.Superseded(l.ID) },
					Gone:       func() bool { return !r.store.Has(l.ID) }})
				if result == delivery.Delivered {
					if _, err := r.store.Delete(l.ID); err != nil {
						t.Error(err)
					}
				}
				ended <- outcome{result, err}
			}()
			synctest.Wait()
		}
		r.offer(t, event.Event{Op: event.Update, Object: pod(2, `"Running"`), Old: first.Object})
		if o := <-ended; o.result != delivery.Delivered {
			t.Errorf("%+v", o)
		}
		if o := <-ended; !errors.Is(o.err, errGone) {
			t.Errorf("%+v", o)
		}
		if got := versions(r.out); !slices.Equal(got, []string{"1", "2"}) {
			t.Errorf("delivered %v", got)
		}
	})
}

// What a rule waits for goes on although a letter of the object is replayed.
func TestAReplayForgetsNoRule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReplays(t)
		r.Rules, r.Quiet = book(t, pending(time.Minute)), true
		defer r.start(t)()
		e := event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}
		r.offer(t, e)
		l := deadletter.Letter{ID: "1", Listener: "l", Reason: deadletter.HandlerFailed}
		if got, err := r.Replay(t.Context(), Replay{Letter: l, Event: e,
			Superseded: func() bool { return false }}); err != nil || got != delivery.Delivered {
			t.Errorf("%v, %v", got, err)
		}
		time.Sleep(2 * time.Minute)
		expectTold(t, r.out, "added 1", "violated stuck high@1")
	})
}

// An event of the object may come to the outputs after a replay has looked, and before a worker has
// it. Then the replay waits for that, too.
func TestWhatComesBeforeAReplayWasTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 8})
		f.away(0, time.Hour)
		f.start(t)
		f.change(t, 2, "Running", "a")
		w := &worker{route: f.Route, waiting: t.Context()}
		if err := w.open(t.Context(), f.pipeline.Load()); err != nil {
			t.Fatal(err)
		}
		for output, want := range map[string]error{"out0": ErrBusy, "out1": nil, "": ErrBusy} {
			var got error
			p := &replaying{Replay: Replay{Letter: deadletter.Letter{Output: output},
				Event:      event.Event{Op: event.Resync, Object: f.last["a"]},
				Superseded: func() bool { return false }},
				end: func(_ delivery.Result, err error) { got = err }}
			d := informer.NewDelivery(informer.Entry{Event: p.Event, Attempt: 1}, newScript())
			w.replay(t.Context(), &d, p)
			synctest.Wait()
			if !errors.Is(got, want) {
				t.Errorf("to %q: %v, want %v", output, got, want)
			}
		}
		f.queue.Stop()
		if err := <-f.ended; err != nil {
			t.Error(err)
		}
	})
}
