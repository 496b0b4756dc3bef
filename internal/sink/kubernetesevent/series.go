package kubernetesevent

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/lru"

	"github.com/informerd/informerd/internal/sink"
)

const (
	// maxSeries is how many series are known.
	maxSeries = 4096
	// seriesEnd is how long a series goes on without a message, as in client-go.
	seriesEnd = 6 * time.Minute
)

// seriesCache has the series of the Events written last. It is safe for concurrent use.
type seriesCache struct {
	interval time.Duration
	mu       sync.Mutex // guards a look-up with what it adds
	known    *lru.Cache // to *series
}

// series is an Event that several messages may share. The one who holds the lock may use the
// fields.
type series struct {
	held    chan struct{} // has an item while it is locked
	name    string        // of the Event; empty if there is none
	count   int32
	written time.Time
}

// of returns the series of an Event, a new one if none is known.
func (c *seriesCache) of(e *kubeEvent) *series {
	r := e.Regarding
	// what the messages of a series have in common
	key := [...]string{e.cluster, r.Namespace, r.APIVersion + " " + r.Kind, r.Name, string(r.UID),
		e.Annotations[listenerAnnotation], e.Type, e.Reason, e.Action, e.Note}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.known.Get(key); ok {
		return known.(*series)
	}
	s := &series{held: make(chan struct{}, 1)}
	c.known.Add(key, s)
	return s
}

// pause waits until a series may be written again.
func (c *seriesCache) pause(ctx context.Context, s *series, closed <-chan struct{}) error {
	wait := time.Until(s.written.Add(c.interval))
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-closed:
		return sink.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *series) lock(ctx context.Context, closed <-chan struct{}) error {
	select {
	case s.held <- struct{}{}:
		return nil
	case <-closed:
		return sink.ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *series) unlock() { <-s.held }

// continues reports whether an Event is one more of the series. One that has ended goes on if the
// Event would have the same name.
func (s *series) continues(e *kubeEvent, now time.Time) bool {
	return s.name != "" && (now.Sub(s.written) < seriesEnd || s.name == e.Name)
}
