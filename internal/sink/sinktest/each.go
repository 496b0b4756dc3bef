package sinktest

import (
	"context"

	"github.com/informerd/informerd/internal/sink"
)

// Each writes messages one after the other, and returns what Write of a sink returns.
func Each(ctx context.Context, messages []sink.Message,
	write func(context.Context, sink.Message) error) (errs []error) {
	for i, m := range messages {
		err := ctx.Err()
		if err == nil {
			err = write(ctx, m)
		}
		if err != nil {
			if errs == nil {
				errs = make([]error, len(messages))
			}
			errs[i] = err
		}
	}
	return errs
}
