package plugins

import (
	"context"

	"github.com/informerd/informerd/pkg/informer/event"
)

// HandleBatch passes events to the guest and returns a result for each, in their order. If the
// guest crashes, the error is a *CrashError, and the results are those of the first events, which
// are handled: all before the crash if the guest takes one event at a time, else none. The same
// holds when ctx ends. The deadline is that of one event times their number. All events of a batch
// are passed to the same guest.
func (i *Instance) HandleBatch(ctx context.Context, events []event.Event) ([]Result, error) {
	if len(events) == 0 {
		return nil, nil
	}
	if err := i.ready(ctx, events[0]); err != nil {
		return nil, err
	}
	if i.handler.Batches() {
		return i.batch(ctx, events)
	}
	results := make([]Result, 0, len(events))
	used := int64(0)
	defer i.usage.sum()()
	defer func() { i.fuel = used }()
	for _, e := range events {
		if err := i.open(ctx); err != nil {
			return results, err
		}
		r, err := i.one(ctx, e)
		used += i.fuel
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
	return results, nil
}

// batch passes events to a guest that takes several at once.
func (i *Instance) batch(ctx context.Context, events []event.Event) ([]Result, error) {
	g := i.guest
	i.usage.begin(g)
	results, current, err := g.onBatch(ctx, events)
	i.fuel = g.used()
	i.usage.end(g)
	i.stats.Events += uint64(len(events))
	switch {
	case err != nil:
		return nil, i.discard(ctx, current, err)
	case g.ended():
		_ = g.close(context.WithoutCancel(ctx))
		i.guest = nil
	default:
		i.renewIfDue(len(events))
	}
	return results, nil
}
