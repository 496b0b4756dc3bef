package reflector

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/informerd/informerd/internal/backoff"
)

const (
	// MinDelay and MaxDelay bound the delays between attempts, without what is added at random.
	MinDelay = 800 * time.Millisecond
	MaxDelay = 30 * time.Second
	// RefusedMax is where the delay stops growing while connections are refused: nobody is
	// there who could have too much to do, and a server that begins to listen is to be found soon.
	RefusedMax = 2 * time.Second
	// forbiddenMax is the same for a right that is missing: to refuse costs the server little, and
	// a right that is granted is to be noticed soon.
	forbiddenMax = 4 * time.Second
	// DelayReset is how long there must have been no reason to wait before the delay begins at
	// its minimum again.
	DelayReset = 2 * time.Minute

	// soonest is the first delay after news of what failed.
	soonest = 25 * time.Millisecond

	// PaceBurst watches may follow each other at once; after that there is one each paceInterval.
	PaceBurst    = 10
	paceInterval = time.Second
)

// retry are the delays between attempts: 0.8 s doubling to 30 s, each with up to its own
// length added at random, so that many daemons do not come back at once. They stay high while
// attempts fail, and are shared by everything the reflector may have to repeat. Only after refused
// connections it waits 4 s at most, after a missing right 8 s, and these make no other delay longer
// than that.
//
// Why refused connections are asked sooner: client-go's delays grow to 30 s, and up to as much again
// at random, after any failure. They protect a server with too much to do. One that refuses
// connections does nothing, so these delays stop at 2 s, 4 s with jitter, and at 4 s after a 403: who
// grants a right waits for the result. From its first answer on the server decides.
type retry struct {
	step  time.Duration
	ended time.Time // when the last wait was over
}

// next returns the delay from now on, after an error. It is at least as long as the server asked
// for.
func (d *retry) next(now time.Time, cause error) time.Duration {
	if d.step == 0 || now.Sub(d.ended) >= DelayReset {
		d.step = MinDelay
	}
	limit := MaxDelay
	switch {
	case utilnet.IsConnectionRefused(cause):
		limit = RefusedMax
	case apierrors.IsForbidden(cause):
		limit = forbiddenMax
	}
	step := min(d.step, limit)
	d.step = max(d.step, min(2*d.step, limit))
	asked := backoff.RetryAfter(cause)
	delay := backoff.Backoff{Min: MinDelay}.AtLeast(backoff.Late(step), asked)
	d.ended = now.Add(delay)
	return delay
}

// soon has the delays begin far below MinDelay, since there is news of what has failed.
func (d *retry) soon(now time.Time) { d.step, d.ended = soonest, now }

// isSoon reports whether the next delay is one of those that follow news.
func (d *retry) isSoon() bool { return d.step > 0 && d.step < MinDelay }

// pace bounds how often something that does not fail is begun again. The zero value is ready.
type pace struct {
	due time.Time // when the last turn was due, had all been paceInterval apart
}

// next takes a turn and returns how long to wait for it.
func (p *pace) next(now time.Time) time.Duration {
	if earliest := now.Add(-PaceBurst * paceInterval); p.due.Before(earliest) {
		p.due = earliest
	}
	p.due = p.due.Add(paceInterval)
	return max(p.due.Sub(now), 0)
}
