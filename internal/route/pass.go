package route

import (
	"cmp"
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
func (w *worker) passOn() {
	now := time.Now()
	for i := range w.wanted {
		w.finish(&w.wanted[i], now, nil)
	}
	w.handOverAll()
}

// finish notes what came of an event that was wanted, for handOverAll. Without messages the event
// is sent as it is.
func (w *worker) finish(d *wanted, observed time.Time, messages []sink.Message) {
	w.asOf = arrival(&d.Entry)
	for i := range w.going {
		if w.pipeline.destinations[i].restored.has(d) {
			continue
		}
		pending := w.pending(i, d.event, observed, messages)
		if pending == nil {
			continue
		}
		if d.trace != nil {
			pending.SetTrace(d.trace)
		}
		entry := pending.Of(d.event)
		entry.MaybeDelivered, entry.Since = d.MaybeDelivered || d.MaybeKnown, d.Since
		w.going[i].add(len(w.finished), entry)
	}
	d.trace.End(outcomePassed, nil)
	w.finished = append(w.finished, d)
}

// going is what goes to one output, of several events.
type going struct {
	entries []informer.Entry
	of      []int // the events, by their place among those that are finished
}

func (g *going) add(of int, e informer.Entry) {
	g.entries, g.of = append(g.entries, e), append(g.of, of)
}

// handOverAll puts what came of the finished events into the outboxes, and acknowledges them. Those
// for which there is no room wait one after the other, when all others are handed over.
func (w *worker) handOverAll() {
	for i := range w.going {
		g, destination := &w.going[i], w.pipeline.destinations[i]
		taken, err := destination.OfferAll(g.entries)
		// the listener does not use the output any more
		if rest := g.entries[taken:]; err != nil {
			destination.unwanted.Add(uint64(len(rest)))
		} else {
			for n, o := range rest {
				h := &w.finished[g.of[taken+n]].rest.handover
				*h = append(*h, leftover{destination, o})
			}
		}
		clear(g.entries)
		g.entries, g.of = g.entries[:0], g.of[:0]
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
		w.force(short)
	} else {
		for _, d := range short {
			w.handOver(d.Delivery, &d.rest)
		}
	}
	clear(w.finished)
	w.finished = w.finished[:0]
}

// leftover is what came of an event for an outbox that had no room.
type leftover struct {
	destination *destination
	informer.Entry
}

// force puts the rest of what came of events into the outboxes, beyond their room, acknowledges the
// events, and then waits for room. Were an event in some of its outboxes only while it waits, a
// process that dies would not know which outputs have it.
func (w *worker) force(events []*wanted) {
	r := w.route
	for _, d := range events {
		for _, next := range d.rest.handover {
			if next.destination.Force(next.Entry) != nil { // the listener does not use it any more
				next.destination.unwanted.Add(1)
			}
		}
		r.done(d.Delivery, &d.rest)
	}
	r.busy.wait()
	defer r.busy.goOn()
	for _, d := range events {
		for _, next := range d.rest.handover {
			r.outboxes.room.wait(w.waiting, func() bool { return next.destination.Room() <= 0 })
		}
	}
}

// handOver puts the rest of what came of an event into the outboxes, and acknowledges the event.
func (w *worker) handOver(d *informer.Delivery, rest *progress) {
	for len(rest.handover) > 0 {
		next := rest.handover[0]
		w.route.busy.wait()
		err := next.destination.OfferWait(w.waiting, next.Entry)
		w.route.busy.goOn()
		switch {
		case err == nil || w.waiting.Err() == nil:
		case w.route.keep:
			// The route is being stopped, and a restart would begin with the event again.
			err = next.destination.Force(next.Entry)
		default:
			// The event goes back, and goes on from here.
			rest := *rest // which the worker uses for its next event
			d.Progress = &rest
			d.Retry(0)
			return
		}
		if err != nil { // the listener does not use the output any more
			next.destination.unwanted.Add(1)
		}
		rest.handover = rest.handover[1:]
	}
	w.route.done(d, rest)
}

// pending returns what an output gets of an event, nil if that is nothing. Without messages the
// event is sent as it is.
func (w *worker) pending(i int, e event.Event, observed time.Time,
	messages []sink.Message) *delivery.Pending {
	out := &w.outputs[i]
	p := &delivery.Pending{Wanted: true, By: w.pipeline.makers[i], Observed: observed}
	switch {
	case out.reports:
		w.pipeline.destinations[i].unwanted.Add(1)
		return nil
	case out.plain():
		if messages != nil {
			p.Extra = &delivery.Extra{Messages: messages}
		}
		return p
	case len(messages) == 0:
		messages = []sink.Message{w.pipeline.Messages.Event(e, observed)}
	}
	p.Extra = &delivery.Extra{}
	for _, m := range messages {
		made, wanted, err := out.make(m)
		if wanted {
			p.Messages = append(p.Messages, made)
		}
		p.Failed = cmp.Or(p.Failed, err)
	}
	if len(p.Messages) == 0 {
		w.pipeline.destinations[i].unwanted.Add(1)
		return nil
	}
	return p
}

// awaitRoom waits while no output has room, or too much of what was made is waiting.
func (w *worker) awaitRoom() {
	r := w.route
	r.busy.waiting.Add(1)
	r.outboxes.room.wait(w.waiting, w.pipeline.blocked)
	r.busy.waiting.Add(-1)
}

// blocked reports whether the workers should take no more events: what they make could only be
// merged, or would take too much memory.
func (p *Pipeline) blocked() bool {
	full := len(p.destinations) > 0
	for _, destination := range p.destinations {
		if destination.Stuffed() {
			return true
		}
		full = full && destination.Full()
	}
	return full
}

// room returns how many events a worker should take, at most so many, since it would have to wait
// for room for the others. It is at least 1.
func (p *Pipeline) room(most int) int {
	for _, destination := range p.destinations {
		if destination.Waits() {
			most = min(most, destination.Room())
		}
	}
	return max(most, 1)
}
