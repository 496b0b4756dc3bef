package backoff

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// Who has failed least has the trial, and the next one if that one leaves.
func TestRanks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := exact(1)
		b.Failed(false, errDown, 0)
		trials := make(chan int, 10)
		cancels := map[int]context.CancelFunc{}
		for _, rank := range []int{7, 3, 1, 5, 3} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			cancels[rank] = cancel
			go func() {
				if ok, trial := b.EnterRanked(ctx, nil, rank); ok {
					if !trial {
						t.Errorf("rank %d has entered without a trial", rank)
					}
					trials <- rank
				}
			}()
			synctest.Wait()
		}
		cancels[1]()
		for _, want := range []int{3, 3, 5} {
			time.Sleep(time.Minute)
			synctest.Wait()
			if len(trials) != 1 {
				t.Fatalf("%d have entered", len(trials))
			}
			if got := <-trials; got != want {
				t.Errorf("rank %d has the trial, want %d", got, want)
			}
			b.Failed(true, errDown, 0)
		}
		time.Sleep(time.Hour)
		if got := <-trials; got != 7 {
			t.Errorf("rank %d has the trial, want 7", got)
		}
		b.Leave(true)
		if ok, trial := b.EnterRanked(t.Context(), nil, 9); !ok || !trial || len(b.ranks) != 0 {
			t.Errorf("nobody else waits: %t, %t, %v", ok, trial, b.ranks)
		}
	})
}
