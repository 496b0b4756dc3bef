package plugins

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// watch is the context of all calls into one guest: it ends when a call passes its deadline or the
// caller gives up, and leads host functions to the guest. It ends once; the guest is thrown away
// then.
//
// The guest's own code asks check at each visit to the host, and interrupt at each call of a host
// function; those that wait look at Done.
//
// It is made once for each guest and not for each call, and its timer is left to run between calls
// and looks at the deadline when it fires, because making a context with a deadline and stopping it
// again costs more than a small guest takes for an event.
type watch struct {
	guest *guest
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

var _ context.Context = (*watch)(nil)

func newWatch(g *guest) *watch {
	return &watch{guest: g, done: make(chan struct{})}
}

// begin guards one call until end, which may take limit. It returns when the call began.
func (w *watch) begin(ctx context.Context, limit time.Duration) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.follow(ctx)
	w.begun = time.Now()
	w.running, w.deadline = true, w.begun.Add(limit)
	switch {
	case limit <= 0: // used up by an earlier call
		w.finish(context.DeadlineExceeded)
	// starting an instance may take longer than an event
	case !w.ticking || w.due.After(w.deadline):
		w.tick(limit)
	}
	// A context that ended before running was set has not ended this call.
	if ctx.Err() != nil {
		w.finish(context.Canceled)
	}
	return w.begun
}

// check tells the guest's goroutine whether its call may go on, and ends the guest's time if the
// timer is late.
func (w *watch) check() error {
	if !w.ended.Load() && time.Until(w.deadline) > 0 {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.finish(context.DeadlineExceeded) // unless it has ended before
	return w.err
}

// interrupt ends the call of a host function if the guest's time is up. Between two visits a guest
// can call thousands of them, each of which may take milliseconds. The timer tells, as asking the
// clock would take as long as many of them do.
func (w *watch) interrupt() {
	if w.ended.Load() {
		panic(w.Err())
	}
}

// end closes the guarded time. It returns how long the call took and why it was ended, as finish
// says, nil if it was not. A call that is late is late whoever was stopped: the timer's goroutine
// may have waited for the guest, like all others.
func (w *watch) end() (took time.Duration, err error) {
	took = time.Since(w.begun)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	if took > w.deadline.Sub(w.begun) {
		w.finish(context.DeadlineExceeded) // unless it has ended before
	}
	return took, w.err
}

// link leaves the caller whose context the watch follows for another one.
func (w *watch) link(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.follow(ctx)
}

// follow ends the call when the caller's context ends. A worker mostly comes with the same one, and
// then nothing is to be done.
func (w *watch) follow(ctx context.Context) {
	caller := ctx.Done()
	if caller == w.caller {
		return
	}
	if w.unlink != nil {
		w.unlink()
	}
	w.caller, w.unlink = caller, nil
	if caller == nil {
		return
	}
	w.unlink = context.AfterFunc(ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.running && w.caller == caller {
			w.finish(context.Canceled)
		}
	})
}

// tick lets the timer fire after d.
func (w *watch) tick(d time.Duration) {
	w.ticking, w.due = true, time.Now().Add(d)
	if w.timer == nil {
		w.timer = time.AfterFunc(d, w.fire)
		return
	}
	w.timer.Reset(d)
}

func (w *watch) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ticking = false
	if !w.running {
		return
	}
	if left := time.Until(w.deadline); left > 0 {
		w.tick(left)
		return
	}
	w.finish(context.DeadlineExceeded)
}

// finish ends the guest's time. The two errors of package context, the only ones that the engine
// knows, tell the guest's deadline (DeadlineExceeded) from a caller that gave up (Canceled), be it
// by a deadline of its own.
func (w *watch) finish(err error) {
	if w.err == nil {
		w.err = err
		w.ended.Store(true)
		close(w.done)
	}
}

func (w *watch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	if w.timer != nil {
		w.timer.Stop()
	}
	if w.unlink != nil {
		w.unlink()
		w.unlink = nil
	}
}

// Deadline gives none: check and Done tell when it is over.
func (w *watch) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done is closed when a call must end.
func (w *watch) Done() <-chan struct{} { return w.done }

// Err tells why Done is closed.
func (w *watch) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Value leads to the guest, and to nothing else.
func (w *watch) Value(key any) any {
	if key == (guestKey{}) {
		return w.guest
	}
	return nil
}

type guestKey struct{}

// guestOf finds the guest of a running call.
func guestOf(ctx context.Context) *guest {
	if w, ok := ctx.(*watch); ok {
		return w.guest
	}
	return ctx.Value(guestKey{}).(*guest)
}
