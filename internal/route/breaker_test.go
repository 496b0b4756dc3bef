package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/backoff"
)

// trying runs a route until the test is over, and returns its end.
func (h *handled) trying(t *testing.T) (ctx context.Context, cancel context.CancelFunc,
	ended chan error) {
	ctx, cancel = context.WithCancel(t.Context())
	ended = make(chan error, 1)
	h.source.open = true
	go func() { ended <- h.Run(ctx) }()
	synctest.Wait()
	return ctx, cancel, ended
}

// after lets time pass, and returns the calls of the handler in it.
func (h *handled) after(d time.Duration) []string {
	time.Sleep(d)
	synctest.Wait()
	return h.called()
}

func (h *handled) push(names ...string) {
	for _, name := range names {
		h.source.push(add(name))
	}
	synctest.Wait()
}

// lines are those of the log with a text.
func (h *handled) lines(text string) (found []string) {
	for line := range strings.Lines(h.log.String()) {
		if strings.Contains(line, text) {
			found = append(found, line)
		}
	}
	return found
}

// The story of a handler that breaks and is mended: pauses that double, in each of which nothing is
// taken, with one trial behind each, and then everything at once.
func TestAHandlerThatKeepsCrashingIsPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "")
		h.PauseAfter, h.Retry.Attempts, h.Workers = 3, 1, 2
		for i := range 30 {
			h.set(fmt.Sprint("p", i), "crash")
		}
		_, cancel, ended := h.trying(t)
		defer cancel()
		h.push("p0")
		h.push("p1")
		if s := h.Stats(); s.HandlerPauses != 0 || s.Paused != (backoff.Pause{}) {
			t.Errorf("paused before its time: %+v", s)
		}
		begun := time.Now()
		h.push("p2")
		expectAll(t, "before the pause", h.called(), "p0", "p1", "p2")
		if got, want := h.Stats().Paused,
			(backoff.Pause{Begin: begun, End: begun.Add(time.Second), Since: begun, Failures: 3,
				Cause: errCrash}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		var next []string
		for i := 3; i < 30; i++ {
			next = append(next, fmt.Sprint("p", i))
		}
		h.push(next...)
		for n, pause := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
			expectAll(t, fmt.Sprint("in pause ", n),
				h.after(time.Duration(pause)*time.Second-time.Millisecond))
			// the trials are gone, and each worker may hold on to one
			if left := len(h.source.waiting); left < 30-3-n-2 {
				t.Errorf("in pause %d, %d events are left", n, left)
			}
			if p := h.Stats().Paused; p.Length() != time.Duration(pause)*time.Second ||
				p.Since != begun || p.Failures != n+3 {
				t.Errorf("pause %d: %+v", n, p)
			}
			if calls := h.after(time.Millisecond); len(calls) != 1 ||
				strings.HasPrefix(calls[0], "[") {
				t.Errorf("behind pause %d, called with %q", n, calls)
			}
		}
		h.puppet.mu.Lock()
		h.verdicts = nil
		h.puppet.mu.Unlock()
		if calls := h.after(time.Minute); strings.HasPrefix(calls[0], "[") ||
			!slices.ContainsFunc(calls, func(c string) bool { return strings.HasPrefix(c, "[") }) {
			t.Errorf("behind the last pause, called with %q", calls)
		}
		s := h.Stats()
		if s.HandlerPauses != 9 || s.Paused != (backoff.Pause{}) || s.HandlerCrashes != 11 ||
			s.DeadLetters != 11 || s.Written != 30-11 {
			t.Errorf("%+v", s)
		}
		if len(h.source.waiting) > 0 {
			t.Errorf("%d are left", len(h.source.waiting))
		}
		h.source.end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		pauses, works := h.lines("keeps crashing"), h.lines("works again")
		if len(pauses) != 9 || len(works) != 1 {
			t.Errorf("logged %d and %d times:\n%s", len(pauses), len(works), h.log.String())
		}
		const first = `level=ERROR msg="the handler keeps crashing, so the listener pauses" crashes=3 for=1s error="crash\n\u2028"` + "\n"
		if !strings.HasSuffix(pauses[0], first) ||
			!strings.Contains(works[0],
				`level=INFO msg="the handler works again" crashes=11 after=4m3s`) {
			t.Errorf("%s%s", pauses[0], works[0])
		}
	})
}

// A good result between two crashes starts the count again, whichever worker has it, and so does
// any verdict.
func TestAGoodResultStartsTheCountAgain(t *testing.T) {
	for _, good := range []string{"", "drop", "retry", "fail"} {
		synctest.Test(t, func(t *testing.T) {
			h := newHandled(t, "bad1 bad2 good bad3 bad4")
			h.PauseAfter, h.Batch, h.Retry.Attempts = 3, 1, 1
			h.set("good", good)
			for i := range 5 {
				h.set(fmt.Sprint("bad", i), "crash")
			}
			begun := time.Now()
			h.run(t)
			if s := h.Stats(); s.HandlerPauses != 0 || s.HandlerCrashes != 4 ||
				time.Since(begun) > 0 {
				t.Errorf("%q: %+v after %v", good, s, time.Since(begun))
			}
		})
	}
}

// With 0 there are no pauses.
func TestAHandlerThatIsNeverPaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := ""
		for i := range 100 {
			names += fmt.Sprint(" p", i)
		}
		h := newHandled(t, names)
		h.Retry.Attempts = 1
		for _, name := range strings.Fields(names) {
			h.set(name, "crash")
		}
		begun := time.Now()
		h.run(t)
		if s := h.Stats(); s.HandlerPauses != 0 || s.DeadLetters != 100 || time.Since(begun) > 0 ||
			len(h.lines("pause")) > 0 {
			t.Errorf("%+v after %v", s, time.Since(begun))
		}
	})
}

