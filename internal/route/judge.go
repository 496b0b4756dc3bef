package route

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// errUnreported is why an event waits whose rules have something to report that an output did not
// take.
var errUnreported = errors.New("rules have more to report")

// judged evaluates the rules for an object and sends what they have to report of it. An object that
// is not selected has no state: what enters the set is new to the rules, what leaves it is gone,
// whether they have heard of that or not. What an output does not take stays to be reported: the
// rules offer it again when they are asked next.
func (w *worker) judged(ctx context.Context, d *informer.Delivery, e event.Event, selected bool,
	left *unsent) error {
	r, now := w.route, time.Now()
	if !selected {
		e = event.Event{Op: event.Delete, Object: d.Object}
	}
	left.gone = e.Op == event.Delete
	if d.Recalled && e.Op == event.Resync {
		e.Op = 0 // nothing has happened, not even a resync
	}
	outcome := w.judge.Evaluate(e, now)
	left.sooner(outcome.Again)
	for _, err := range outcome.Errors {
		r.stats.ruleErrors.Add(1)
		r.stats.deadLetters.Add(1)
		r.complain(d, "a rule failed, so what is known of the object stays", err)
	}
	// they hear nothing more this time, as what comes later must not come first
	var away rules.Receivers
	var failed error
	for _, t := range outcome.Transitions {
		r.stats.reported(t)
		m := r.Messages.Rule(about(d, e, t), now, cloudevent.RuleState{
			Rule: t.Rule.Name(), Severity: t.Rule.Severity(), Message: t.Message,
			Violated: t.State == rules.Violated,
			Since:    t.Since, Repeats: t.Repeats,
		})
		for i, out := range r.Outputs {
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
				r.complain(d, "what a rule reports is given up", err)
			default:
				away, failed = away.With(i), fmt.Errorf("%w: %w", errUnreported, err)
			}
		}
	}
	return failed
}

// about returns the event that a transition is about. If that is an object of which another one has
// taken the name, it is that one's end, with its last state if it came along, or else with nothing
// but what it was called.
func about(d *informer.Delivery, e event.Event, t rules.Transition) event.Event {
	if t.UID == e.Object.UID() {
		return e
	}
	for _, o := range []*object.Object{d.Old, d.Before} {
		if o != nil && o.UID() == t.UID {
			return event.Event{Op: event.Delete, Object: o}
		}
	}
	return event.Event{Op: event.Delete, Object: named(e.Object, t.UID)}
}

// named makes an object of the same kind and name, of which only the uid is known.
func named(o *object.Object, uid string) *object.Object {
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
