// Package backoff says when something is tried again. A [Backoff] computes the delays between
// attempts: they double with each failure in a row, from a minimum to a maximum. A [Breaker] pauses
// calls that keep failing, and [RetryAfter] reads how long an API server wants to be left alone.
//
// A Backoff keeps no state. The caller counts the failures, decides when they end, and waits.
//
// What is promised:
//   - Delay never returns less than Min or more than Max, however many failures there were.
//   - Early, Late and Full spread delays, so that many programs do not come back at once.
//   - AtLeast never returns less than the server asked for.
//   - Sleep returns as soon as its context is done.
package backoff

import (
	"context"
	"math"
	"math/rand/v2"
	"time"
)

// Backoff is the range of the delays between attempts.
type Backoff struct{ Min, Max time.Duration }

// Delay returns the delay after a number of failures in a row: Min after the first, then twice as
// long each time, up to Max.
func (b Backoff) Delay(failures int) time.Duration {
	shift := max(failures, 1) - 1
	if shift >= 63 || b.Min > b.Max>>shift {
		return b.Max
	}
	return b.Min << shift
}

// AtLeast returns delay, or the longer one that a server asked for. All its clients got the same
// answer, so up to Min is added to that at random.
func (b Backoff) AtLeast(delay, asked time.Duration) time.Duration {
	if asked <= 0 {
		return delay
	}
	asked += rand.N(max(b.Min, 1))
	if asked < 0 {
		asked = math.MaxInt64
	}
	return max(delay, asked)
}

// Early returns a random delay from half of d to d.
func Early(d time.Duration) time.Duration { return d - rand.N(d/2+1) }

// Late returns a random delay from d to twice d.
func Late(d time.Duration) time.Duration { return d + rand.N(max(d, 1)) }

// Sleep waits, and returns ctx's error if that is done before the time is over.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Full returns a random delay of at most d, and more than nothing: full jitter, as in Brooker,
// "Exponential Backoff And Jitter" (AWS Architecture Blog, 2015).
func Full(d time.Duration) time.Duration { return 1 + rand.N(max(d, 1)) }
