package clash

import (
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Listener is a listener with the parts that may exclude each other.
type Listener struct {
	Cluster        string // its name
	Informer       *config.Informer
	Select, Filter *filters.Filter // nil if there is none
	Rules          []*rules.Rule
}

// Conflict is an expression that nothing can fulfill, since another part of the listener excludes
// that.
type Conflict struct {
	Field   string // of the listener
	Message string
}

// Conflicts returns the expressions of the listener that contradict its select or its informer, as
// far as their conditions show it.
func (x Listener) Conflicts() (all []Conflict) {
	scope := Scope(x.Informer)
	var selected []condition.Condition
	if x.Select != nil {
		selected = x.Select.Conditions().List
	}
	elsewhere := func(field, what string, f *filters.Filter) bool {
		if _, always := f.Known(nil); always {
			return false // whatever the cluster is
		}
		is, decided := f.Known(map[string]any{"cluster": x.Cluster})
		if decided && !is {
			all = append(all, Conflict{field, fmt.Sprintf("%s: the cluster is %s", what,
				x.Cluster)})
		}
		return decided && !is
	}
	updates := x.Filter != nil &&
		shown.Ops(x.Filter.Conditions()) == event.OpSet(0).With(event.Update)
	find := func(field, what, needs string, list []condition.Condition, selects bool) {
		for _, asked := range list {
			by := asked
			by.Old = by.Old && !updates // both states of an update are selected
			if at := Excluded(by, selected); selects && at >= 0 {
				all = append(all, Conflict{field, fmt.Sprintf("%s: %s %s, and select %s", what,
					needs, asked, selected[at])})
				return
			}
			if at := OutOfScope(asked, scope); at >= 0 {
				all = append(all, Conflict{field, fmt.Sprintf("%s: %s %s, and the informer has %s",
					what, needs, asked, scope[at])})
				return
			}
		}
	}
	const nothing, never = "select selects nothing", "filter is never true"
	if x.Select != nil && !elsewhere("select", nothing, x.Select) {
		find("select", nothing, "it needs", x.Select.Conditions().List, false)
	}
	for i, r := range x.Rules {
		kept := fmt.Sprintf("rule %q is never violated", r.Name())
		if !elsewhere(DenyField(i), kept, r.Deny()) {
			find(DenyField(i), kept, "its deny needs", r.Deny().Conditions().List, true)
		}
	}
	if x.Filter == nil || elsewhere("filter", never, x.Filter) {
		return all
	}
	asked := x.Filter.Conditions()
	list := asked.List
	if x.Select != nil && shown.Ops(asked).Has(event.Delete) {
		list = nil // an object that leaves is not what select asks for, but for what never changes
		for _, c := range asked.List {
			if c.Of == condition.OfNamespace || c.Of == condition.OfName {
				list = append(list, c)
			}
		}
	}
	find("filter", never, "it needs", list, true)
	return all
}

// DenyField is the field of a rule's deny in its listener.
func DenyField(rule int) string { return fmt.Sprintf("rules[%d].deny", rule) }
