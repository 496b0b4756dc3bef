package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/config/document"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Listener is a listener as a daemon has set it up.
type Listener struct {
	Plan     *plan.Plan
	Listener *plan.Listener
	// Pipeline is what becomes of its events. Its outputs and its book are not used.
	Pipeline *route.Pipeline
	// UpToHandler: the listener has a handler, which is not run.
	UpToHandler bool
}

// Run takes an event through a listener's route. Before that the listener knows the object as Old of
// an update has it, and of a delete or a resync as it is, and has for so long that each rule that
// it violates was reported. It does not know an object that is added.
func Run(ctx context.Context, l Listener, e event.Event) (*Answer, error) {
	r := newRecorder(l, e)
	a := &r.answer
	was := before(e)
	inf := l.Listener.Config.Informer()
	a.Outside = outside(inf, e.Object)
	switch left := len(a.Outside) > 0; {
	case e.Op == event.Resync && l.Listener.Config.Resync.Duration == 0:
		a.Outside = append(a.Outside, "the listener has no resync period")
	case e.Op != event.Update:
	case left && len(outside(inf, e.Old)) == 0:
		e, a.Outside = event.Event{Op: event.Delete, Object: e.Old}, nil
	case !left && len(outside(inf, e.Old)) > 0:
		e, was = event.Event{Op: event.Add, Object: e.Object}, nil
	}
	if len(a.Outside) > 0 {
		a.Verdict = NotWatched
		return a, nil
	}
	a.Op, r.event = e.Op.String(), e
	p, err := r.pipeline(ctx, l)
	if err != nil {
		return nil, err
	}
	defer r.close(context.WithoutCancel(ctx))
	source := &source{events: []event.Event{e}, stopped: make(chan struct{})}
	way, err := route.New(route.Config{Name: a.Listener, Subscription: source, Pipeline: p,
		Retry:   route.Retry{Attempts: l.Listener.Config.Retry.Attempts},
		Letters: r, Log: discard})
	if err != nil {
		return nil, err
	}
	base := way.Stats()
	if was != nil {
		learn(p, was)
		source.events = []event.Event{{Op: event.Add, Object: was}, e}
	}
	source.last = func(ctx context.Context) error {
		if err := delivered(ctx, way); err != nil {
			return err
		}
		base = way.Stats()
		r.begin()
		return nil
	}
	if err := way.Run(ctx); err != nil {
		return nil, fmt.Errorf("listener %q: %w", a.Listener, err)
	}
	r.end(way.Stats(), base, p)
	if a.Verdict == unwanted && l.UpToHandler {
		a.Verdict = handled
	}
	if source.again > 0 {
		a.Again = document.Short(source.again.Round(time.Second))
	}
	return a, nil
}

// before returns the object as the listener knows it before an event, nil if it does not.
func before(e event.Event) *object.Object {
	switch e.Op {
	case event.Update:
		return e.Old
	case event.Delete, event.Resync:
		return e.Object
	}
	return nil
}

// learn has the rules know an object for so long that each is violated that the object violates.
func learn(p *route.Pipeline, o *object.Object) {
	if p.Rules == nil {
		return
	}
	longest := time.Duration(0)
	for _, r := range p.RuleSet {
		longest = max(longest, r.For())
	}
	p.Rules.Evaluator(p.Caches).Evaluate(event.Event{Op: event.Add, Object: o},
		time.Now().Add(-longest-time.Second))
}

// delivered waits until the outputs have what was handed to them.
func delivered(ctx context.Context, way *route.Route) error {
	for slices.ContainsFunc(way.Stats().Outputs,
		func(o route.OutputStats) bool { return o.Queued > 0 }) {
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// pipeline returns the listener's pipeline with expressions that are recorded, and with outputs that
// send nothing.
func (r *recorder) pipeline(ctx context.Context, l Listener) (*route.Pipeline, error) {
	p := *l.Pipeline
	var err error
	if p.Select, err = p.Select.Recorded(r.note(step{Stage: "select"})); err != nil {
		return nil, err
	}
	if p.Filter, err = p.Filter.Recorded(r.note(step{Stage: "filter"})); err != nil {
		return nil, err
	}
	p.Own, p.Before, p.Outputs = nil, nil, nil
	if p.Rules != nil {
		p.RuleSet = nil
		for _, rule := range l.Listener.Rules {
			recorded, err := r.rule(rule)
			if err != nil {
				return nil, err
			}
			p.RuleSet = append(p.RuleSet, recorded)
		}
		p.Rules = rules.NewBook(p.RuleSet, len(l.Listener.Config.Outputs))
	}
	maker := &sinks.Maker{DryRun: r.shown()}
	for _, name := range l.Listener.Config.Outputs {
		out, err := r.output(maker, l.Plan.Config, l.Plan.Outputs[name])
		if err != nil {
			return nil, errors.Join(err, r.close(ctx))
		}
		out.ReportsOnly = out.ReportsOnly || l.UpToHandler
		p.Outputs = append(p.Outputs, out)
	}
	return &p, nil
}

// source is a subscription that has few events of one object, and then no more.
type source struct {
	events  []event.Event
	waiting *informer.Delivery // to be delivered once more
	stopped chan struct{}
	last    func(context.Context) error // is called before the last event is handed out
	again   time.Duration               // in which the object is to be looked at again; 0: it is not
}

// Next implements route.Subscription.
func (s *source) Next(ctx context.Context) (informer.Delivery, error) {
	switch {
	case s.waiting != nil:
		d := *s.waiting
		s.waiting = nil
		d.Attempt++
		return d, ctx.Err()
	case len(s.events) == 0:
		s.Stop()
		return informer.Delivery{}, informer.ErrStopped
	case len(s.events) == 1:
		if err := s.last(ctx); err != nil {
			return informer.Delivery{}, err
		}
	}
	d := informer.NewDelivery(informer.Entry{Event: s.events[0], Attempt: 1}, s)
	s.events = s.events[1:]
	return d, ctx.Err()
}

// More implements route.Subscription.
func (s *source) More(got []informer.Delivery, _, _ int) []informer.Delivery { return got }

// Stopped implements route.Subscription.
func (s *source) Stopped() <-chan struct{} { return s.stopped }

// Stop implements route.Subscription.
func (s *source) Stop() {
	select {
	case <-s.stopped:
	default:
		close(s.stopped)
	}
}

// Done implements informer.Acknowledger.
func (s *source) Done(*informer.Delivery) { s.again = 0 }

// Retry implements informer.Acknowledger. It does not wait.
func (s *source) Retry(d *informer.Delivery, _ time.Duration) { s.waiting = d }

// Again implements informer.Acknowledger.
func (s *source) Again(_ *informer.Delivery, after time.Duration) { s.again = after }
