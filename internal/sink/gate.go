package sink

import (
	"context"
	"fmt"
	"sync"
)

// Gate counts the writes under way and closes a sink. The zero value is open. It is safe for
// concurrent use.
type Gate struct {
	mu     sync.Mutex // guards the fields below
	writes int
	closed chan struct{} // closed by Close
	shut   bool
	empty  chan struct{} // closed when no write is under way after Close
}

// Enter begins a write, which Leave ends. It reports whether the gate was open.
func (g *Gate) Enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.init()
	if g.shut {
		return false
	}
	g.writes++
	return true
}

// Leave ends a write.
func (g *Gate) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writes--
	if g.shut && g.writes == 0 {
		close(g.empty)
	}
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
		if g.writes == 0 {
			close(g.empty)
		}
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
