package apiserver

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// changes tracks how many of a dataset's changes are released, and when each was written. It is
// safe for concurrent use.
type changes struct {
	written []atomic.Int64 // Unix nanoseconds, 0 if not written yet

	mu      sync.Mutex
	out     int           // how many changes watches may see
	watches int           // open
	lists   int           // pages that were asked for
	more    chan struct{} // closed when out grows
	epoch   context.Context
	end     context.CancelFunc // ends the epoch, and with it the open watches and a pace
	pace    sync.WaitGroup
}

func newChanges(events int) *changes {
	c := &changes{written: make([]atomic.Int64, events), more: make(chan struct{})}
	c.epoch, c.end = context.WithCancel(context.Background())
	return c
}

// state returns how many changes are released, and a channel that is closed when there are more.
func (c *changes) state() (out int, more <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out, c.more
}

// release releases n more changes and returns the number of the first.
func (c *changes) release(n int) (first int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if left := len(c.written) - c.out; n < 1 || n > left {
		return 0, fmt.Errorf("cannot release %d changes, %d remain", n, left)
	}
	first = c.out
	c.out += n
	close(c.more)
	c.more = make(chan struct{})
	return first, nil
}

// paced releases n changes in the background, one per interval. It ends with the epoch.
func (c *changes) paced(n int, every time.Duration) (first int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first = c.out
	if left := len(c.written) - c.out; n < 1 || n > left {
		return 0, fmt.Errorf("cannot release %d changes, %d remain", n, left)
	}
	epoch := c.epoch
	c.pace.Go(func() {
		start := time.Now()
		for i := range n {
			select {
			case <-time.After(time.Until(start.Add(time.Duration(i+1) * every))):
			case <-epoch.Done():
				return
			}
			if _, err := c.release(1); err != nil {
				return // another request has released them
			}
		}
	})
	return first, nil
}

// enter counts a new watch. The context ends with the epoch; leave must be called.
func (c *changes) enter() (epoch context.Context, leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watches++
	entered := c.epoch
	return entered, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if entered == c.epoch {
			c.watches--
		}
	}
}

// listed counts a page of a list.
func (c *changes) listed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lists++
}

// pages returns how many pages of lists were asked for since the last reset.
func (c *changes) pages() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lists
}

// reset withdraws all changes. Open watches end, and no longer count.
func (c *changes) reset() {
	c.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch, c.end = context.WithCancel(context.Background())
	c.out, c.watches, c.lists = 0, 0, 0
	for i := range c.written {
		c.written[i].Store(0)
	}
}

// stop ends the epoch, and waits until no more changes are released.
func (c *changes) stop() {
	c.mu.Lock()
	c.end()
	c.mu.Unlock()
	c.pace.Wait()
}

// progress returns the numbers of the control endpoint.
func (c *changes) progress() (out, watches, written int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// Changes are written in order.
	for written < c.out && c.written[written].Load() != 0 {
		written++
	}
	return c.out, c.watches, written
}
