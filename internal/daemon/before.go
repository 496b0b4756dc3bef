package daemon

import (
	"log/slog"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

var everyOp = event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete).With(event.Resync)

// asked is what a listener's expressions ask of events, as far as that can be told without evaluating them.
type asked struct {
	resource string      // as in the configuration
	on       event.OpSet // of the listener
	selects  *filters.Filter
	filter   *filters.Filter
	rules    bool // they look at every event of the selected objects
}

// before says what is decided before the buffer. Whatever gets into the buffer is still evaluated: the expressions alone
// say what matches.
type before struct {
	on          event.OpSet
	conditions  []informer.Condition
	transitions bool
	// never: no event can match, because of the ops that remain of those that the listener wants.
	never bool
	// complete: nothing is left for the expressions to decide.
	complete bool
}

// decide takes from the expressions what the buffer need not hold.
func (a asked) decide() before {
	selects, filter := conditionsOf(a.selects), conditionsOf(a.filter)
	b := before{on: a.on & filter.Ops, complete: filter.Complete && selects.Complete && !a.rules}
	conditions := selects.Object
	if a.rules {
		b.on = everyOp
	} else {
		conditions = append(conditions[:len(conditions):len(conditions)], filter.Object...)
	}
	if selects.Ops == 0 || !a.rules && b.on == 0 {
		b.never = true
		b.conditions = []informer.Condition{{Of: informer.OfName, Test: informer.In}} // one of none
		b.on = a.on
		return b
	}
	if a.selects != nil {
		// An update may be an object's entering or leaving the set, which is an add or a delete to the listener.
		b.transitions = true
		// What comes in for that may turn out to be none, or be of another op than is wanted; and one state of the object may
		// be in the set while the filter asks about the other.
		b.complete = b.complete && b.on.Has(event.Add) && b.on.Has(event.Update) && b.on.Has(event.Delete) && len(filter.Object) == 0
		if b.on.Has(event.Add) || b.on.Has(event.Delete) {
			b.on = b.on.With(event.Update)
		}
		// Who has left, and whom the select has failed on, is remembered until the object is gone.
		b.on = b.on.With(event.Delete)
		if a.selects.UsesClock() || len(a.selects.Informers()) > 0 {
			b.on = b.on.With(event.Add).With(event.Update) // the members are all remembered
		}
	}
	for _, c := range conditions {
		if c.Of == filters.OfField && !kube.Selectable(a.resource, c.Key) {
			b.complete = false
			continue // to read an arbitrary field before the buffer would hold up the informer
		}
		b.conditions = append(b.conditions, informer.Condition{Of: subjects[c.Of], Key: c.Key, Test: tests[c.Test], Values: c.Values})
	}
	return b
}

// conditionsOf takes a listener without the expression for one whose expression is always true.
func conditionsOf(f *filters.Filter) filters.Conditions {
	if f == nil {
		return filters.Conditions{Ops: everyOp, Complete: true}
	}
	return f.Conditions()
}

// why says why no event can match.
func (before) why(a asked) string {
	if conditionsOf(a.selects).Ops == 0 {
		return "the select is never true"
	}
	return "the filter wants none of the listener's ops"
}

func (b before) log(a asked, log *slog.Logger) {
	switch {
	case b.never && conditionsOf(a.selects).Ops == 0:
		log.Warn("no event can match: the select is never true")
	case b.never:
		log.Warn("no event can match: the filter wants none of the listener's ops", "on", words(a.on), "filter", words(conditionsOf(a.filter).Ops))
	}
	conditions := []string{}
	for _, c := range b.conditions {
		conditions = append(conditions, c.String())
	}
	on := b.on
	if b.never {
		on = 0
	}
	log.Debug("decided before the buffer", "on", words(on), "conditions", conditions, "complete", b.complete)
}

var subjects = [...]informer.Subject{
	filters.OfNamespace: informer.OfNamespace, filters.OfName: informer.OfName, filters.OfLabel: informer.OfLabel,
	filters.OfField: informer.OfField,
}

var tests = [...]informer.Test{
	filters.In: informer.In, filters.NotIn: informer.NotIn, filters.Exists: informer.Exists, filters.NotExists: informer.NotExists,
}

func words(ops event.OpSet) []string {
	words := []string{}
	for _, op := range event.Ops {
		if ops.Has(op) {
			words = append(words, op.String())
		}
	}
	return words
}
