// Package deadline is where a guest's deadline is kept: one context for all calls into a guest,
// which ends when a call takes too long or its caller gives up. It costs a call no allocation.
package deadline

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Context is the context of all calls into one guest. It ends once, when a call passes its deadline
// or the caller gives up; the guest is thrown away then.
//
// The guest's own code asks Check at each visit to the host, and Interrupt at each call of a host
// function. Host functions that wait look at Done.
//
// There is one for each guest and not for each call, because making a context with a deadline and
// stopping it again costs more than a small guest takes for an event. Its timer keeps running
// between calls, and looks at the deadline when it fires.
type Context struct {
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

var _ context.Context = (*Context)(nil)

// New returns the context of a new guest. Close it at the end.
func New() *Context {
	return &Context{done: make(chan struct{})}
}

// Begin starts a call that may take limit, until End. It returns when the call began.
func (c *Context) Begin(ctx context.Context, limit time.Duration) time.Time {
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

// Check returns why the call must end, nil if it may continue. It is for the guest's goroutine, and
// does not depend on the timer, which may be late.
func (c *Context) Check() error {
	if !c.ended.Load() && time.Until(c.deadline) > 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish(context.DeadlineExceeded) // unless it has ended before
	return c.err
}

// Interrupt ends the call of a host function, by a panic, if the guest's time is up. Between two
// visits a guest can call thousands of them, each of which may take milliseconds. It relies on the
// timer, as asking the clock takes as long as many host functions do.
func (c *Context) Interrupt() {
	if c.ended.Load() {
		panic(c.Err())
	}
}

// End ends a call. It returns how long the call took, and why it was ended: DeadlineExceeded,
// Canceled, or nil if it was not. A late call is late even if the timer did not fire: its goroutine
// may have waited for the guest, like all others.
func (c *Context) End() (took time.Duration, err error) {
	took = time.Since(c.begun)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running = false
	if took > c.deadline.Sub(c.begun) {
		c.finish(context.DeadlineExceeded) // unless it has ended before
	}
	return took, c.err
}

// Link makes the context end with the caller's, in place of an earlier caller's.
func (c *Context) Link(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.follow(ctx)
}

// follow ends the call when the caller's context ends. A worker mostly comes with the same context,
// and then there is nothing to do.
func (c *Context) follow(ctx context.Context) {
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
func (c *Context) tick(d time.Duration) {
	c.ticking, c.due = true, time.Now().Add(d)
	if c.timer == nil {
		c.timer = time.AfterFunc(d, c.fire)
		return
	}
	c.timer.Reset(d)
}

func (c *Context) fire() {
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
func (c *Context) finish(err error) {
	if c.err == nil {
		c.err = err
		c.ended.Store(true)
		close(c.done)
	}
}

// Remaining returns how long the running call may still take.
func (c *Context) Remaining() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(c.deadline)
}

// Close stops the timer and leaves the caller. No call may follow.
func (c *Context) Close() {
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
func (c *Context) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done is closed when a call must end.
func (c *Context) Done() <-chan struct{} { return c.done }

// Err returns why Done is closed.
func (c *Context) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Value returns nil: a context with values embeds this one.
func (c *Context) Value(any) any { return nil }
