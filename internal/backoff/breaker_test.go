package backoff

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errDown = errors.New("down")

// exact is a breaker without jitter.
func exact(after int) *Breaker {
	return &Breaker{After: after, Pauses: Backoff{Min: time.Second, Max: 5 * time.Second}}
}

// entered returns what Enter returns, and after how long.
func entered(ctx context.Context, b *Breaker) (entered, trial bool, after time.Duration) {
	begun := time.Now()
	entered, trial = b.Enter(ctx, nil)
	return entered, trial, time.Since(begun)
}

func wantTrial(t *testing.T, b *Breaker, after time.Duration) {
	t.Helper()
	if ok, trial, waited := entered(t.Context(), b); !ok || !trial || waited != after {
		t.Fatalf("entered: %t, as a trial: %t, after %v; want a trial after %v", ok, trial, waited,
			after)
	}
}

func wantFree(t *testing.T, b *Breaker) {
	t.Helper()
	if ok, trial, waited := entered(t.Context(), b); !ok || trial || waited != 0 {
		t.Fatalf("entered: %t, as a trial: %t, after %v; want at once", ok, trial, waited)
	}
	if p, _ := b.State(); b.Troubled() || b.Away() || b.Cause() != nil || !p.IsZero() {
		t.Errorf("it is in trouble, cause: %v, %+v", b.Cause(), p)
	}
}

func TestTheZeroBreakerNeverPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b Breaker
		for range 100 {
			if p, begins := b.Failed(false, errDown, time.Hour); begins || !p.IsZero() {
				t.Fatalf("a pause begins: %+v", p)
			}
		}
		wantFree(t, &b)
	})
}

func TestPausesDoubleUntilATrialIsGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, begun := exact(3), time.Now()
		for range 2 {
			if _, begins := b.Failed(false, errDown, 0); begins {
				t.Fatal("a pause begins before the third failure")
			}
		}
		p, begins := b.Failed(false, errDown, 0)
		if !begins || p.Length() != time.Second || p.Failures != 3 || p.Cause != errDown {
			t.Fatalf("begins: %t, %+v", begins, p)
		}
		for i, next := range []time.Duration{2, 4, 5, 5} {
			wantTrial(t, b, p.Length())
			p, begins = b.Failed(true, errDown, 0)
			if _, n := b.State(); !begins || p.Length() != next*time.Second || int(n) != i+2 ||
				p.Failures != i+4 || !p.Since.Equal(begun) {
				t.Fatalf("begins: %t, %+v, %d pauses", begins, p, n)
			}
		}
		wantTrial(t, b, 5*time.Second)
		if p, recovered := b.Worked(true); !recovered || !p.Since.Equal(begun) || p.Failures != 7 {
			t.Errorf("recovered: %t, %+v", recovered, p)
		}
		wantFree(t, b)
	})
}

func TestAGoodResultBetweenStartsTheCountAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := exact(2)
		for range 10 {
			if _, begins := b.Failed(false, errDown, 0); begins {
				t.Fatal("a pause begins")
			}
			if _, recovered := b.Worked(false); recovered {
				t.Fatal("a pause ends")
			}
		}
		wantFree(t, b)
	})
}

func TestThereIsNeverMoreThanOneTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := exact(1)
		b.Failed(false, errDown, 0)
		var group sync.WaitGroup
		var inside, trials atomic.Int32
		for i := range 20 {
			group.Go(func() {
				ok, trial := b.Enter(t.Context(), nil)
				if n := inside.Add(1); !ok || trial && n != 1 {
					t.Errorf("entered: %t, with %d inside", ok, n)
				}
				if trial && trials.Add(1) <= 3 {
					time.Sleep(time.Minute)
					inside.Add(-1)
					if i%2 == 0 {
						b.Failed(true, errDown, 0)
					} else {
						b.Leave(true)
					}
					return
				}
				if trial {
					time.Sleep(time.Minute)
				}
				inside.Add(-1)
				b.Worked(trial)
			})
		}
		group.Wait()
		if n := trials.Load(); n != 4 {
			t.Errorf("%d trials, want 4", n)
		}
	})
}

func TestATrialThatComesToNoResultIsAnothersTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := exact(1)
		b.Failed(false, errDown, 0)
		wantTrial(t, b, time.Second)
		b.Leave(false) // another call
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if ok, _, _ := entered(ctx, b); ok {
			t.Fatal("entered during a trial")
		}
		b.Leave(true)
		wantTrial(t, b, 0)
	})
}

func TestATrialThatFailsBeginsAnotherPause(t *testing.T) {
	for _, asked := range []time.Duration{0, 30 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			b := exact(5)
			p, begins := b.Failed(false, errDown, 30*time.Second)
			if !begins || p.Length() != 30*time.Second {
				t.Fatalf("begins: %t, %+v", begins, p)
			}
			wantTrial(t, b, 30*time.Second)
			if p, begins = b.Failed(true, errDown, asked); !begins ||
				p.Length() != max(2*time.Second, asked) {
				t.Errorf("begins: %t, %+v", begins, p)
			}
		})
	}
}

func TestACallFromBeforeThePauseChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := exact(1)
		b.Failed(false, errDown, 0)
		time.Sleep(time.Second / 2)
		for range 5 {
			if _, begins := b.Failed(false, errDown, 0); begins {
				t.Error("a pause begins in a pause")
			}
			if _, recovered := b.Worked(false); recovered {
				t.Error("a call from before the pause ends it")
			}
		}
		wantTrial(t, b, time.Second/2)
		if _, recovered := b.Worked(false); recovered {
			t.Error("a call from before the pause ends the trial")
		}
		b.Leave(true)
	})
}

func TestAPauseIsAsLongAsTheLastFailureAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := exact(1)
		b.Failed(false, errDown, time.Millisecond) // less than there is anyway
		go func() {
			time.Sleep(time.Second / 2)
			b.Failed(false, errDown, 10*time.Second) // while somebody waits
			b.Failed(false, errDown, 3*time.Second)
			b.Failed(false, errDown, -time.Hour)
		}()
		wantTrial(t, b, 10*time.Second+time.Second/2)
		b.Leave(true)
	})
}

func TestNoDelayIsTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := exact(1)
		if p, begins := b.Failed(false, errDown, 1<<63-1); !begins || p.Length() < 1<<62 {
			t.Fatalf("begins: %t, %v", begins, p.Length())
		}
		ctx, cancel := context.WithTimeout(t.Context(), 1000*time.Hour)
		defer cancel()
		if ok, _, _ := entered(ctx, b); ok {
			t.Error("entered")
		}
	})
}

func TestACallerWaitsNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := exact(1)
		b.Failed(false, errDown, 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if ok, trial, waited := entered(ctx, b); ok || trial || waited != time.Second/2 {
			t.Errorf("entered: %t, as a trial: %t, after %v", ok, trial, waited)
		}
		stopped, begun := make(chan struct{}), time.Now()
		close(stopped)
		b.Rest(t.Context(), stopped)
		if ok, trial := b.Enter(t.Context(), stopped); ok || trial || time.Since(begun) != 0 {
			t.Errorf("entered: %t, as a trial: %t, after %v", ok, trial, time.Since(begun))
		}
		wantTrial(t, b, time.Second/2) // those that gave up have left nothing behind
		if ok, _, waited := entered(ctx, b); ok || waited != 0 {
			t.Errorf("entered during a trial: %t, after %v", ok, waited)
		}
	})
}

func TestRestWaitsForThePauseAndForNoTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, begun := exact(1), time.Now()
		b.Failed(false, errDown, 0)
		b.Rest(t.Context(), nil)
		if waited := time.Since(begun); waited != time.Second {
			t.Errorf("waited %v", waited)
		}
		wantTrial(t, b, 0)
		b.Rest(t.Context(), nil)
		if waited := time.Since(begun); waited != time.Second {
			t.Errorf("waited for a trial: %v", waited)
		}
	})
}

func TestJitterIsAtMostHalfOfAPause(t *testing.T) {
	shortest, longest := time.Hour, time.Duration(0)
	for range 1000 {
		b := exact(1)
		b.Jitter = true
		p, _ := b.Failed(false, errDown, 0)
		shortest, longest = min(shortest, p.Length()), max(longest, p.Length())
	}
	if shortest < time.Second/2 || shortest > 6*time.Second/10 || longest > time.Second ||
		longest < 9*time.Second/10 {
		t.Errorf("pauses of %v to %v", shortest, longest)
	}
}

func TestSetAfterEndsThePauseAndNoTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := exact(1)
		b.Failed(false, errDown, 0)
		free := make(chan bool)
		go func() {
			ok, trial := b.Enter(t.Context(), nil)
			free <- ok && !trial
		}()
		synctest.Wait()
		b.SetAfter(0)
		if !<-free {
			t.Error("somebody waits although there is no pause")
		}
		b.SetAfter(1)
		b.Failed(false, errDown, 0)
		wantTrial(t, b, time.Second)
		b.SetAfter(0)
		wantFree(t, b)
		b.SetAfter(1)
		if p, begins := b.Failed(false, errDown, 0); !begins || p.Length() != time.Second {
			t.Errorf("begins: %t, %+v", begins, p)
		}
		// The earlier trial is still under way.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if ok, _, _ := entered(ctx, b); ok {
			t.Error("there are two trials")
		}
		b.Leave(true)
		wantTrial(t, b, 0)
		b.SetAfter(0)
		b.SetAfter(2)
		if _, begins := b.Failed(true, errDown, 0); begins {
			t.Error("a trial that has nothing to try any more begins a pause")
		}
	})
}

// Under the race detector, and with nothing but real time.
func TestCallersAtTheSameTime(t *testing.T) {
	b := &Breaker{After: 2, Pauses: Backoff{Min: time.Microsecond, Max: time.Millisecond}}
	var group sync.WaitGroup
	var trials atomic.Int32
	for i := range 8 {
		group.Go(func() {
			for n := range 300 {
				ok, trial := b.Enter(t.Context(), nil)
				if !ok {
					t.Error("not entered")
				}
				if trial && trials.Add(1) != 1 {
					t.Error("two trials")
				}
				if trial {
					trials.Add(-1)
				}
				switch (n + i) % 4 {
				case 0:
					b.Worked(trial)
				case 1:
					b.Leave(trial)
				default:
					b.Failed(trial, errDown, time.Duration(n%3)*time.Microsecond)
				}
				b.State()
			}
		})
	}
	group.Wait()
}
