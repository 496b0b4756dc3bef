package guest

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/pkg/plugins/internal/code"
	"github.com/informerd/informerd/pkg/plugins/internal/hostfunc"
)

const (
	minRetryDelay = time.Second // after a successor could not be started
	maxRetryDelay = time.Minute
	// soon is how many events a guest must last until its memory is full, or its successor may use
	// more.
	soon = 100
	// RestShare is how many times as long as a successor's start no further one is started. So they
	// take a twentieth of a core at most, however fast a guest's memory fills.
	RestShare = 20
)

// age is when a guest is to be replaced: after so many events, or when its memory has grown so far.
type age struct {
	events, last int64
	soft         int64 // bytes
}

// newAge returns the age of a guest that was just started.
func newAge(g *Guest, raised int64) age {
	a := age{last: math.MaxInt64, soft: math.MaxInt64}
	if g.module.kind == code.Command { // it is gone after each run
		return a
	}
	if n := g.module.cfg.Limits.Recycle; n > 0 {
		a.last = n
	}
	size, limit := hostfunc.MemorySize(g.memory), g.module.maxMemory
	soft := limit - limit/4
	if size >= soft { // a fresh one would be no better
		soft = size + max(1, (limit-size)/2)
	}
	a.soft = max(soft, raised)
	return a
}

// Due counts events, and reports whether the guest is to be replaced.
func (g *Guest) Due(events int) bool {
	a := &g.age
	a.events += int64(events)
	return a.events >= a.last || hostfunc.MemorySize(g.memory) >= a.soft
}

// Renewal replaces an instance's guest by a fresh one, its successor, that is started meanwhile.
// The exported fields are set before its first use. Its goroutines end with Stop.
type Renewal struct {
	// Start starts a guest.
	Start func(context.Context) (*Guest, error)
	// Drop closes a guest.
	Drop func(context.Context, *Guest)
	// Failed is called when a successor cannot be started, unless the last could not either.
	Failed func(context.Context, error)

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
	guest *Guest
	err   error
	took  time.Duration
}

// Pending reports whether a successor is being started, or waits.
func (r *Renewal) Pending() bool { return r.next != nil }

// Memory returns how many bytes the successor has: what its module begins with, and once it is
// started, what it took.
func (r *Renewal) Memory() int64 {
	if !r.Pending() {
		return 0
	}
	return r.next.memory.Load()
}

// Begin takes a guest that was just started as the one that may be replaced.
func (r *Renewal) Begin(g *Guest) {
	g.age = newAge(g, r.raised)
}

// Renew starts a successor of a guest, unless there is one already, the last was started a short
// time ago, or could not be started just now.
func (r *Renewal) Renew(g *Guest) {
	if r.Pending() || r.resting() {
		return
	}
	if g.age.events < min(soon, g.age.last) {
		// If this is what it needs, it would be replaced all the time.
		size, limit := hostfunc.MemorySize(g.memory), g.module.maxMemory
		r.raised = size + max(1, (limit-size)/2)
	}
	ctx, cancel := context.WithCancel(context.Background()) // the start outlasts the event
	next := &successor{cancel: cancel, started: make(chan started, 1)}
	next.memory.Store(g.module.minMemory)
	r.next = next
	r.work.Go(func() {
		defer cancel()
		begin := time.Now()
		g, err := r.Start(ctx)
		if err == nil {
			next.memory.Store(g.Size())
		}
		next.started <- started{g, err, time.Since(begin)}
	})
}

// resting reports whether no successor may be started now.
func (r *Renewal) resting() bool {
	if r.retryAt.IsZero() && r.restUntil.IsZero() {
		return false
	}
	now := time.Now()
	return now.Before(r.retryAt) || now.Before(r.restUntil)
}

// Successor returns the guest that is to take the place of g, which may be nil, if it is ready.
func (r *Renewal) Successor(ctx context.Context, g *Guest) *Guest {
	if !r.Pending() {
		return nil
	}
	select {
	case s := <-r.next.started:
		r.next, r.restUntil = nil, time.Now().Add(RestShare*s.took)
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
func (r *Renewal) postpone(ctx context.Context, err error) {
	if errors.Is(err, ErrClosed) {
		return
	}
	if r.retryAt.IsZero() {
		r.Failed(ctx, err)
	}
	r.retryDelay = min(max(minRetryDelay, 2*r.retryDelay), maxRetryDelay)
	r.retryAt = time.Now().Add(r.retryDelay)
}

// DropLater closes a guest in the background.
func (r *Renewal) DropLater(ctx context.Context, g *Guest) {
	r.work.Go(func() { r.Drop(ctx, g) })
}

// abandon gives up the guest that is being started.
func (r *Renewal) abandon(ctx context.Context) {
	next := r.next
	r.next = nil
	next.cancel()
	r.work.Go(func() {
		if s := <-next.started; s.guest != nil {
			r.Drop(ctx, s.guest)
		}
	})
}

// Stop ends what runs in the background.
func (r *Renewal) Stop(ctx context.Context) {
	if r.Pending() {
		r.abandon(ctx)
	}
	r.work.Wait()
}
