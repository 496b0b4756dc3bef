package route

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// errUnreported is the error of an event whose rules report something that an output did not take.
var errUnreported = errors.New("rules have more to report")

// judged evaluates the rules for an object and sends what they report of it. An object that is not
// selected has no state: one that enters the set is new to the rules, one that leaves it is gone.
// What an output does not take is reported again with the next evaluation.
func (w *worker) judged(ctx context.Context, d *informer.Delivery, e event.Event, selected bool,
	rest *unsent) error {
	r, now := w.route, time.Now()
	if !selected {
		e = event.Event{Op: event.Delete, Object: d.Object}
	}
	rest.gone = e.Op == event.Delete
	if d.Recalled && e.Op == event.Resync {
		e.Op = 0 // nothing has happened, not even a resync
	}
	outcome := w.judge.Evaluate(e, now)
	rest.recallWithin(outcome.RecheckAfter)
	for _, err := range outcome.Errors {
		r.stats.ruleErrors.Add(1)
		r.stats.deadLetters.Add(1)
		r.logError(d, "a rule failed, so what is known of the object stays", err)
	}
	// Outputs in away get no more this time, since a later report must not arrive first.
	var away rules.Receivers
	var failed error
	for _, t := range outcome.Transitions {
		r.stats.reported(t)
		m := w.pipeline.Messages.Rule(about(d, e, t), now, sink.Report{
			Rule: t.Rule.Name(), Severity: t.Rule.Severity(), Message: t.Message,
			Violated: t.State == rules.Violated,
			Since:    t.Since, Repeats: t.Repeats,
		})
		for i, out := range w.pipeline.Outputs {
			if !t.To.Has(i) || away.Has(i) {
				continue
			}
			err := r.write(ctx, out, m)
			switch {
			case err == nil:
				w.judge.Took(t, i, time.Now())
			case ctx.Err() != nil:
				return err
			case sink.IsPermanent(err):
				w.judge.Refused(t, i, time.Now())
				r.stats.deadLetters.Add(1)
				r.logError(d, "what a rule reports is given up", err)
			default:
				away, failed = away.With(i), fmt.Errorf("%w: %w", errUnreported, err)
			}
		}
	}
	return failed
}

// about returns the event that a transition is about. If another object has taken the name of the
// transition's, it is that one's delete, with its last state if the delivery has it, or else with
// its name alone.
func about(d *informer.Delivery, e event.Event, t rules.Transition) event.Event {
	if t.UID == e.Object.UID() {
		return e
	}
	for _, o := range []*object.Object{d.Old, d.Before} {
		if o != nil && o.UID() == t.UID {
			return event.Event{Op: event.Delete, Object: o}
		}
	}
	return event.Event{Op: event.Delete, Object: nameOnly(e.Object, t.UID)}
}

// nameOnly returns an object of the same kind and name, of which only the uid is known.
func nameOnly(o *object.Object, uid string) *object.Object {
	type metadata struct {
		Namespace string `json:"namespace,omitempty"`
		Name      string `json:"name"`
		UID       string `json:"uid,omitempty"`
	}
	text, err := json.Marshal(struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Metadata   metadata `json:"metadata"`
	}{o.APIVersion(), o.Kind(), metadata{o.Namespace(), o.Name(), uid}})
	if err != nil {
		return o
	}
	made, err := (&object.Parser{}).Parse(text)
	if err != nil {
		return o
	}
	return made
}
