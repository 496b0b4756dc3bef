package informer

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	backoffMin = 800 * time.Millisecond
	backoffMax = 30 * time.Second
	// backoffReset is how long there must have been no reason to wait before the delay begins at its minimum again.
	backoffReset = 2 * time.Minute
)

// backoff gives the delays between attempts: 0.8 s doubling to 30 s, each with up to its own length added at random, so
// that many daemons do not come back at once. It stays high while attempts fail, and is shared by everything the
// reflector may have to repeat. It is the reflector's alone.
type backoff struct {
	step  time.Duration
	ended time.Time // when the last wait was over
}

// next gives the delay from now on.
func (b *backoff) next(now time.Time) time.Duration {
	if b.step == 0 || now.Sub(b.ended) >= backoffReset {
		b.step = backoffMin
	}
	delay := b.step + rand.N(b.step)
	if b.step = min(2*b.step, backoffMax); mutated("sawtooth") && b.step == backoffMax {
		b.step = backoffMin
	}
	b.ended = now.Add(delay)
	return delay
}

// sleep waits, and gives ctx's error if that was cut short.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
