package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

// Replay is a dead letter that is to go through the listener once more.
type Replay struct {
	Letter deadletter.Letter
	Event  event.Event // of the letter
	// Superseded reports whether something newer was delivered where the letter would go.
	Superseded func() bool
	// Gone reports whether the letter is not in its store any more, since another replay has ended
	// it or somebody has dropped it. Nobody would note then what is newer. Nil: it never is.
	Gone func() bool
	// With is used instead of the listener's handler. Nil: the listener's.
	With *plugins.Handler
}

// replayBackoff is the range of the delays between looks at whether an object's other events are
// done.
var replayBackoff = backoff.Backoff{Min: 5 * time.Millisecond, Max: time.Second}

// Replay has a worker take the event of a dead letter through the present pipeline, and returns
// when that has ended. It waits until nothing else of the object is under way, and what comes of
// the object meanwhile waits for it. So a message never follows a newer one of its object. The
// error says why the result is Failed; it is ctx's if that is done before.
func (r *Route) Replay(ctx context.Context, replay Replay) (delivery.Result, error) {
	if replay.Letter.Reason == deadletter.RuleFailed {
		return delivery.Filtered, nil // rules look at the present state of objects
	}
	for attempt := 1; ; attempt++ {
		result, err := r.TryReplay(ctx, replay)
		if !errors.Is(err, ErrBusy) {
			return result, err
		}
		if err := backoff.Sleep(ctx, replayBackoff.Delay(attempt)); err != nil {
			return delivery.Failed, err
		}
	}
}

// ErrBusy says that something else of a letter's object is under way.
var ErrBusy = errors.New("something else of the object is under way")

var (
	errGone     = errors.New("the letter is not there any more: it was replayed or dropped meanwhile")
	errNotTaken = errors.New("the listener has stopped before it came to it")
)

// TryReplay is Replay, but does not wait if something else of the object is under way: its error is
// ErrBusy then.
func (r *Route) TryReplay(ctx context.Context, replay Replay) (delivery.Result, error) {
	done := make(chan ended, 1)
	p := &replaying{Replay: replay, end: func(result delivery.Result, err error) {
		done <- ended{result, err}
	}}
	if result, err := p.needless(); err != nil || result != delivery.Delivered {
		return result, err
	}
	if err := r.offerReplay(p); err != nil {
		return delivery.Failed, err
	}
	select {
	case e := <-done:
		return e.result, e.err
	case <-ctx.Done():
		return delivery.Failed, fmt.Errorf("it is still waiting for its outputs: %w", ctx.Err())
	}
}

// needless returns how a replay ends before it begins, Delivered if it does not.
func (p *replaying) needless() (delivery.Result, error) {
	switch {
	case p.Superseded():
		return delivery.Superseded, nil
	case p.Gone != nil && p.Gone():
		return delivery.Failed, errGone
	}
	return delivery.Delivered, nil
}

// ended is how a replay ended.
type ended struct {
	result delivery.Result
	err    error
}

// replaying is a replay that is under way.
type replaying struct {
	Replay
	end   func(delivery.Result, error)
	ended atomic.Bool
}

// finish ends the replay, once.
func (p *replaying) finish(result delivery.Result, err error) {
	if p.ended.CompareAndSwap(false, true) {
		p.end(result, err)
	}
}

// offerReplay offers a replay to the workers. The error is ErrBusy if something of its object is
// under way.
func (r *Route) offerReplay(p *replaying) error {
	by, ok := r.subscription.(interface {
		OfferAlone(event.Event, informer.Progress) (bool, error)
	})
	pipeline := r.pipeline.Load()
	switch {
	case !ok || pipeline == nil:
		return fmt.Errorf("listener %q has not begun", r.name)
	case p.Letter.Output != "" && pipeline.indexOf(p.Letter.Output) < 0:
		return fmt.Errorf("listener %q has no output %q", r.name, p.Letter.Output)
	case p.waits(pipeline):
		return ErrBusy
	}
	taken, err := by.OfferAlone(p.Event, &progress{replay: p})
	if err == nil && !taken {
		return ErrBusy
	}
	return err
}

// waits reports whether an output that the replay is for has not taken all of the object.
func (p *replaying) waits(pipeline *Pipeline) bool {
	return slices.ContainsFunc(pipeline.destinations, func(w *destination) bool {
		return p.goesTo(w) && w.Has(p.Event.Object.Key())
	})
}