// The event that crashes goes its ordinary way: it is tried again, and given up.
func TestTheEventThatCrashesIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "bad")
		h.PauseAfter = 1
		h.set("bad", "crash")
		h.run(t)
		expectAll(t, "acknowledged", h.source.log, "retry bad", "retry bad", "done bad")
		if s := h.Stats(); s.DeadLetters != 1 || s.Retried != 2 || s.HandlerPauses != 3 {
			t.Errorf("%+v", s)
		}
	})
}

// What a batch's crash leaves to be given one by one waits for a pause, too, and a trial that works
// lets the rest go.
func TestAPauseInTheMiddleOfATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "bad1 bad2 a b")
		h.PauseAfter, h.Retry.Attempts = 2, 1
		h.set("bad1", "crash")
		h.set("bad2", "crash")
		_, cancel, ended := h.trying(t)
		defer cancel()
		expectAll(t, "before the pause", h.called(), "[bad1 bad2 a b]", "bad1", "bad2")
		expectAll(t, "in the pause", h.after(999*time.Millisecond))
		expectAll(t, "behind it", h.after(time.Millisecond), "a", "b")
		h.source.end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// While one worker is at the trial, the others wait for it; what they had taken before the pause
// waits with them.
func TestOneTrialAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "")
		h.PauseAfter, h.Retry.Attempts, h.Workers = 1, 1, 3
		h.set("bad", "crash")
		_, cancel, ended := h.trying(t)
		defer cancel()
		h.push("bad")
		expectAll(t, "before the pause", h.called(), "bad")
		h.puppet.mu.Lock()
		h.lasts = 10 * time.Second
		h.puppet.mu.Unlock()
		h.push("a", "b", "c", "d", "e")
		if calls := h.after(time.Second); len(calls) != 1 || strings.HasPrefix(calls[0], "[") {
			t.Errorf("behind the pause, called with %q", calls)
		}
		expectAll(t, "during the trial", h.after(9*time.Second))
		if h.Stats().Paused != (backoff.Pause{}) {
			t.Error("a trial is no pause")
		}
		if calls := h.after(2 * time.Second); len(calls) != 2 && len(calls) != 3 {
			t.Errorf("behind the trial, called with %q", calls)
		}
		h.source.end()
		if err := <-ended; err != nil || h.Stats().Written != 5 {
			t.Error(err)
		}
	})
}

// Nobody waits for a pause when the listener stops: the rest is worked on at once, without
// further pauses.
func TestStoppingEndsAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHandled(t, "bad")
		h.PauseAfter, h.Retry.Attempts, h.Workers = 1, 1, 2
		h.set("bad", "crash")
		_, cancel, ended := h.trying(t)
		defer cancel()
		h.push("a", "bad", "b")
		begun := time.Now()
		close(h.source.stopped)
		h.source.end()
		if err := <-ended; err != nil || time.Since(begun) > 0 {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		if s := h.Stats(); s.Written != 2 || s.DeadLetters != 2 || s.HandlerPauses != 1 ||
			len(h.lines("keeps crashing")) != 1 {
			t.Errorf("%+v\n%s", s, h.log.String())
		}
	})
}

// The end of the context ends a pause, and a trial.
func TestTheContextEndsAPause(t *testing.T) {
	for name, passes := range map[string]time.Duration{"in the pause": 0,
		"in the trial": time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHandled(t, "bad a")
				h.PauseAfter, h.Retry.Attempts, h.Batch, h.Workers = 1, 1, 1, 2
				h.set("bad", "crash")
				_, cancel, ended := h.trying(t)
				h.puppet.mu.Lock()
				h.lasts = time.Hour
				h.puppet.mu.Unlock()
				h.push("b", "c")
				h.after(passes)
				begun := time.Now()
				cancel()
				if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(begun) > 0 {
					t.Errorf("%v after %v", err, time.Since(begun))
				}
				for _, line := range h.source.log {
					if line != "done bad" && !strings.HasPrefix(line, "retry ") &&
						line != "done a" {
						t.Errorf("acknowledged %q", h.source.log)
					}
				}
				time.Sleep(time.Second)
			})
		})
	}
}

// What was begun before a pause and ends in it does not end it, and does not make it longer.
func TestStragglersChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &backoff.Breaker{After: 2, Pauses: pauses}
		b.Failed(false, errCrash, 0)
		want, begins := b.Failed(false, errCrash, 0)
		if !begins {
			t.Fatal("no pause")
		}
		if _, begins := b.Failed(false, errCrash, 0); begins {
			t.Error("a crash has begun another pause")
		}
		if _, again := b.Worked(false); again {
			t.Error("a good result has ended the pause")
		}
		if got, pauses := b.State(); got != want || pauses != 1 {
			t.Errorf("%+v, %d", got, pauses)
		}
	})
}

// A trial without a result is another worker's.
func TestATrialWithoutAResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &backoff.Breaker{After: 1, Pauses: pauses}
		b.Failed(false, errCrash, 0)
		var mu sync.Mutex
		var trials []bool
		for range 3 {
			go func() {
				_, trial := b.Enter(t.Context(), nil)
				mu.Lock()
				trials = append(trials, trial)
				mu.Unlock()
			}()
		}
		for n := range 2 {
			time.Sleep(time.Second)
			synctest.Wait()
			if !slices.Equal(trials, slices.Repeat([]bool{true}, n+1)) {
				t.Fatalf("%v were let in", trials)
			}
			b.Leave(true)
		}
		synctest.Wait()
		b.Worked(true)
		b.Rest(t.Context(), nil)
		if entered, trial := b.Enter(t.Context(), nil); !entered || trial ||
			!slices.Equal(trials, []bool{true, true, true}) {
			t.Errorf("%v", trials)
		}
	})
}
