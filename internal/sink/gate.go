package sink

import (
	"context"
	"fmt"
	"sync"
)

// Gate counts the writes under way and closes a sink. The zero value is open. It is safe for
// concurrent use.
type Gate struct {
	// OnEmpty is called once, when no write is under way after Close. It must not wait. May be nil.
	OnEmpty func()

	mu     sync.Mutex // guards the fields below
	writes int
	closed chan struct{} // closed by Close
	shut   bool
	empty  chan struct{} // closed when no write is under way after Close
}

// Enter begins a write, which Leave ends. Its error is ctx's, or ErrClosed, and then none begins.
func (g *Gate) Enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.init()
	if g.shut {
		return ErrClosed
	}
	g.writes++
	return nil
}

// Leave ends a write.
func (g *Gate) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writes--
	g.finish()
}

// finish notes if no write is under way after Close. The lock is held.
func (g *Gate) finish() {
	if !g.shut || g.writes > 0 {
		return
	}
	if g.OnEmpty != nil {
		g.OnEmpty()
	}
	close(g.empty)
}

// Closed returns a channel that Close closes.
func (g *Gate) Closed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.init()
	return g.closed
}

// Close closes the gate, and waits for the writes under way or ctx. It may be called again.
func (g *Gate) Close(ctx context.Context) error {
	g.mu.Lock()
	g.init()
	if !g.shut {
		g.shut = true
		close(g.closed)
		g.finish()
	}
	g.mu.Unlock()
	select {
	case <-g.empty:
		return nil
	default:
	}
	select {
	case <-g.empty:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close: writes are still under way: %w", ctx.Err())
	}
}

func (g *Gate) init() {
	if g.closed == nil {
		g.closed, g.empty = make(chan struct{}), make(chan struct{})
	}
}
