package main

import (
	"context"
	"sync"
)

// feed holds the events that informerd has printed so far. Make one with newFeed.
type feed struct {
	mu     sync.Mutex
	events []cloudEvent
	more   chan struct{} // closed and replaced with each event
	ended  error         // why there will be no more events
}

func newFeed() *feed { return &feed{more: make(chan struct{})} }

// Add appends an event.
func (f *feed) Add(e cloudEvent) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, e)
	close(f.more)
	f.more = make(chan struct{})
}

// End records that there will be no more events, and why. The first reason counts.
func (f *feed) End(reason error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended == nil {
		f.ended = reason
		close(f.more)
		f.more = make(chan struct{})
	}
}

// Err returns why there will be no more events, nil while there may be.
func (f *feed) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ended
}

// Len returns the number of events so far, which is the start position of a later Await.
func (f *feed) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.events)
}

// Await blocks until an event at position from or later matches. It fails if the feed or ctx ends
// before.
func (f *feed) Await(ctx context.Context, from int, match func(cloudEvent) bool) error {
	for {
		f.mu.Lock()
		events, more, ended := f.events[from:], f.more, f.ended
		f.mu.Unlock()
		for _, e := range events {
			if match(e) {
				return nil
			}
		}
		if ended != nil {
			return ended
		}
		from += len(events)
		select {
		case <-more:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Has reports whether an event so far matches.
func (f *feed) Has(match func(cloudEvent) bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.events {
		if match(e) {
			return true
		}
	}
	return false
}
