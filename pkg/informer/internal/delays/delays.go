// Package delays says when a reflector asks the API server again. It is plain data: the caller
// waits.
package delays

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/kube/retryafter"
)

const (
	// Min and Max bound the delays between attempts, without what is added at random.
	Min = 800 * time.Millisecond
	Max = 30 * time.Second
	// RefusedMax is where the delay stops growing while connections are refused: nobody is
	// there who could have too much to do, and a server that begins to listen is to be found soon.
	RefusedMax = 2 * time.Second
	// ForbiddenMax is the same for a right that is missing: to refuse costs the server little, and
	// a right that is granted is to be noticed soon.
	ForbiddenMax = 4 * time.Second
	// Reset is how long there must have been no reason to wait before the delay begins at
	// its minimum again.
	Reset = 2 * time.Minute

	// Soonest is the first delay after news of what failed.
	Soonest = 25 * time.Millisecond

	// Burst watches may follow each other at once; after that there is one each Interval.
	Burst    = 10
	Interval = time.Second
)

// Retry are the delays between attempts: 0.8 s doubling to 30 s, each with up to its own
// length added at random, so that many daemons do not come back at once. They stay high while
// attempts fail, and are shared by everything the reflector may have to repeat. Only after refused
// connections it waits 4 s at most, after a missing right 8 s, and these make no other delay longer
// than that.
type Retry struct {
	step  time.Duration
	ended time.Time // when the last wait was over
}

// Next returns the delay from now on, after an error. It is at least as long as the server asked
// for.
func (d *Retry) Next(now time.Time, cause error) time.Duration {
	if d.step == 0 || now.Sub(d.ended) >= Reset {
		d.step = Min
	}
	limit := Max
	switch {
	case utilnet.IsConnectionRefused(cause):
		limit = RefusedMax
	case apierrors.IsForbidden(cause):
		limit = ForbiddenMax
	}
	step := min(d.step, limit)
	d.step = max(d.step, min(2*d.step, limit))
	asked := retryafter.Of(cause)
	delay := backoff.Backoff{Min: Min}.AtLeast(backoff.Late(step), asked)
	d.ended = now.Add(delay)
	return delay
}

// Soon has the delays begin far below Min, since there is news of what has failed.
func (d *Retry) Soon(now time.Time) { d.step, d.ended = Soonest, now }

// IsSoon reports whether the next delay is one of those that follow news.
func (d *Retry) IsSoon() bool { return d.step > 0 && d.step < Min }

// Pace bounds how often something that does not fail is begun again. The zero value is ready.
type Pace struct {
	due time.Time // when the last turn was due, had all been Interval apart
}

// Next takes a turn and returns how long to wait for it.
func (p *Pace) Next(now time.Time) time.Duration {
	if earliest := now.Add(-Burst * Interval); p.due.Before(earliest) {
		p.due = earliest
	}
	p.due = p.due.Add(Interval)
	return max(p.due.Sub(now), 0)
}
