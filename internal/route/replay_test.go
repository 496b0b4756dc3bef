package route

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// replays is a route with a real subscription and a store of dead letters.
type replays struct {
	*draft
	out   *output
	store *deadletter.Store
	feed  *informer.Subscription
	log   bytes.Buffer
}

func newReplays(t *testing.T) *replays {
	t.Helper()
	store, err := deadletter.Open(deadletter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	feed, err := informer.NewSubscription(informer.SubscriptionConfig{Name: "l"})
	if err != nil {
		t.Fatal(err)
	}
	r := &replays{out: &output{}, store: store, feed: feed}
	r.draft = (&script{}).route(t, &r.log, r.out)
	r.Subscription, r.Letters, r.Notes = feed, store, store.Listener("l")
	return r
}

// start runs the route, and returns the function that ends it and the store.
func (r *replays) start(t *testing.T) (end func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- r.Run(t.Context()) }()
	synctest.Wait()
	return func() {
		r.feed.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := r.store.Close(); err != nil {
			t.Error(err)
		}
	}
}

func (r *replays) offer(t *testing.T, e event.Event) {
	t.Helper()
	if _, err := r.feed.Offer(e, nil); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

// stored returns what is in the store, oldest first.
func (r *replays) stored(t *testing.T) (all []deadletter.Letter) {
	t.Helper()
	for l, err := range r.store.List(t.Context(), deadletter.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	return all
}

// replay replays a letter about an event.
func (r *replays) replay(ctx context.Context, l deadletter.Letter, e event.Event) (delivery.Result,
	error) {
	return r.Replay(ctx, Replay{Letter: l, Event: e,
		Superseded: func() bool { return r.store.Superseded(l.ID) }})
}

// Letters go through the listener again, in their order. What the output refuses again is a letter
// again, in the place of the one before. What something newer has followed is not sent.
func TestReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReplays(t)
		refuse := func(int, sink.Message) error { return sink.Permanent(errors.New("not yet")) }
		r.out.fail = refuse
		defer r.start(t)()
		events := []event.Event{
			{Op: event.Add, Object: pod(1, `"Pending"`)},
			{Op: event.Update, Object: pod(2, `"Running"`), Old: pod(1, `"Pending"`)},
			{Op: event.Update, Object: pod(3, `"Failed"`), Old: pod(2, `"Running"`)},
		}
		for _, e := range events {
			r.offer(t, e)
		}
		letters := r.stored(t)
		if len(letters) != 3 {
			t.Fatalf("%d letters", len(letters))
		}
		expect := func(i int, want delivery.Result) {
			t.Helper()
			got, err := r.replay(t.Context(), letters[i], events[i])
			if got != want || (err != nil) != (want == delivery.Failed) {
				t.Errorf("letter %d: %v, %v, want %v", i, got, err, want)
			}
		}
		expect(0, delivery.Failed)
		again := r.stored(t)
		if len(again) != 3 || again[0].ID == letters[0].ID || again[1].ID != letters[1].ID {
			t.Fatalf("%+v", again)
		}
		letters = again
		r.out.mu.Lock()
		r.out.fail = nil
		r.out.mu.Unlock()
		expect(0, delivery.Delivered)
		expect(2, delivery.Delivered)
		expect(1, delivery.Superseded)
		if got := versions(r.out); !slices.Equal(got, []string{"1", "3"}) {
			t.Errorf("delivered %v", got)
		}
		unknown := letters[1]
		unknown.ID, unknown.Output = "", "another"
		if _, err := r.replay(t.Context(), unknown, events[1]); err == nil {
			t.Error("an output that the listener does not have")
		}
	})
}

// The present filter decides about a letter.
func TestAReplayIsFiltered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReplays(t)
		r.Filter = expression(t, `object.status.phase == "Running"`, filters.KindFilter)
		defer r.start(t)()
		l := deadletter.Letter{ID: "1", Listener: "l", Reason: deadletter.HandlerFailed}
		for phase, want := range map[string]delivery.Result{`"Pending"`: delivery.Filtered,
			`"Running"`: delivery.Delivered} {
			got, err := r.replay(t.Context(), l, event.Event{Op: event.Add, Object: pod(1, phase)})
			if got != want || err != nil {
				t.Errorf("%s: %v, %v", phase, got, err)
			}
		}
	})
}

// A letter waits until nothing else of its object is under way. If that was newer, it is not sent.
func TestAReplayWaitsForTheObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReplays(t)
		r.out.fail = func(_ int, m sink.Message) error {
			if m.ResourceVersion == "1" {
				return sink.Permanent(errors.New("no"))
			}
			return nil
		}
		defer r.start(t)()
		first := event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}
		r.offer(t, first)
		r.out.mu.Lock()
		r.out.fail = away(time.Minute)
		r.out.mu.Unlock()
		r.offer(t, event.Event{Op: event.Update, Object: pod(2, `"Running"`),
			Old: pod(1, `"Pending"`)})
		letters := r.stored(t)
		if len(letters) != 1 {
			t.Fatalf("%d letters", len(letters))
		}
		begun := time.Now()
		got, err := r.replay(t.Context(), letters[0], first)
		if got != delivery.Superseded || err != nil || time.Since(begun) < 30*time.Second {
			t.Errorf("%v, %v after %v", got, err, time.Since(begun))
		}
		if got := versions(r.out); !slices.Equal(got, []string{"2"}) {
			t.Errorf("delivered %v", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r.out.mu.Lock()
		r.out.fail = away(time.Hour)
		r.out.mu.Unlock()
		fresh := deadletter.Letter{ID: "1", Listener: "l", Reason: deadletter.Refused}
		if _, err := r.replay(ctx, fresh, first); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it should have waited for the output: %v", err)
		}
	})
}

