package kube

import (
	"context"
	"sync"
)

// flights has those that want the same answer wait for one of them.
type flights[K comparable, V any] struct {
	mu  sync.Mutex // guards what follows
	all map[K]*flight[V]
}

type flight[V any] struct {
	landed chan struct{}
	answer V
	err    error
	// left: whoever asked has gone, so that there is no answer.
	left bool
}

// do returns what ask does, for which it may wait while another caller asks. The error may be
// ctx's.
func (f *flights[K, V]) do(ctx context.Context, key K, ask func() (V, error)) (answer V,
	err error) {
	for {
		f.mu.Lock()
		under, there := f.all[key]
		if !there {
			if f.all == nil {
				f.all = map[K]*flight[V]{}
			}
			under = &flight[V]{landed: make(chan struct{}), left: true}
			f.all[key] = under
		}
		f.mu.Unlock()
		if !there {
			defer func() {
				f.mu.Lock()
				delete(f.all, key)
				f.mu.Unlock()
				close(under.landed)
			}()
			under.answer, under.err = ask()
			under.left = ctx.Err() != nil
			return under.answer, under.err
		}
		select {
		case <-under.landed:
			if !under.left {
				return under.answer, under.err
			}
		case <-ctx.Done():
			return answer, ctx.Err()
		}
	}
}
