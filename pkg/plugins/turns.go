package plugins

import (
	"runtime"
	"slices"
	"sync"
)

// turns bounds how many guests run at once that run for longer than most calls take, so that
// processors are left to all that does not: one less than there are processors, at least one. Such
// a guest needs a turn, and passes it on to one that waits when it comes to the host, a fraction of
// a millisecond later. Handlers have turns one after the other, however many guests each has.
// Shorter calls need none, and take no lock.
type turns struct {
	mu      sync.Mutex
	running int      // guests that have a turn
	given   uint64   // turns until now
	waiting []waiter // the longest first
}

type waiter struct {
	handler *Handler
	granted chan struct{}
}

// take returns once the guest has a turn, another one if it had one and others wait, or with an
// error if its caller gave up. It is for the guest's goroutine, like end.
func (t *turns) take(g *guest) error {
	t.mu.Lock()
	if g.turn && len(t.waiting) == 0 {
		t.mu.Unlock()
		return nil
	}
	w := waiter{g.handler, make(chan struct{})}
	t.waiting = append(t.waiting, w)
	t.leave(g)
	t.mu.Unlock()
	defer g.calls.hold()()
	select {
	case <-w.granted:
		g.turn = true
		return nil
	case <-g.calls.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all := len(t.waiting)
	t.waiting = slices.DeleteFunc(t.waiting, func(other waiter) bool { return other == w })
	g.turn = len(t.waiting) == all // it was granted at the same time
	return g.calls.Err()
}

// end gives back the guest's turn, if it has one: its call is over, or waits for an answer.
func (t *turns) end(g *guest) {
	if g.turn {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.leave(g)
	}
}

// leave gives back the guest's turn, if it has one, and grants turns to guests that wait.
func (t *turns) leave(g *guest) {
	if g.turn {
		g.turn = false
		t.running--
	}
	for ; t.running < max(1, runtime.GOMAXPROCS(0)-1) && len(t.waiting) > 0; t.running++ {
		next := 0
		for i, w := range t.waiting {
			if w.handler.turn < t.waiting[next].handler.turn {
				next = i
			}
		}
		t.given++
		t.waiting[next].handler.turn = t.given
		close(t.waiting[next].granted)
		t.waiting = slices.Delete(t.waiting, next, next+1)
	}
}
