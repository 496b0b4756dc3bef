package plugins

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// callContext is the context of all calls into one guest. It ends once, when a call passes its
// deadline or the caller gives up; then the guest is discarded.
//
// The guest's own code asks check at each visit to the host, and looks at ended at each call of a
// host function. Host functions that wait look at Done.
//
// There is one for each guest and not for each call, because making a context with a deadline and
// stopping it again costs more than a small guest takes for an event. Its timer keeps running
// between calls, and looks at the deadline when it fires.
type callContext struct {
	guest *guest // whose calls they are
	done  chan struct{}
	timer *time.Timer
	ended atomic.Bool // done is closed

	mu      sync.Mutex // guards what follows
	running bool
	begun   time.Time // written like deadline
	ticking bool      // the timer will fire
	due     time.Time // when
	// written by the guest's goroutine only, which may read it without the lock
	deadline time.Time
	err      error           // set when done is closed
	caller   <-chan struct{} // Done of the context that is linked
	unlink   func() bool
}

var _ context.Context = (*callContext)(nil)

// newCallContext returns the context of a new guest. Close it at the end.
func newCallContext(g *guest) *callContext {
	return &callContext{guest: g, done: make(chan struct{})}
}

// begin starts a call that may take limit, until end. It returns when the call began.
func (c *callContext) begin(ctx context.Context, limit time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.follow(ctx)
	c.begun = time.Now()
	c.running, c.deadline = true, c.begun.Add(limit)
	switch {
	case limit <= 0: // used up by an earlier call
		c.finish(context.DeadlineExceeded)
	// starting an instance may take longer than an event
	case !c.ticking || c.due.After(c.deadline):
		c.tick(limit)
	}
	// A context that ended before running was set has not ended this call.
	if ctx.Err() != nil {
		c.finish(context.Canceled)
	}
	return c.begun
}

// check returns why the call must end, nil if it may continue. It is for the guest's goroutine, and
// does not depend on the timer, which may be late.
func (c *callContext) check() error {
	if !c.ended.Load() && time.Until(c.deadline) > 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish(context.DeadlineExceeded) // unless it has ended before
	return c.err
}

// hold stops the time of the running call, until the function that it returns is called: what a
// guest waits for others is not its own. For the guest's goroutine.
func (c *callContext) hold() (goOn func()) {
	const ever = 1000 * time.Hour
	begun := time.Now()
	move := func(by time.Duration) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.deadline = c.deadline.Add(by); c.ticking && c.due.After(c.deadline) {
			c.tick(time.Until(c.deadline))
		}
	}
	move(ever)
	return func() { move(time.Since(begun) - ever) }
}

// end ends a call. It returns how long the call took, and why it was ended: DeadlineExceeded,
// Canceled, or nil if it was not. A late call is late even if the timer did not fire: its goroutine
// may have waited for the guest, like all others.
func (c *callContext) end() (took time.Duration, err error) {
	took = time.Since(c.begun)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = false
	if took > c.deadline.Sub(c.begun) {
		c.finish(context.DeadlineExceeded) // unless it has ended before
	}
	return took, c.err
}

// link makes the context end with the caller's, in place of an earlier caller's.
func (c *callContext) link(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.follow(ctx)
}

// follow ends the call when the caller's context ends. A worker mostly comes with the same context,
// and then there is nothing to do.
func (c *callContext) follow(ctx context.Context) {
	caller := ctx.Done()
	if caller == c.caller {
		return
	}
	if c.unlink != nil {
		c.unlink()
	}
	c.caller, c.unlink = caller, nil
	if caller == nil {
		return
	}
	c.unlink = context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.running && c.caller == caller {
			c.finish(context.Canceled)
		}
	})
}

// tick makes the timer fire after d.
func (c *callContext) tick(d time.Duration) {
	c.ticking, c.due = true, time.Now().Add(d)
	if c.timer == nil {
		c.timer = time.AfterFunc(d, c.fire)
		return
	}
	c.timer.Reset(d)
}

func (c *callContext) fire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ticking = false
	if !c.running {
		return
	}
	if remaining := time.Until(c.deadline); remaining > 0 {
		c.tick(remaining)
		return
	}
	c.finish(context.DeadlineExceeded)
}

// finish ends the guest's time. Of the two errors of package context, the only ones that the engine
// knows, DeadlineExceeded is for the guest's deadline, and Canceled for a caller that gave up, even
// if that was by a deadline of the caller's own.
func (c *callContext) finish(err error) {
	if c.err == nil {
		c.err = err
		c.ended.Store(true)
		close(c.done)
	}
}

// remaining returns how long the running call may still take.
func (c *callContext) remaining() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(c.deadline)
}

// close stops the timer and leaves the caller. No call may follow.
func (c *callContext) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = false
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.unlink != nil {
		c.unlink()
		c.unlink = nil
	}
}

// Deadline returns none: it differs from call to call.
func (c *callContext) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done is closed when a call must end.
func (c *callContext) Done() <-chan struct{} { return c.done }

// Err returns why Done is closed.
func (c *callContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Value leads to the guest, and to nothing else.
func (c *callContext) Value(key any) any {
	if key == (guestKey{}) {
		return c.guest
	}
	return nil
}

type guestKey struct{}

// guestOf returns the guest of a running call.
func guestOf(ctx context.Context) *guest {
	if c, ok := ctx.(*callContext); ok {
		return c.guest
	}
	return ctx.Value(guestKey{}).(*guest)
}
