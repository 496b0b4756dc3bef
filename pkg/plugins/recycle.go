package plugins

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

const (
	firstPause   = time.Second // after a fresh guest could not be started
	longestPause = time.Minute
	// soon is how many events a guest has to last until its memory is full, or its successor may
	// use more.
	soon = 100
	// restShare is how many times as long as a successor's start no further one is started: they
	// take a twentieth of a core at most, however fast a guest's memory fills.
	restShare = 20
)

// age tells when a guest is to be replaced: after so many events, or when its memory has grown so
// far.
type age struct {
	events, last int64
	soft         int64 // bytes
}

// newAge is that of a guest which was just started.
func newAge(g *guest, raised int64) age {
	a := age{last: math.MaxInt64, soft: math.MaxInt64}
	if g.module.kind == kindCommand { // it is gone after each run
		return a
	}
	if n := g.module.spec.Limits.Recycle; n > 0 {
		a.last = n
	}
	size, most := sizeOf(g.memory), g.module.maxMemory
	soft := most - most/4
	if size >= soft { // a fresh one would be no better
		soft = size + max(1, (most-size)/2)
	}
	a.soft = max(soft, raised)
	return a
}

// over counts events and tells whether the guest's time has come.
func (a *age) over(events int, memory int64) bool {
	a.events += int64(events)
	return a.events >= a.last || memory >= a.soft
}

// renewal replaces an instance's guest by a fresh one that is started meanwhile. The zero value is
// ready for use. Its goroutines end with stop.
type renewal struct {
	next   *successor // nil: none is being started
	module *module    // that the following is about
	raised int64      // the memory that a guest may have before it is replaced, if more than usual
	pause  time.Duration
	again  time.Time // not to be tried before; zero if the last start did not fail
	rest   time.Time // no start before
	work   sync.WaitGroup
}

// successor is a guest that is being started.
type successor struct {
	cancel  context.CancelFunc
	started chan fresh   // has room for the one that comes
	memory  atomic.Int64 // bytes that it has
}

type fresh struct {
	guest *guest
	err   error
	took  time.Duration
}

func (r *renewal) pending() bool { return r.next != nil }

// memory is how many bytes the guest that follows has: what its module begins with, and once it is
// started, what it took.
func (r *renewal) memory() int64 {
	if !r.pending() {
		return 0
	}
	return r.next.memory.Load()
}

// begin takes a guest that was just started.
func (r *renewal) begin(g *guest) {
	if r.module != g.module {
		r.module, r.raised, r.pause, r.again, r.rest = g.module, 0, 0, time.Time{}, time.Time{}
	}
	g.age = newAge(g, r.raised)
}

// renew has a successor of the guest started, unless there is one already, the last was started a
// short time ago, or could not be started just now.
func (i *Instance) renew() {
	r, g := &i.renewal, i.guest
	if r.pending() || !(r.again.IsZero() && r.rest.IsZero()) &&
		time.Now().Before(later(r.again, r.rest)) {
		return
	}
	// if this is what it needs, it would be replaced all the time
	if g.age.events < min(soon, g.age.last) {
		size, most := sizeOf(g.memory), g.module.maxMemory
		r.raised = size + max(1, (most-size)/2)
	}
	ctx, cancel := context.WithCancel(context.Background()) // it goes on when the event is done
	next := &successor{cancel: cancel, started: make(chan fresh, 1)}
	next.memory.Store(g.module.minMemory)
	r.next = next
	r.work.Go(func() {
		defer cancel()
		begin := time.Now()
		g, err := i.handler.start(ctx)
		if err == nil {
			next.memory.Store(g.size())
		}
		next.started <- fresh{g, err, time.Since(begin)}
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// follow takes the successor if it is ready.
func (i *Instance) follow(ctx context.Context) {
	r, current := &i.renewal, i.handler.current.Load()
	if !r.pending() {
		return
	}
	select {
	case s := <-r.next.started:
		r.next, r.rest = nil, time.Now().Add(restShare*s.took)
		switch {
		case s.err != nil:
			i.postpone(ctx, s.err)
		case s.guest.module != current:
			r.drop(ctx, i.handler, s.guest)
		default:
			if i.guest != nil {
				r.drop(ctx, i.handler, i.guest)
				i.stats.Recycled++
			}
			i.take(s.guest)
			r.pause, r.again = 0, time.Time{}
		}
	default:
		if i.guest == nil || i.guest.module != current { // one is needed now
			r.abandon(ctx, i.handler)
		}
	}
}

// postpone notes that no successor could be started.
func (i *Instance) postpone(ctx context.Context, err error) {
	r := &i.renewal
	if errors.Is(err, ErrClosed) {
		return
	}
	if r.again.IsZero() {
		i.handler.host.log.WarnContext(ctx,
			"no fresh instance of the handler can be started; the one there is goes on, and it is "+
				"tried again", "listener", i.handler.listener, "error", err)
	}
	r.pause = min(max(firstPause, 2*r.pause), longestPause)
	r.again = time.Now().Add(r.pause)
}

// drop closes a guest in the background.
func (r *renewal) drop(ctx context.Context, h *Handler, g *guest) {
	r.work.Go(func() { h.drop(ctx, g) })
}

// abandon gives up the guest that is being started.
func (r *renewal) abandon(ctx context.Context, h *Handler) {
	next := r.next
	r.next = nil
	next.cancel()
	r.work.Go(func() {
		if s := <-next.started; s.guest != nil {
			h.drop(ctx, s.guest)
		}
	})
}

// stop ends what runs in the background.
func (r *renewal) stop(ctx context.Context, h *Handler) {
	if r.pending() {
		r.abandon(ctx, h)
	}
	r.work.Wait()
}
