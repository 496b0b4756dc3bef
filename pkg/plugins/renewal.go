package plugins

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/code"
)

const (
	minRetryDelay = time.Second // after a successor could not be started
	maxRetryDelay = time.Minute
	// soon is how many events a guest must last until its memory is full, or its successor may use
	// more.
	soon = 100
	// restShare is how many times as long as a successor's start no further one is started. So they
	// take a twentieth of a core at most, however fast a guest's memory fills.
	restShare = 20
)

// age is when a guest is to be replaced: after so many events, or when its memory has grown so far.
type age struct {
	events, last int64
	soft         int64 // bytes
}

// newAge returns the age of a guest that was just started.
func newAge(g *guest, raised int64) age {
	a := age{last: math.MaxInt64, soft: math.MaxInt64}
	if g.handler.kind == code.Command { // it is gone after each run
		return a
	}
	if n := g.handler.spec.Limits.Recycle; n > 0 {
		a.last = n
	}
	size, limit := memorySize(g.memory), g.handler.maxMemory
	soft := limit - limit/4
	if size >= soft { // a fresh one would be no better
		soft = size + max(1, (limit-size)/2)
	}
	a.soft = max(soft, raised)
	return a
}

// due counts events, and reports whether the guest is to be replaced.
func (g *guest) due(events int) bool {
	a := &g.age
	a.events += int64(events)
	return a.events >= a.last || memorySize(g.memory) >= a.soft
}

// renewal replaces an instance's guest by a fresh one, its successor, that is started meanwhile. Its
// goroutines end with stop.
type renewal struct {
	handler *Handler

	next *successor // nil: none is being started
	// the memory that a guest may have before it is replaced, if more than usual
	raised     int64
	retryDelay time.Duration
	retryAt    time.Time // no start before; zero if the last one did not fail
	restUntil  time.Time // no start before
	work       sync.WaitGroup
}

// successor is a guest that is being started.
type successor struct {
	cancel  context.CancelFunc
	started chan started // has room for the one that comes
	memory  atomic.Int64 // bytes that it has
}

type started struct {
	guest *guest
	err   error
	took  time.Duration
}

// pending reports whether a successor is being started, or waits.
func (r *renewal) pending() bool { return r.next != nil }

// memory returns how many bytes the successor has: what its module begins with, and once it is
// started, what it took.
func (r *renewal) memory() int64 {
	if !r.pending() {
		return 0
	}
	return r.next.memory.Load()
}

// begin takes a guest that was just started as the one that may be replaced.
func (r *renewal) begin(g *guest) {
	g.age = newAge(g, r.raised)
}

// renew starts a successor of a guest, unless there is one already, the last was started a short
// time ago, or could not be started just now.
func (r *renewal) renew(g *guest) {
	if r.pending() || r.resting() {
		return
	}
	if g.age.events < min(soon, g.age.last) {
		// If this is what it needs, it would be replaced all the time.
		size, limit := memorySize(g.memory), g.handler.maxMemory
		r.raised = size + max(1, (limit-size)/2)
	}
	ctx, cancel := context.WithCancel(context.Background()) // the start outlasts the event
	next := &successor{cancel: cancel, started: make(chan started, 1)}
	next.memory.Store(g.handler.minMemory)
	r.next = next
	r.work.Go(func() {
		defer cancel()
		begin := time.Now()
		g, err := r.handler.start(ctx)
		if err == nil {
			next.memory.Store(g.size())
		}
		next.started <- started{g, err, time.Since(begin)}
	})
}

// resting reports whether no successor may be started now.
func (r *renewal) resting() bool {
	if r.retryAt.IsZero() && r.restUntil.IsZero() {
		return false
	}
	now := time.Now()
	return now.Before(r.retryAt) || now.Before(r.restUntil)
}

// successor returns the guest that is to take the place of g, which may be nil, if it is ready.
func (r *renewal) successor(ctx context.Context, g *guest) *guest {
	if !r.pending() {
		return nil
	}
	select {
	case s := <-r.next.started:
		r.next, r.restUntil = nil, time.Now().Add(restShare*s.took)
		if s.err != nil {
			r.postpone(ctx, s.err)
			return nil
		}
		r.retryDelay, r.retryAt = 0, time.Time{}
		return s.guest
	default:
		if g == nil { // one is needed now
			r.abandon(ctx)
		}
	}
	return nil
}

// postpone notes that no successor could be started.
func (r *renewal) postpone(ctx context.Context, err error) {
	if errors.Is(err, ErrClosed) {
		return
	}
	if r.retryAt.IsZero() {
		r.handler.host.log.WarnContext(ctx, "no fresh instance of the handler can be started; "+
			"the one there is goes on, and it is tried again",
			"listener", r.handler.spec.Listener, "error", err)
	}
	r.retryDelay = min(max(minRetryDelay, 2*r.retryDelay), maxRetryDelay)
	r.retryAt = time.Now().Add(r.retryDelay)
}

// dropLater closes a guest in the background.
func (r *renewal) dropLater(ctx context.Context, g *guest) {
	r.work.Go(func() { r.handler.drop(ctx, g) })
}

// abandon gives up the guest that is being started.
func (r *renewal) abandon(ctx context.Context) {
	next := r.next
	r.next = nil
	next.cancel()
	r.work.Go(func() {
		if s := <-next.started; s.guest != nil {
			r.handler.drop(ctx, s.guest)
		}
	})
}

// stop ends what runs in the background.
func (r *renewal) stop(ctx context.Context) {
	if r.pending() {
		r.abandon(ctx)
	}
	r.work.Wait()
}
