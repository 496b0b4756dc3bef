package route

import (
	"context"
	"sync"
)

// idle lets workers that wait for an event look whether there is another pipeline, or another
// number of workers. The zero value is ready.
type idle struct {
	mu     sync.Mutex
	parent context.Context
	ctx    context.Context
	cancel context.CancelFunc
}

// begin makes the contexts end with a Run's, and returns the function that ends them before.
func (i *idle) begin(ctx context.Context) (end func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.parent = ctx
	i.ctx, i.cancel = context.WithCancel(ctx)
	return func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.cancel()
		i.parent = nil
	}
}

// context returns the context to wait with. It is done when there is something to look at.
func (i *idle) context() context.Context {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ctx
}

// wake has workers that wait look.
func (i *idle) wake() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.parent != nil {
		i.cancel()
		i.ctx, i.cancel = context.WithCancel(i.parent)
	}
}
