package informer

import (
	"context"
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer/event"
)

// runDelays are the delays after which Run retries an event.
var runDelays = backoff.Backoff{Min: time.Second, Max: time.Minute}

// Run passes events to handle, one at a time and in order, until ctx is done or the subscription is
// stopped and empty. After an error, or a panic, an event is retried with a delay that grows from 1
// to 60 seconds, while events of other objects are handled. The events' objects may be kept.
func (s *Subscription) Run(ctx context.Context,
	handle func(context.Context, event.Event) error) error {
	for {
		d, err := s.Next(ctx)
		if err != nil {
			return err
		}
		if err := call(ctx, handle, d.Event); err != nil {
			d.Retry(runDelays.Delay(d.Attempt))
			continue
		}
		d.Done()
	}
}

// call turns a panic of a handler into an error: it never ends the process.
func call(ctx context.Context, handle func(context.Context, event.Event) error,
	e event.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("handler panicked: %v", p)
		}
	}()
	e.Object = e.Object.Plain()
	return handle(ctx, e)
}
