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
	for from := 0; from < len(messages); {
		n, err := w.batcher.WriteAll(ctx, messages[from:])
		r.stats.written.Add(uint64(n))
		for i := range w.wanted[from : from+n] {
			d := &w.wanted[from+i]
			r.done(d.Delivery, &d.rest)
		}
		from += n
		if err != nil {
			d := &w.wanted[from]
			d.rest.messages, d.rest.last = []sink.Message{messages[from]}, true
			r.failed(ctx, d.Delivery, &d.rest,
				fmt.Errorf("output %q: %w", w.pipeline.Outputs[0].Name, err))
			from++
		}
	}
	w.messages = nil
	if ctx.Err() == nil { // else the output may still read them
		clear(messages)
		w.messages = messages
	}
}
