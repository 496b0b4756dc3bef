package delivery

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// crew is the senders of a Run. There are as many as the output has use for, also when that is
// another one than before; but an outbox to which nothing comes has one.
type crew struct {
	ctx     context.Context
	outbox  *Outbox
	senders atomic.Int32
	group   sync.WaitGroup

	mu   sync.Mutex // guards what follows
	errs []error
}

// work has the first sender work, and returns when all have ended.
func (c *crew) work() error {
	c.senders.Store(1)
	c.send()
	c.group.Wait()
	return errors.Join(c.errs...)
}

func (c *crew) send() {
	if err := (&sender{outbox: c.outbox, crew: c}).run(c.ctx); err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.errs = append(c.errs, err)
	}
}

// grow starts a sender, unless there are as many as there may be.
func (c *crew) grow(most int) {
	for n := c.senders.Load(); int(n) < most; n = c.senders.Load() {
		if c.senders.CompareAndSwap(n, n+1) {
			c.group.Go(c.send)
			return
		}
	}
}

// leave reports whether there are more senders than there may be. Then the caller has to end.
func (c *crew) leave(most int) bool {
	for n := c.senders.Load(); int(n) > most; n = c.senders.Load() {
		if c.senders.CompareAndSwap(n, n-1) {
			return true
		}
	}
	return false
}
