package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/informerd/informerd/internal/sink"
)

// What a handler made is kept when the route is stopped while its outbox is full: the handler does
// not see the event again.
func TestWhatWasMadeOutlastsAStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := ""
		for i := range 2 * soleCapacity {
			names += fmt.Sprint(" p", i)
		}
		h := newHandled(t, names)
		h.Batch = 64
		ctx, cancel := context.WithCancel(t.Context())
		h.out.fail = func(n int, _ sink.Message) error {
			if ctx.Err() == nil {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		synctest.Wait()
		s := h.Stats()
		if s.Written != 0 || s.Outputs[0].Waiting < soleCapacity ||
			s.Outputs[0].Waiting > soleCapacity+64 {
			t.Errorf("%d are waiting", s.Outputs[0].Waiting)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		synctest.Wait()
		for _, line := range h.source.log { // what the worker had to give back comes again
			var name string
			if _, err := fmt.Sscanf(line, "retry %s", &name); err == nil && name == "" {
				t.Error(line)
			}
		}
		h.run(t)
		got := h.written()
		slices.Sort(got)
		if len(got) != 2*soleCapacity || len(slices.Compact(got)) != 2*soleCapacity {
			t.Errorf("%d are written", len(got))
		}
		handled := 0
		for _, call := range h.called() {
			handled += len(strings.Fields(call))
		}
		if handled != 2*soleCapacity {
			t.Errorf("the handler got %d events", handled)
		}
	})
}

// versions are those of the objects in an output's messages.
func versions(o *output) (all []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range o.messages {
		all = append(all, m.ResourceVersion)
	}
	return all
}
