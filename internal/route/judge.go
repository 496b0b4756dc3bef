package route

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// judged evaluates the rules for an object, and hands over what they report of it. An object that
// is not selected has no state: one that enters the set is new to the rules, one that leaves it is
// gone. With an error the worker is to end, and the rules report the rest with the next evaluation.
func (w *worker) judged(ctx context.Context, d *informer.Delivery, e event.Event, selected bool,
	rest *progress, trace *tracing.Trace) error {
	r, now := w.route, time.Now()
	w.asOf = now
	if !selected || r.leaving.Load() {
		e = event.Event{Op: event.Delete, Object: d.Object}
	}
	if d.Recalled && e.Op == event.Resync {
		e.Op = 0 // nothing has happened, not even a resync
	}
	outcome := w.judge.Evaluate(e, now)
	rest.recallWithin(outcome.RecheckAfter)
	if len(outcome.Errors) == 0 {
		r.stats.rules.Worked()
	}
	for _, err := range outcome.Errors {
		r.stats.ruleErrors.Add(1)
		r.stats.rules.Failed(err)
		const what = "a rule failed, so what is known of the object stays"
		if d.Recalled || d.Op == event.Resync { // nothing has happened that could be replayed
			r.log.Failure(slog.LevelError, d, what, err)
			continue
		}
		id, errLetter := r.letter(ctx, d, d.Event, "", fault{reasonRule, err, true})
		if errLetter != nil {
			return errLetter
		}
		r.log.Failure(slog.LevelError, d, what, err, slog.String("letter", id))
	}
	if len(outcome.Transitions) == 0 {
		return nil
	}
	for _, t := range outcome.Transitions {
		r.stats.reported(t)
	}
	for i, destination := range w.pipeline.destinations {
		reports, waits := w.pipeline.reports(outcome.Transitions, destination.receiver,
			&w.outputs[i], d, e)
		if len(reports) == 0 && !waits {
			continue
		}
		pending := &delivery.Pending{By: w.pipeline.makers[i]}
		if waits {
			pending = delivery.DueReports(w.pipeline.makers[i])
		}
		pending.Extra = &delivery.Extra{Reports: reports, Trace: trace}
		if err := destination.OfferWait(w.waiting, caused(d, offered(e), pending)); err != nil {
			for _, report := range reports {
				report.Settler.Release()
			}
			if w.waiting.Err() != nil { // else the listener does not use the output any more
				return err
			}
		}
	}
	return nil
}

// caused returns what an outbox gets of reports that a delivery has caused. They are as late as its
// event or, if they came due by themselves, from then on.
func caused(d *informer.Delivery, e event.Event, pending *delivery.Pending) informer.Entry {
	if e.Arrived = d.Arrived; d.Recalled {
		e.Arrived = d.Since
	}
	entry := pending.Of(e)
	entry.Since = d.Since
	return entry
}

// offered returns the event as an outbox takes it: one that has no op is a resync.
func offered(e event.Event) event.Event {
	e.Op = cmp.Or(e.Op, event.Resync)
	return e
}

// reports returns those of the transitions that an output has to get, which are on their way from
// here on. If one waits for an earlier report, or has just begun elsewhere, waits is true. What an
// unwanted one was in the way of is among them.
func (p *Pipeline) reports(transitions []rules.Transition, receiver int, out *outputStage,
	d *informer.Delivery, e event.Event) (reports []delivery.Report, waits bool) {
	now, given := time.Now(), len(transitions)
	for n := 0; n < len(transitions); n++ {
		t := transitions[n]
		if !t.To.Has(receiver) {
			continue
		}
		e := about(d, e, t)
		s := settler{p.Rules, e.Object.Key(), t, receiver}
		if !p.Rules.Begin(s.key, t, receiver) {
			waits = waits || n < given
			continue
		}
		m, wanted, err := p.Messages.Rule(e, now, sink.Report{
			Rule: t.Rule.Name(), Severity: t.Rule.Severity(), Message: t.Message,
			Violated: t.State == rules.Violated, Since: t.Since, Repeats: t.Repeats,
			Repeat: t.Rule.Repeat(),
		}), true, error(nil)
		if !out.plain() {
			m, wanted, err = out.make(m)
		}
		if !wanted { // what has waited for it may have been given back
			s.Refused(now)
			transitions = append(transitions, p.Rules.DueReports(s.key, d.Object.UID(), receiver)...)
			continue
		}
		reports = append(reports, delivery.Report{Settler: s, Message: m, Failed: err})
	}
	return reports, waits
}

// maker returns what makes messages for the pipeline's i-th output when they are sent.
func (r *Route) maker(p *Pipeline, i int) *delivery.Maker {
	w, m := p.destinations[i], &delivery.Maker{Builder: p.Messages}
	if p.Rules == nil {
		return m
	}
	m.DueReports = func(e event.Event) []delivery.Report {
		if now := r.pipeline.Load(); now.Rules != p.Rules || !slices.Contains(now.destinations, w) {
			return nil
		}
		due := p.Rules.DueReports(e.Object.Key(), e.Object.UID(), w.receiver)
		out := p.Outputs[i].stage()
		d := &informer.Delivery{Entry: informer.Entry{Event: e}}
		reports, _ := p.reports(due, w.receiver, &out, d, e)
		return reports
	}
	return m
}

// settler is a report that is on its way to an output.
type settler struct {
	book     *rules.Book
	key      object.Key
	report   rules.Transition
	receiver int
}

// Confirm implements delivery.Settler.
func (s settler) Confirm() bool { return s.book.Confirm(s.key, s.report, s.receiver) }

// Took implements delivery.Settler.
func (s settler) Took(now time.Time) { s.book.Took(s.key, s.report, s.receiver, now) }

// Refused implements delivery.Settler.
func (s settler) Refused(now time.Time) { s.book.Refused(s.key, s.report, s.receiver, now) }

// Release implements delivery.Settler.
func (s settler) Release() { s.book.Release(s.key, s.report, s.receiver) }

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
	o, err := nameOnly(e.Object.APIVersion(), e.Object.Kind(), e.Object.Key(), t.UID)
	if err != nil {
		o = e.Object
	}
	return event.Event{Op: event.Delete, Object: o}
}

// nameOnly returns an object of which only the kind, the name and perhaps the uid are known.
func nameOnly(apiVersion, kind string, key event.Key, uid string) (*object.Object, error) {
	type metadata struct {
		Namespace string `json:"namespace,omitempty"`
		Name      string `json:"name"`
		UID       string `json:"uid,omitempty"`
	}
	text, err := json.Marshal(struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Metadata   metadata `json:"metadata"`
	}{apiVersion, kind, metadata{key.Namespace, key.Name, uid}})
	if err != nil {
		return nil, err
	}
	return (&object.Parser{}).Parse(text)
}
