package informer

import (
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/kube/retryafter"
)

const (
	backoffMin = 800 * time.Millisecond
	backoffMax = 30 * time.Second
	// backoffRefused is where the delay stops growing while connections are refused: nobody is
	// there who could have too much to do, and a server that begins to listen is to be found soon.
	backoffRefused = 2 * time.Second
	// backoffReset is how long there must have been no reason to wait before the delay begins at
	// its minimum again.
	backoffReset = 2 * time.Minute

	// paceBurst watches may follow each other at once; after that there is one each paceInterval.
	paceBurst    = 10
	paceInterval = time.Second
)

// retryDelays are the delays between attempts: 0.8 s doubling to 30 s, each with up to its own
// length added at random, so that many daemons do not come back at once. They stay high while
// attempts fail, and are shared by everything the reflector may have to repeat. Only after refused
// connections it waits 4 s at most, and they make no other delay longer than that.
type retryDelays struct {
	step  time.Duration
	ended time.Time // when the last wait was over
}

// next returns the delay from now on, after an error. It is at least as long as the server asked
// for.
func (d *retryDelays) next(now time.Time, cause error) time.Duration {
	if d.step == 0 || now.Sub(d.ended) >= backoffReset {
		d.step = backoffMin
	}
	step := d.step
	if utilnet.IsConnectionRefused(cause) {
		step = min(d.step, backoffRefused)
		d.step = max(d.step, min(2*d.step, backoffRefused))
	} else {
		d.step = min(2*d.step, backoffMax)
	}
	asked := retryafter.Of(cause)
	delay := backoff.Backoff{Min: backoffMin}.AtLeast(backoff.Late(step), asked)
	d.ended = now.Add(delay)
	return delay
}

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
