package route

import (
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// judged holds the rules against an object and gives what is to be told of it, and when they want it again. An object that
// is not selected has no state: what enters the set is new to the rules, what leaves it is gone.
func (w *worker) judged(e event.Event, selected bool) (messages []sink.Message, again time.Duration) {
	if !selected {
		return nil, 0
	}
	r, now := w.route, time.Now()
	outcome := w.judge.Evaluate(e, now)
	for _, err := range outcome.Errors {
		r.stats.ruleErrors.Add(1)
		r.expressionFailed(e, "a rule failed, so what is known of the object stays", err)
	}
	for _, t := range outcome.Transitions {
		messages = append(messages, r.Messages.Rule(e, now, cloudevent.RuleState{
			Rule: t.Rule.Name(), Severity: t.Rule.Severity(), Message: t.Message, Violated: t.State == rules.Violated,
			Since: t.Since, Repeated: t.Repeated, UID: t.UID,
		}))
		if t.State == rules.Violated {
			r.stats.violated.Add(1)
		} else {
			r.stats.resolved.Add(1)
		}
	}
	return messages, outcome.Again
}