// goesTo reports whether the replay is for an output.
func (p *replaying) goesTo(w *destination) bool {
	return p.Letter.Output == "" || p.Letter.Output == w.Name()
}

// indexOf returns the place of an output among the pipeline's, -1 if it has none of that name.
func (p *Pipeline) indexOf(output string) int {
	return slices.IndexFunc(p.destinations, func(w *destination) bool { return w.Name() == output })
}

// replay takes a dead letter's event through the pipeline.
func (w *worker) replay(ctx context.Context, d *informer.Delivery, p *replaying) {
	defer d.Done()
	all := &delivery.Replay{Letter: p.Letter.ID, Superseded: p.Superseded, Ended: p.finish}
	all.Begin()
	result, err := p.needless()
	switch {
	case err != nil || result != delivery.Delivered:
	case p.waits(w.pipeline): // it came in between
		result, err = delivery.Failed, ErrBusy
	case p.Letter.Rule != "":
		result, err = w.replayReport(p, all)
	default:
		result, err = w.replayEvent(ctx, d, p, all)
	}
	all.End(result, err)
}

// replayReport has the report of a rule sent if what it reports is still so.
func (w *worker) replayReport(p *replaying, all *delivery.Replay) (delivery.Result, error) {
	i, book := w.pipeline.indexOf(p.Letter.Output), w.pipeline.Rules
	o := p.Event.Object
	if i < 0 || book == nil {
		return delivery.Superseded, nil
	}
	destination := w.pipeline.destinations[i]
	l, due := &p.Letter, false
	if l.Resolved {
		due = book.OweEnd(o.Key(), l.Rule, o.UID(), l.Since, l.Text, destination.receiver)
	} else {
		due = book.Owe(o.Key(), l.Rule, o.UID(), l.Since, destination.receiver)
	}
	if !due {
		return delivery.Superseded, nil
	}
	pending := delivery.DueReports(w.pipeline.makers[i])
	pending.Extra = &delivery.Extra{Replay: all}
	all.Begin()
	if err := destination.Force(pending.Of(offered(p.Event))); err != nil {
		all.End(delivery.Failed, err)
	}
	return delivery.Delivered, nil
}

// replayEvent offers what comes of the event to the outputs.
func (w *worker) replayEvent(ctx context.Context, d *informer.Delivery, p *replaying,
	all *delivery.Replay) (delivery.Result, error) {
	e, pipeline := p.Event, w.pipeline
	if w.selector != nil && e.Op != event.Delete && w.isSelected(d, e.Object) != in ||
		pipeline.On != 0 && !pipeline.On.Has(e.Op) {
		return delivery.Filtered, nil
	}
	if matches, err := w.matches(e); !matches {
		if err != nil {
			return delivery.Failed, err
		}
		return delivery.Filtered, nil
	}
	messages, own, err := w.replayHandled(ctx, p)
	switch {
	case err != nil:
		return delivery.Failed, err
	case own && len(messages) == 0:
		return delivery.Filtered, nil
	case !own:
		messages = nil
	}
	result := delivery.Filtered
	for i, destination := range pipeline.destinations {
		if !p.goesTo(destination) {
			continue
		}
		pending := w.pending(i, e, time.Now(), messages)
		if pending == nil {
			continue
		}
		pending.Extra = cmp.Or(pending.Extra, &delivery.Extra{})
		pending.Replay, result = all, delivery.Delivered
		all.Begin()
		if err := destination.Force(pending.Of(e)); err != nil {
			all.End(delivery.Failed, err)
		}
	}
	return result, nil
}

// replayHandled returns what the handler makes of the event. Own is false if that is the event as
// it is.
func (w *worker) replayHandled(ctx context.Context, p *replaying) (messages []sink.Message,
	own bool, err error) {
	g := w.guest
	if p.With != nil {
		instance, err := p.With.NewInstance(ctx)
		if err != nil {
			return nil, false, err
		}
		defer instance.Close(context.WithoutCancel(ctx))
		g = instance
	}
	if g == nil {
		return nil, false, nil
	}
	e := p.Event
	e.Object = e.Object.Plain()
	w.route.stats.handlerCalls.Add(1)
	observed := time.Now()
	result, err := g.Handle(ctx, e)
	if err != nil {
		w.route.stats.handlerCrashes.Add(1)
		return nil, false, err
	}
	return w.messagesOf(p.Event, observed, result)
}
