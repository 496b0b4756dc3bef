package route

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// maxPassed is how many events a worker without a handler takes for one turn. More would gain
// little, and the first one waits until the filter has seen all others.
const maxPassed = 32

// passOn hands over the wanted events as they are, without a handler.
func (w *worker) passOn(ctx context.Context) {
	for i := range w.wanted {
		w.finish(ctx, &w.wanted[i], nil)
	}
}

// finish hands over what came of an event that was wanted, and acknowledges it. Without messages
// the event is sent as it is.
func (w *worker) finish(ctx context.Context, d *wanted, messages []sink.Message) {
	p := w.pipeline
	w.handed = handover{event: d.event, entries: w.handed.entries[:0], ways: p.ways}
	for i := range p.ways {
		w.handed.entries = append(w.handed.entries, w.entry(i, d.event, messages))
	}
	d.rest.handover = &w.handed
	w.handOver(ctx, d.Delivery, &d.rest)
	clear(w.handed.entries)
	w.handed = handover{entries: w.handed.entries}
}

// handover is what came of an event, on its way to the outboxes.
type handover struct {
	event   event.Event
	ways    []*way
	entries []*delivery.Entry // by way; nil if there is nothing for it, or it has it
}

func (h *handover) clone() *handover {
	own := *h
	own.entries = slices.Clone(h.entries)
	return &own
}

// handOver puts what came of an event into the outboxes, and acknowledges the event.
func (w *worker) handOver(ctx context.Context, d *informer.Delivery, rest *unsent) {
	h := rest.handover
	for i, entry := range h.entries {
		if entry == nil {
			continue
		}
		err := h.ways[i].Offer(ctx, h.event, entry)
		if err != nil && ctx.Err() != nil {
			// The route is being stopped. The event goes back, and goes on from here.
			// Its own copy does so, since the worker uses its handover again.
			back := *rest
			back.handover = h.clone()
			d.Progress = back
			d.Retry(0)
			return
		}
		if err != nil { // the listener does not use the output any more
			w.route.stats.unwanted.Add(1)
		}
		h.entries[i] = nil
	}
	w.route.done(d, rest)
}

// entry returns what an output gets of an event, nil if nothing.
func (w *worker) entry(i int, e event.Event, messages []sink.Message) *delivery.Entry {
	out := &w.outputs[i]
	if out.reports {
		return nil
	}
	entry := &delivery.Entry{Wanted: true, Builder: w.pipeline.Messages, Observed: time.Now()}
	if out.plain() {
		entry.Messages = messages
		return entry
	}
	if len(messages) == 0 {
		messages = []sink.Message{w.pipeline.Messages.Event(e, entry.Observed)}
	}
	for _, m := range messages {
		made, wanted, err := out.make(m)
		if wanted {
			entry.Messages = append(entry.Messages, made)
		}
		entry.Failed = cmp.Or(entry.Failed, err)
	}
	if len(entry.Messages) == 0 {
		w.route.stats.unwanted.Add(1)
		return nil
	}
	return entry
}

// awaitRoom waits while no output has room, or too much of what was made is waiting.
func (w *worker) awaitRoom(ctx context.Context) {
	w.route.outboxes.room.wait(ctx, w.route.pipeline.Load().blocked)
}

// blocked reports whether the workers should take no more events: what they make could only be
// merged, or would take too much memory.
func (p *Pipeline) blocked() bool {
	full := len(p.ways) > 0
	for _, way := range p.ways {
		if way.Stuffed() {
			return true
		}
		full = full && way.Full()
	}
	return full
}
