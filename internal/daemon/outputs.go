package daemon

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
)

// output is the sink of one output. The listeners that use it share it.
type output struct {
	name, digest string
	sink         sink.Sink // nil in a runtime that does not run
}

// route returns the output as a route has it.
func (o *output) route() route.Output { return route.Output{Name: o.name, Sink: o.sink} }

// outputs are those of a plan. They are safe for concurrent use.
type outputs struct {
	mu  sync.Mutex
	all map[string]*output
}

// current returns the output of a name, which the plan has.
func (o *outputs) current(name string) *output {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[name]
}

// close closes all sinks.
func (o *outputs) close(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var errs []error
	for name, out := range o.all {
		if out.sink == nil {
			continue
		}
		if err := out.sink.Close(ctx); err != nil {
			errs = append(errs, fmt.Errorf("output %q: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
