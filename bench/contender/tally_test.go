package contender

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestACounterIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Counter
		for _, goal := range []int{3, 3, 10} {
			start := time.Now()
			var wg sync.WaitGroup
			wg.Go(func() {
				for c.Count() < int64(goal) {
					time.Sleep(time.Second)
					c.Add(2)
				}
			})
			missing := max(0, goal-int(c.Count()))
			if err := c.Wait(t.Context(), goal); err != nil {
				t.Fatal(err)
			}
			if want := time.Duration((missing+1)/2) * time.Second; time.Since(start) != want ||
				c.Count() < int64(goal) {
				t.Errorf("goal %d: waited %v, want %v; the count is %d", goal, time.Since(start),
					want, c.Count())
			}
			wg.Wait()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.Wait(ctx, 100); !errors.Is(err, context.DeadlineExceeded) ||
			err.Error() != "10 of 100: context deadline exceeded" {
			t.Error(err)
		}
	})
}

func TestATallyKnowsWhenAChangeWasSeenFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tally := NewTally(3)
		first := time.Now().UnixNano()
		tally.See("1000000002")
		time.Sleep(time.Second)
		for _, version := range []string{"1000000002", "1000000000", "999999999", "1000000004", "x",
			""} {
			tally.See(version)
		}
		if seen := tally.Seen(0, 3); seen[0] != 0 || seen[1] != first || seen[2] != 0 {
			t.Errorf("%v, want the second to be %d", seen, first)
		}
	})
}
