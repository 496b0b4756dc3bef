package reach

import (
	"maps"
	"slices"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Facts are conditions that the objects of messages are known to fulfill.
type Facts struct {
	Always []condition.Condition // of whatever state: of names and namespaces, which never change
	Scope  []condition.Condition // of all that the API server sends
	Select []condition.Condition // of what is selected
	Events []condition.Condition // of events that pass the filter
	// Denies are of what violates a rule, in any state.
	Denies map[string][]condition.Condition
}

// maxWorlds bounds how many sets of values are looked at.
const maxWorlds = 128

// world is values, or a filters.Not, that fields may have together, by object.path and old.path.
type world map[string]any

// FactsOf returns what is known of the objects of a listener with this select and filter, nil for
// none, whose informer asks for the scope. Rules are by name.
func FactsOf(scope []condition.Condition, selects, filter *filters.Filter,
	denies map[string]*filters.Filter) Facts {
	f := Facts{Denies: map[string][]condition.Condition{}}
	for _, c := range scope {
		if c.Of != condition.OfField { // a missing field is an empty one to a selector
			f.Scope = append(f.Scope, c)
		}
	}
	if selects != nil {
		f.Always = lasting(selects.Conditions().List)
		// What a select fails on stays as it was, and what others change may be noticed late.
		if selects.Conditions().Certain && !selects.LooksAround() {
			f.Select = selects.Conditions().List
		}
	}
	if filter != nil {
		f.Events = filter.Conditions().List
	}
	for name, deny := range denies {
		f.Denies[name] = lasting(deny.Conditions().List)
	}
	return f
}

// worldsAt returns the values that the objects of events of an op may have. An object that leaves
// what is selected comes as it is then, or as it was before.
func (f *Facts) worldsAt(op event.Op) []world {
	if op == event.Delete {
		return worldsOf(op, f.Scope, f.Always, f.Events)
	}
	return worldsOf(op, f.Scope, f.Select, f.Always, f.Events)
}

// worldsOf returns the values that objects may have that fulfill all conditions, at an event of
// this op, 0 if it is not known. What nothing is known of is in none.
func worldsOf(op event.Op, lists ...[]condition.Condition) []world {
	return within([]world{{}}, op, slices.Concat(lists...))
}

// within returns the worlds that there are with more conditions. None are left if nothing can
// fulfill them.
func within(worlds []world, op event.Op, list []condition.Condition) []world {
	for _, c := range list {
		var next []world
		known := true
		for _, w := range worlds {
			more, ok := w.with(op, c)
			known = known && ok
			next = append(next, more...)
		}
		if known && len(next) <= maxWorlds {
			worlds = next
		}
	}
	return worlds
}

// with returns the worlds in which a condition holds, false if it says nothing of values.
func (w world) with(op event.Op, c condition.Condition) (all []world, ok bool) {
	switch {
	case c.Of == condition.OfAlternatives && c.Test == condition.In:
		for _, list := range c.Either {
			all = append(all, within([]world{w}, op, list)...)
		}
		return all, true
	case c.Of == condition.OfOp && op != 0:
		if c.Ops.Has(op) {
			all = append(all, w)
		}
		return all, true
	case c.As != condition.AsIs || c.Old && op != event.Update:
		return nil, false
	}
	values := valuesOf(c)
	name := nameOf(c)
	if name == "" || len(values) == 0 || c.Of == condition.OfNamespace && values[0] == "" {
		return nil, false
	}
	is, has := w[name]
	not, hasNot := is.(filters.Not)
	switch {
	case c.Test == condition.NotIn && has && !hasNot:
		if !slices.Contains(values, is) {
			all = append(all, w)
		}
		return all, true
	case c.Test == condition.NotIn:
		values = []any{slices.Concat(not, values)}
	case hasNot:
		values = slices.DeleteFunc(values, func(value any) bool {
			return slices.Contains(not, value)
		})
	case has:
		if slices.Contains(values, is) {
			all = append(all, w)
		}
		return all, true
	}
	for _, value := range values {
		one := maps.Clone(w)
		one[name] = value
		if variable := variables[c.Of]; variable != "" && !c.Old {
			one[variable] = value
		}
		all = append(all, one)
	}
	return all, true
}

// valuesOf returns the values that a condition compares with, nil if it says nothing of values.
func valuesOf(c condition.Condition) (values []any) {
	switch {
	case c.Test == condition.NotExists && c.Of >= condition.OfLabel:
		values = []any{nil}
	case c.Test == condition.True:
		values = []any{true}
	case c.Test == condition.In && len(c.Numbers) == 0, c.Test == condition.NotIn:
		for _, text := range c.Values {
			values = append(values, text)
		}
		for _, is := range c.Bools {
			values = append(values, is)
		}
	}
	return values
}

// variables are those of a message that say the same as a field of its object.
var variables = map[condition.Subject]string{condition.OfNamespace: "namespace",
	condition.OfName: "name"}

// nameOf returns the name by which an expression's value is known, "" if it has none.
func nameOf(c condition.Condition) string {
	base := "object."
	if c.Old {
		base = "old."
	}
	switch c.Of {
	case condition.OfNamespace:
		return base + "metadata.namespace"
	case condition.OfName:
		return base + "metadata.name"
	case condition.OfLabel:
		return base + object.Path{}.Key("metadata").Key("labels").Key(c.Key).String()
	case condition.OfField:
		return base + c.Key
	}
	return ""
}

// lasting returns the conditions on what never changes of an object. The state before an update is
// the same object's.
func lasting(list []condition.Condition) (all []condition.Condition) {
	for _, c := range list {
		if c.Of == condition.OfNamespace || c.Of == condition.OfName {
			all = append(all, c)
		}
	}
	return all
}
