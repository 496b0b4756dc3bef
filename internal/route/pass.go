package route

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// maxPassed is how many events a worker without a handler takes for one turn. More would gain
// little, and the first one waits until the filter has seen all others.
const maxPassed = 32

// passOn hands over the wanted events as they are, without a handler.
func (w *worker) passOn(ctx context.Context) {
	now := time.Now()
	for i := range w.wanted {
		w.finish(&w.wanted[i], now, nil)
	}
	w.handOverAll(ctx)
}

// finish notes what came of an event that was wanted, for handOverAll. Without messages the event
// is sent as it is.
func (w *worker) finish(d *wanted, observed time.Time, messages []sink.Message) {
	outputs, end := 0, ledger.Unwanted
	for i := range w.going {
		var o delivery.Offering
		if w.pipeline.ways[i].ahead.has(d) {
			end = ledger.Earlier
			continue
		}
		if messages == nil && w.outputs[i].asItIs() {
			o = delivery.PrepareEvent(d.event, w.pipeline.makers[i], observed, d.rest.mark,
				d.trace)
		} else if entry, ok := w.entry(i, d.event, observed, messages); ok {
			entry.Trace, entry.Mark = d.trace, d.rest.mark
			o = delivery.Prepare(d.event, &entry)
		} else {
			continue
		}
		o.Owed, o.Since = d.Owed || d.Doubt, d.Since
		w.going[i].add(len(w.finished), o)
		outputs++
	}
	if d.rest.end = end; outputs > 0 {
		d.rest.end = ledger.Passed
		w.route.ledger.Pass(d.rest.mark, d.Op, outputs) // before an output has it
	}
	d.trace.End(outcomePassed, nil)
	w.finished = append(w.finished, d)
}

// going is what goes to one output, of several events.
type going struct {
	offerings []delivery.Offering
	of        []int // the events, by their place among those that are finished
}

func (g *going) add(of int, o delivery.Offering) {
	g.offerings, g.of = append(g.offerings, o), append(g.of, of)
}

// handOverAll puts what came of the finished events into the outboxes, and acknowledges them. Those
// for which there is no room wait one after the other, when all others are handed over.
func (w *worker) handOverAll(ctx context.Context) {
	for i := range w.going {
		g, way := &w.going[i], w.pipeline.ways[i]
		taken, err := way.OfferAll(g.offerings)
		// the listener does not use the output any more
		if rest := g.offerings[taken:]; err != nil {
			way.unwanted.Add(uint64(len(rest)))
			for n := range rest {
				w.route.ledger.End(w.finished[g.of[taken+n]].rest.mark, ledger.None)
			}
		} else {
			for n, o := range rest {
				h := &w.finished[g.of[taken+n]].rest.handover
				*h = append(*h, leftover{way, o})
			}
		}
		clear(g.offerings)
		g.offerings, g.of = g.offerings[:0], g.of[:0]
	}
	short := w.finished[:0]
	for _, d := range w.finished {
		if len(d.rest.handover) > 0 {
			short = append(short, d)
			continue
		}
		w.route.done(d.Delivery, &d.rest)
	}
	if w.route.keep && len(w.going) > 1 {
		w.force(ctx, short)
	} else {
		for _, d := range short {
			w.handOver(ctx, d.Delivery, &d.rest)
		}
	}
	clear(w.finished)
	w.finished = w.finished[:0]
}

// leftover is what came of an event for an outbox that had no room.
type leftover struct {
	way *way
	delivery.Offering
}

// force puts the rest of what came of events into the outboxes, beyond their room, acknowledges the
// events, and then waits for room. Were an event in some of its outboxes only while it waits, a
// process that dies would not know which outputs have it.
func (w *worker) force(ctx context.Context, events []*wanted) {
	r := w.route
	for _, d := range events {
		for _, next := range d.rest.handover {
			if next.way.Force(next.Offering) != nil { // the listener does not use it any more
				next.way.unwanted.Add(1)
				r.ledger.End(d.rest.mark, ledger.None)
			}
		}
		r.done(d.Delivery, &d.rest)
	}
	r.busy.wait()
	defer r.busy.goOn()
	for _, d := range events {
		for _, next := range d.rest.handover {
			r.outboxes.room.wait(ctx, func() bool {
				return next.way.Room() <= 0 && slices.Contains(r.pipeline.Load().ways, next.way)
			})
		}
	}
}

// handOver puts the rest of what came of an event into the outboxes, and acknowledges the event.
func (w *worker) handOver(ctx context.Context, d *informer.Delivery, rest *unsent) {
	for len(rest.handover) > 0 {
		next := rest.handover[0]
		w.route.busy.wait()
		err := next.way.OfferWait(ctx, next.Offering)
		w.route.busy.goOn()
		switch {
		case err == nil || ctx.Err() == nil:
		case w.route.keep:
			// The route is being stopped, and a restart would begin with the event again.
			err = next.way.Force(next.Offering)
		default:
			// The event goes back, and goes on from here.
			d.Progress = *rest
			d.Retry(0)
			return
		}
		if err != nil { // the listener does not use the output any more
			next.way.unwanted.Add(1)
			w.route.ledger.End(rest.mark, ledger.None)
		}
		rest.handover = rest.handover[1:]
	}
	w.route.done(d, rest)
}

// entry returns what an output gets of an event, if it gets anything.
func (w *worker) entry(i int, e event.Event, observed time.Time, messages []sink.Message) (
	entry delivery.Entry, ok bool) {
	out := &w.outputs[i]
	if out.reports {
		w.pipeline.ways[i].unwanted.Add(1)
		return entry, false
	}
	entry = delivery.Entry{Wanted: true, By: w.pipeline.makers[i], Observed: observed}
	if out.plain() {
		entry.Messages = messages
		return entry, true
	}
	if len(messages) == 0 {
		messages = []sink.Message{w.pipeline.Messages.Event(e, observed)}
	}
	for _, m := range messages {
		made, wanted, err := out.make(m)
		if wanted {
			entry.Messages = append(entry.Messages, made)
		}
		entry.Failed = cmp.Or(entry.Failed, err)
	}
	if len(entry.Messages) == 0 {
		w.pipeline.ways[i].unwanted.Add(1)
		return entry, false
	}
	return entry, true
}

// awaitRoom waits while no output has room, or too much of what was made is waiting.
func (w *worker) awaitRoom(ctx context.Context) {
	r := w.route
	r.busy.waiting.Add(1)
	r.outboxes.room.wait(ctx, r.pipeline.Load().blocked)
	r.busy.waiting.Add(-1)
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

// room returns how many events a worker should take, at most so many, since it would have to wait
// for room for the others. It is at least 1.
func (p *Pipeline) room(most int) int {
	for _, way := range p.ways {
		if way.Waits() {
			most = min(most, way.Room())
		}
	}
	return max(most, 1)
}
