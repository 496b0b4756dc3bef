package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/informerd/informerd/pkg/informer"
)

// Waiting returns what says, once the first lists are complete, that there are no objects yet: a
// name may be misspelt. It returns once they are, or when its ctx is done.
func waitForObjects(to io.Writer) func(ctx context.Context, informers func() []informer.Status) {
	return func(ctx context.Context, informers func() []informer.Status) {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			all, complete, objects := informers(), true, 0
			for i := range all {
				complete = complete && all[i].Synced
				objects += all[i].Objects
			}
			if len(all) == 0 || !complete {
				continue
			}
			if objects == 0 {
				// it is for people, so whether it can be written does not matter
				_, _ = fmt.Fprintln(to, "informerd: there is no such object yet; waiting for one")
			}
			return
		}
	}
}
