package plan

import (
	"context"
	"log/slog"
	"slices"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// asked is what a listener's expressions ask of events, as far as it is known without
// evaluating them.
type asked struct {
	on      event.OpSet // of the listener
	selects *filters.Filter
	filter  *filters.Filter
	// of the rules, which look at all selected objects, regardless of on and filter
	denies []*filters.Filter
	quiet  bool // only reports of rules go out
}

// maxOfRules bounds what an informer asks of each event for all rules of a listener.
const maxOfRules = 1024

// before is what is decided before the buffer. What gets into the buffer is still evaluated:
// only the expressions decide what matches.
type before struct {
	On          event.OpSet
	Conditions  []condition.Condition
	Transitions bool
	// Never: no event can match, because no op remains of those that the listener wants.
	Never bool
	// Complete: the expressions have nothing more to decide.
	Complete bool
}

// decide returns what the expressions let the buffer leave out.
func (a asked) decide() before {
	selects, filter, rules := conditionsOf(a.selects), conditionsOf(a.filter), len(a.denies) > 0
	b := before{On: a.on & filter.Ops, Conditions: selects.List, Complete: filter.Complete &&
		selects.Complete && !rules}
	wanted := condition.Set{Ops: b.On, List: filter.List}
	if rules {
		b.On = condition.EveryOp
		wanted = a.ofRules(wanted)
	}
	if selects.Ops == 0 || wanted.Ops == 0 {
		b.Never = true
		// one of none
		b.Conditions = []condition.Condition{{Of: condition.OfName, Test: condition.In}}
		b.On = a.on
		return b
	}
	if a.selects != nil {
		b.ofSelected(a, wanted)
		return b
	}
	b.Conditions = wanted.List
	// What a rule remembers of an object ends with the first state that it surely has nothing
	// against.
	b.Transitions = rules && len(wanted.List) > 0
	return b
}

// ofRules returns what rules may want, and what else is wanted. A state that no deny can be true
// of, or fail on, changes nothing unless the state before was another one, whatever the time is and
// other objects are.
func (a asked) ofRules(wanted condition.Set) condition.Set {
	var either []condition.Set
	for _, deny := range a.denies {
		either = append(either, deny.Conditions())
	}
	if !a.quiet {
		either = append(either, wanted)
	}
	return condition.AnyOf(either, maxOfRules)
}

// ofSelected decides for a listener with a select. To it, an update may be an object's entering or
// leaving the set, which is an add or a delete.
func (b *before) ofSelected(a asked, wanted condition.Set) {
	b.Transitions = true
	// What comes in for that may turn out to be none, or be of another op than is wanted; and one
	// state of the object may be in the set while the filter asks about the other.
	b.Complete = b.Complete && b.On.Has(event.Add) && b.On.Has(event.Update) &&
		b.On.Has(event.Delete) && len(wanted.List) == 0
	moving := a.selects.LooksAround()
	// Of an object that is remembered as a member, or as one of which it is not known, the route
	// needs all events.
	if !moving && a.selects.Conditions().Certain {
		// of what an event means to the listener
		if ops := b.On.With(event.Delete); !ops.Has(event.Add) || !ops.Has(event.Update) {
			b.Conditions = slices.Concat([]condition.Condition{{Of: condition.OfOp, Ops: ops}},
				b.Conditions)
		}
		b.Conditions = slices.Concat(b.Conditions, wanted.List)
	}
	if b.On.Has(event.Add) || b.On.Has(event.Delete) {
		b.On = b.On.With(event.Update)
	}
	// Who has left, and whom the select has failed on, is remembered until the object is gone.
	b.On = b.On.With(event.Delete)
	if moving { // the members are all remembered, whatever the filter wants of them
		b.On = b.On.With(event.Add).With(event.Update)
	}
}

// conditionsOf takes a listener without the expression for one whose expression is always true.
func conditionsOf(f *filters.Filter) condition.Set {
	if f == nil {
		return condition.Set{Ops: condition.EveryOp, Complete: true}
	}
	return f.Conditions()
}

// NeverReason says why no event can match.
func (p *Listener) NeverReason() string {
	a := p.asked
	switch {
	case conditionsOf(a.selects).Ops == 0:
		return "the select is never true"
	case len(a.denies) > 0:
		return "no rule's deny is ever true"
	}
	return "the filter wants none of the listener's ops"
}

// LogBefore logs what is decided before the buffer.
func (p *Listener) LogBefore(log *slog.Logger) {
	b := p.Before
	if b.Never {
		log.Warn("no event can match: " + p.NeverReason())
		return
	}
	if !log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	conditions := []string{}
	for _, c := range b.Conditions {
		conditions = append(conditions, c.String())
	}
	log.Debug("decided before the buffer", "on", words(b.On), "conditions", conditions, "complete",
		b.Complete)
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