// A refused report of a rule is sent again if the violation is open, and its end follows: whatever
// the output makes of it, and also of a letter that was too large for its texts.
func TestAReportIsReplayed(t *testing.T) {
	for name, message := range map[string]string{"as it was": "as it was", "too large": "",
		"data": `{"data":{"n":"web"}}`, "a list": `{"data":[{"since":1}]}`, "a text": `{"data":"hi"}`} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { replayReport(t, message) }) })
	}
}

func replayReport(t *testing.T, message string) {
	r := newReplays(t)
	r.Rules, r.Quiet = book(t, pending(0)), true
	r.out.fail = func(int, sink.Message) error { return sink.Permanent(errors.New("not yet")) }
	defer r.start(t)()
	e := event.Event{Op: event.Add, Object: pod(1, `"Pending"`)}
	r.offer(t, e)
	letters := r.stored(t)
	if len(letters) != 1 || letters[0].Rule != "stuck" {
		t.Fatalf("%+v", letters)
	}
	if message != "as it was" {
		letters[0].Message = []byte(message)
	}
	r.out.mu.Lock()
	r.out.fail = nil
	r.out.mu.Unlock()
	if got, err := r.replay(t.Context(), letters[0], e); got != delivery.Delivered || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	r.offer(t, event.Event{Op: event.Update, Object: pod(2, `"Running"`), Old: e.Object})
	expectTold(t, r.out, "violated stuck high@1", "resolved stuck high@2")
	if got, err := r.replay(t.Context(), letters[0], e); got != delivery.Superseded || err != nil {
		t.Errorf("the violation is over: %v, %v", got, err)
	}
}

// A refused end of a violation is sent again, of an object that is there and of one that is gone,
// unless the output knows of a later violation.
func TestAnEndIsReplayed(t *testing.T) {
	for name, how := range map[string]struct{ gone, again bool }{"there": {}, "gone": {gone: true},
		"violated again": {again: true}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newReplays(t)
				r.Rules, r.Quiet = book(t, pending(0)), true
				defer r.start(t)()
				r.offer(t, event.Event{Op: event.Add, Object: pod(1, `"Pending"`)})
				r.out.mu.Lock()
				r.out.fail = func(int, sink.Message) error { return sink.Permanent(errors.New("not yet")) }
				r.out.mu.Unlock()
				e := event.Event{Op: event.Update, Object: pod(2, `"Running"`), Old: pod(1, `"Pending"`)}
				if how.gone {
					e = event.Event{Op: event.Delete, Object: pod(2, `"Pending"`)}
				}
				r.offer(t, e)
				letters := r.stored(t)
				if len(letters) != 1 || !letters[0].Resolved || letters[0].Text == "" {
					t.Fatalf("%+v", letters)
				}
				expect := func(want delivery.Result) {
					t.Helper()
					if got, err := r.replay(t.Context(), letters[0], e); got != want {
						t.Errorf("%v, %v, want %v", got, err, want)
					}
				}
				expect(delivery.Failed)
				letters = r.stored(t)
				r.out.mu.Lock()
				r.out.fail = nil
				r.out.mu.Unlock()
				told := []string{"violated stuck high@1"}
				if how.again {
					r.offer(t, event.Event{Op: event.Update, Object: pod(3, `"Pending"`), Old: e.Object})
					expect(delivery.Superseded)
					expectTold(t, r.out, append(told, "violated stuck high@3")...)
					return
				}
				expect(delivery.Delivered)
				expectTold(t, r.out, append(told, "resolved stuck high@2")...)
			})
		})
	}
}

// slow takes what an output takes, a minute later.
type slow struct{ *output }

func (s slow) Write(ctx context.Context, messages []sink.Message) []error {
	time.Sleep(time.Minute)
	return s.output.Write(ctx, messages)
}

// A replay to an outbox that has no room holds up no worker: a pause does not wait for it.
func TestAReplayWaitsForNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReplays(t)
		r.Buffer = Buffer{Capacity: 1, Overflow: informer.OverflowBlock}
		r.Outputs = append(r.Outputs, to("slow", slow{r.out}))
		r.Outputs[0] = to("quick", &output{}) // if all outboxes were full, no worker would take it
		defer r.start(t)()
		for n := 0; r.Route.pipeline.Load().destinations[1].Room() > 0; n++ {
			r.offer(t, add(fmt.Sprint("a", n)))
		}
		letter := deadletter.Letter{ID: "1", Listener: "l", Output: "slow", Reason: deadletter.Refused}
		ended := make(chan delivery.Result)
		go func() {
			got, _ := r.replay(t.Context(), letter, add("replayed"))
			ended <- got
		}()
		synctest.Wait()
		begun := time.Now()
		r.Pause()()
		if waited := time.Since(begun); waited > 0 {
			t.Errorf("the pause came after %v", waited)
		}
		if got := <-ended; got != delivery.Delivered {
			t.Error(got)
		}
	})
}
