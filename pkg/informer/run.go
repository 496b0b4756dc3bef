package informer

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Handler is what Run calls for each event.
type Handler interface {
	// HandleEvent handles an event. On an error, or a panic, the event is delivered again after a
	// while. The event's objects may be kept.
	HandleEvent(ctx context.Context, e event.Event) error
}

// HandlerFunc is a function that is a Handler.
type HandlerFunc func(ctx context.Context, e event.Event) error

// HandleEvent calls f.
func (f HandlerFunc) HandleEvent(ctx context.Context, e event.Event) error { return f(ctx, e) }

// Run passes events to h, one at a time and in order, until ctx is done or the subscription is
// stopped and empty. A failed event is retried with a delay that grows from 1 to 60 seconds, while
// events of other objects are handled.
func (s *Subscription) Run(ctx context.Context, h Handler) error {
	failures := workqueue.NewTypedItemExponentialFailureRateLimiter[event.Key](time.Second,
		time.Minute)
	for {
		d, err := s.Next(ctx)
		if err != nil {
			return err
		}
		key := d.Object.Key()
		if err := handle(ctx, h, d.Event); err != nil {
			d.Retry(failures.When(key))
			continue
		}
		failures.Forget(key)
		d.Done()
	}
}

// handle turns a panic into an error: a handler never ends the process.
func handle(ctx context.Context, h Handler, e event.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("handler panicked: %v", p)
		}
	}()
	e.Object = e.Object.Plain()
	return h.HandleEvent(ctx, e)
}
