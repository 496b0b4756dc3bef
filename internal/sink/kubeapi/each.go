package kubeapi

import (
	"context"

	"github.com/informerd/informerd/internal/sink"
)

// Each writes messages one after the other, and returns what Write of a sink returns.
func Each(ctx context.Context, messages []sink.Message, write func(*sink.Message) error) []error {
	var errs []error
	for i := range messages {
		err := ctx.Err()
		if err == nil {
			err = write(&messages[i])
		}
		if err == nil {
			continue
		}
		if errs == nil {
			errs = make([]error, len(messages))
		}
		errs[i] = err
	}
	return errs
}
