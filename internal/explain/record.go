package explain

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	sinks "github.com/informerd/informerd/internal/outputs"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// recorder records what a route evaluates, sends and gives up for one event.
type recorder struct {
	event event.Event // as the route gets it

	mu     sync.Mutex // guards what follows
	on     bool       // the event is in the route
	answer Answer
	sinks  []sink.Sink
}

func newRecorder(l Listener, e event.Event) *recorder {
	o := e.Object
	return &recorder{event: e, answer: Answer{Listener: l.Listener.Config.Name, Op: e.Op.String(),
		Object: identity{o.APIVersion(), o.Kind(), o.Namespace(), o.Name()}}}
}

// begin notes that what comes from here on comes of the event.
func (r *recorder) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.on = true
}

func (r *recorder) close(ctx context.Context) error {
	var errs []error
	for _, s := range r.sinks {
		errs = append(errs, s.Close(ctx))
	}
	return errors.Join(errs...)
}

// note returns what notes the evaluations of a stage. Those of an event that is tried again are
// noted once.
func (r *recorder) note(stage step) func(event.Event, filters.Explanation) {
	return func(ev event.Event, x filters.Explanation) {
		s := stage
		s.Expression, s.tree = expressionOf(x), x
		r.mu.Lock()
		defer r.mu.Unlock()
		if s.Stage == "select" && r.event.Old != nil && ev.Object == r.event.Old {
			s.Of = "old"
		}
		if s.Stage == "filter" && ev.Op != r.event.Op {
			s.Of = ev.Op.String()
		}
		if r.on && !slices.ContainsFunc(r.answer.Steps, func(other step) bool {
			return reflect.DeepEqual(other.Expression, s.Expression) && other.at() == s.at()
		}) {
			r.answer.Steps = append(r.answer.Steps, s)
		}
	}
}

// rule returns a rule that is recorded.
func (r *recorder) rule(rule *rules.Rule) (*rules.Rule, error) {
	deny := r.note(step{Stage: "deny", Rule: rule.Name()})
	message := r.note(step{Stage: "message", Rule: rule.Name()})
	return rule.Recorded(func(of *filters.Filter, ev event.Event, x filters.Explanation) {
		if of == rule.Message() {
			message(ev, x)
		} else {
			deny(ev, x)
		}
	})
}

// output returns an output that sends nothing, and whose expressions are recorded.
func (r *recorder) output(maker *sinks.Maker, cfg *config.Config, o *plan.Output) (
	out route.Output, err error) {
	name, errs := o.Config.Name, []error(nil)
	record := func(stage string, f *filters.Filter) *filters.Filter {
		recorded, err := f.Recorded(r.note(step{Stage: stage, Output: name}))
		errs = append(errs, err)
		return recorded
	}
	out = route.Output{When: record("when", o.When), Data: record("data", o.Data),
		ReportsOnly: o.Config.Alertmanager != nil}
	x := sinks.Expressions{Subject: record("subject", o.Subject), Patch: record("patch", o.Patch),
		Text: record("text", o.Text), Labels: map[string]*filters.Filter{}}
	for label, f := range o.Labels {
		x.Labels[label] = record("label "+label, f)
	}
	s, err := maker.New(cfg, withoutSecrets(*o.Config), x)
	if err = errors.Join(append(errs, err)...); err != nil {
		return out, err
	}
	r.sinks = append(r.sinks, s)
	out.To = delivery.NewOutput(name, &recording{Sink: s, recorder: r, output: name}, discard)
	return out, nil
}

// withoutSecrets returns an output without what only a daemon has to have, since nothing is sent.
func withoutSecrets(o config.Output) *config.Output {
	hide := func(url *config.Value) {
		if url.FromEnv != "" || url.FromFile != "" {
			*url = config.Value{Text: "https://secret.invalid/"}
		}
	}
	switch {
	case o.Webhook != nil:
		w := *o.Webhook
		w.Headers, w.TLS, w.Sign = nil, nil, nil
		hide(&w.URL)
		o.Webhook = &w
	case o.Slack != nil:
		slack := *o.Slack
		hide(&slack.URL)
		o.Slack = &slack
	case o.Alertmanager != nil:
		a := *o.Alertmanager
		a.Headers, a.TLS = nil, nil
		hide(&a.URL)
		o.Alertmanager = &a
	}
	return &o
}

// recording is a sink that takes all messages.
type recording struct {
	sink.Sink
	recorder *recorder
	output   string
}

// Write implements sink.Sink. What the sink says of a message is kept with it.
func (s *recording) Write(ctx context.Context, messages []sink.Message) []error {
	r := s.recorder
	for i := range messages {
		sent := sentOf(s.output, &messages[i])
		r.mu.Lock()
		on := r.on
		if on {
			r.answer.Sent = append(r.answer.Sent, sent)
		}
		r.mu.Unlock()
		if !on {
			continue
		}
		if errs := s.Sink.Write(ctx, messages[i:i+1]); errs != nil && errs[0] != nil {
			r.mu.Lock()
			r.answer.Sent[r.lastOf(s.output)].Error = errs[0].Error()
			r.mu.Unlock()
		}
	}
	return nil
}

// lastOf returns the place of what an output was sent last. The caller holds mu.
func (r *recorder) lastOf(output string) int {
	for i, s := range slices.Backward(r.answer.Sent) {
		if s.Output == output {
			return i
		}
	}
	return -1
}

// shown returns the report to which sinks show what they would write.
func (r *recorder) shown() *sink.DryRun {
	return &sink.DryRun{Took: func(output, kind string, w sink.Unsent) {
		r.mu.Lock()
		defer r.mu.Unlock()
		s := &r.answer.Sent[r.lastOf(output)]
		s.Kind, s.Do, s.To, s.Body = kind, w.Do, w.To, string(w.Body)
	}}
}

// Put implements delivery.Letters.
func (r *recorder) Put(_ context.Context, l deadletter.Letter) (id string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.on {
		r.answer.Letters = append(r.answer.Letters, letter{l.Output, l.Reason, l.Error})
	}
	return "explained", nil
}

// end notes what follows from the counters of the route, and from what its rules remember.
func (r *recorder) end(is, was route.Stats, p *route.Pipeline) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := &r.answer
	// What sinks evaluate comes after what the worker does, in no order of its own.
	slices.SortStableFunc(a.Steps, func(s, t step) int {
		return strings.Compare(s.sink(), t.sink())
	})
	slices.SortStableFunc(a.Sent, func(s, t sent) int { return strings.Compare(s.Output, t.Output) })
	if p.Rules != nil {
		for _, m := range p.Rules.Remembers(r.event.Object.Key()) {
			state := rule{Rule: m.Rule.Name(), State: "violated"}
			if !m.Violated {
				state.State, state.For = "pending", document.Short(m.Rule.For())
			}
			a.Rules = append(a.Rules, state)
		}
	}
	switch {
	case len(a.Letters) > 0:
		a.Verdict = deadLetter
	case is.Unselected > was.Unselected:
		a.Verdict = notSelected
	case p.Quiet:
		a.Verdict = judged
	case is.Filtered > was.Filtered:
		a.Verdict = notMatched
	case is.Dropped > was.Dropped:
		a.Verdict = dropped
	case is.Matched == was.Matched:
		a.Verdict = notWanted
	case !slices.ContainsFunc(a.Sent, func(s sent) bool { return s.Rule == "" }):
		a.Verdict = unwanted
	default:
		a.Verdict = passed
	}
}
