package delivery

import (
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// A receiver asks for a delay, and is away when that is over.
func TestATrialThatFailsInAnotherWayIsNotTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := NewOutput("out", hanging{}, slog.New(slog.DiscardHandler))
		out.breaker.Failed(false, errors.New("429"), time.Second)
		for range 3 {
			entered, trial := out.breaker.Enter(t.Context(), nil)
			if !entered || !trial {
				t.Fatalf("entered: %t, as a trial: %t", entered, trial)
			}
			out.breaker.Failed(true, errors.New("connection refused"), 0)
			if pause, _ := out.Pause(); pause.Length() < pauses.Min/2 {
				t.Errorf("the pause is %+v", pause)
			}
		}
	})
}

// Of two answers that were on their way, the later one asks for more.
func TestALateWishForADelayMakesThePauseLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := NewOutput("out", hanging{}, slog.New(slog.DiscardHandler))
		begun := time.Now()
		out.breaker.Failed(false, errors.New("429"), 10*time.Second)
		time.Sleep(5 * time.Second)
		out.breaker.Failed(false, errors.New("429"), 10*time.Second)
		out.breaker.Failed(false, errors.New("429"), time.Second)
		if _, trial := out.breaker.Enter(t.Context(), nil); !trial ||
			time.Since(begun) != 15*time.Second {
			t.Errorf("the trial is after %v", time.Since(begun))
		}
	})
}
