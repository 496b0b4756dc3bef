package informer

import (
	"context"
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/backoff"
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

// runDelays are the delays after which Run retries an event.
var runDelays = backoff.Backoff{Min: time.Second, Max: time.Minute}

// Run passes events to h, one at a time and in order, until ctx is done or the subscription is
// stopped and empty. A failed event is retried with a delay that grows from 1 to 60 seconds, while
// events of other objects are handled.
func (s *Subscription) Run(ctx context.Context, h Handler) error {
	for {
		d, err := s.Next(ctx)
		if err != nil {
			return err
		}
		if err := handle(ctx, h, d.Event); err != nil {
			d.Retry(runDelays.Delay(d.Attempt))
			continue
		}
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
