package route

import (
	"context"
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/sink"
)

// maxPassed is how many events a worker without a handler takes for one turn, if its output takes
// several messages at once. More would gain little, and the first one waits until the filter has
// seen all others.
const maxPassed = 32

// passOn sends the wanted events as they are, without a handler.
func (w *worker) passOn(ctx context.Context) {
	r := w.route
	if w.batcher == nil {
		for i, e := range w.events {
			w.finish(ctx, &w.wanted[i],
				[]sink.Message{w.pipeline.Messages.Event(e, time.Now())}, nil)
		}
		return
	}
	messages := w.messages[:0]
	for _, e := range w.events {
		messages = append(messages, w.pipeline.Messages.Event(e, time.Now()))
	}
	errs := w.batcher.Write(ctx, messages)
	for i := range messages {
		d := &w.wanted[i]
		if errs == nil || errs[i] == nil {
			r.stats.written.Add(1)
			r.done(d.Delivery, &d.rest)
			continue
		}
		d.rest.messages, d.rest.last = []sink.Message{messages[i]}, true
		r.failed(ctx, d.Delivery, &d.rest,
			fmt.Errorf("output %q: %w", w.pipeline.Outputs[0].Name, errs[i]))
	}
	w.messages = nil
	if ctx.Err() == nil { // else the output may still read them
		clear(messages)
		w.messages = messages
	}
}
