package informer

import (
	"context"
	"math/rand/v2"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/informerd/informerd/internal/kube/retryafter"
)

const (
	backoffMin = 800 * time.Millisecond
	backoffMax = 30 * time.Second
	// backoffRefused is where the delay stops growing while connections are refused: nobody is
	// there who could have too much to do, and who begins to listen again is to be found soon.
	backoffRefused = 2 * time.Second
	// backoffReset is how long there must have been no reason to wait before the delay begins at
	// its minimum again.
	backoffReset = 2 * time.Minute

	// paceBurst watches may follow each other at once; after that there is one each paceInterval.
	paceBurst    = 10
	paceInterval = time.Second
)

// backoff gives the delays between attempts: 0.8 s doubling to 30 s, each with up to its own length
// added at random, so that many daemons do not come back at once. It stays high while attempts
// fail, and is shared by everything the reflector may have to repeat. Only refused connections wait
// 4 s at most, and make no other delay longer than that. It is the reflector's alone.
type backoff struct {
	step  time.Duration
	ended time.Time // when the last wait was over
}

// next returns the delay from now on, after an error. It is at least as long as the server asked
// for.
func (b *backoff) next(now time.Time, cause error) time.Duration {
	if b.step == 0 || now.Sub(b.ended) >= backoffReset {
		b.step = backoffMin
	}
	delay := jittered(b.step)
	if utilnet.IsConnectionRefused(cause) {
		delay = jittered(min(b.step, backoffRefused))
		b.step = max(b.step, min(2*b.step, backoffRefused))
	} else {
		b.step = min(2*b.step, backoffMax)
	}
	if asked := retryafter.Of(cause); asked > 0 {
		// All clients got the same time.
		delay = max(delay, asked+rand.N(backoffMin))
	}
	b.ended = now.Add(delay)
	return delay
}

// jittered returns d to 2*d.
func jittered(d time.Duration) time.Duration { return d + rand.N(d) }

// pace bounds how often something that does not fail is begun again. The zero value is ready.
type pace struct {
	due time.Time // when the last turn was due, had all been paceInterval apart
}

// next takes a turn and returns how long to wait for it.
func (p *pace) next(now time.Time) time.Duration {
	if earliest := now.Add(-paceBurst * paceInterval); p.due.Before(earliest) {
		p.due = earliest
	}
	p.due = p.due.Add(paceInterval)
	return max(p.due.Sub(now), 0)
}

// sleep waits, and returns ctx's error if that was cut short.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
