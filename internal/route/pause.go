package route

import (
	"context"
	"errors"
	"sync"
)

// errPaused is the error of workers that have ended since the route is paused.
var errPaused = errors.New("the workers are paused")

// pausing lets the workers of a Run end, and begin again. The zero value is ready.
type pausing struct {
	mu      sync.Mutex
	over    chan struct{}      // closed when the pause ends; nil if there is none
	working chan struct{}      // closed when the workers have ended; nil if there are none
	cancel  context.CancelFunc // ends what they wait for
}

// Pause has the workers end, and returns when none works any more: each finishes the events that it
// has, and those for which an outbox has no room go back. Nothing is taken from the subscription
// until resume is called; outputs are sent to meanwhile. The next Pause comes after that.
func (r *Route) Pause() (resume func()) {
	p := &r.pausing
	p.mu.Lock()
	over, working := make(chan struct{}), p.working
	p.over = over
	if working != nil {
		p.cancel()
	}
	p.mu.Unlock()
	if working != nil {
		<-working
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		close(over)
		p.over = nil
	}
}

// begin waits while there is a pause. Then workers may begin: what they wait for ends with the
// context waiting, and ended has to be called when they have ended. The error is ctx's.
func (p *pausing) begin(ctx context.Context) (waiting context.Context, ended func(), err error) {
	p.mu.Lock()
	for over := p.over; over != nil; over = p.over {
		p.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
		p.mu.Lock()
	}
	defer p.mu.Unlock()
	working := make(chan struct{})
	p.working = working
	waiting, p.cancel = context.WithCancel(ctx)
	return waiting, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.cancel()
		p.working = nil
		close(working)
	}, nil
}
