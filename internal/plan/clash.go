package plan

import (
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/clash"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// conflict is an expression that nothing can fulfill, since another part of the listener excludes
// that.
type conflict struct {
	field   string // of the listener
	message string
}

// conflicts returns the expressions of the listener that contradict its select or its informer, as
// far as their conditions show it.
func (p *Plan) conflicts(l *Listener) (all []conflict) {
	scope := clash.Scope(l.Config.Informer())
	elsewhere := func(field, what string, f *filters.Filter) bool {
		if _, always := f.Known(nil); always {
			return false // whatever the cluster is
		}
		is, decided := f.Known(map[string]any{"cluster": p.Config.Cluster.Name})
		if decided && !is {
			all = append(all, conflict{field, fmt.Sprintf("%s: the cluster is %s", what,
				p.Config.Cluster.Name)})
		}
		return decided && !is
	}
	updates := l.Filter != nil &&
		shown.Ops(l.Filter.Conditions()) == event.OpSet(0).With(event.Update)
	find := func(field, what, needs string, list []condition.Condition, selects bool) {
		for _, asked := range list {
			by := asked
			by.Old = by.Old && !updates // both states of an update are selected
			if at := clash.Excluded(by, conditionsOf(l.Select).List); selects && at >= 0 {
				all = append(all, conflict{field, fmt.Sprintf("%s: %s %s, and select %s", what,
					needs, asked, l.Select.Conditions().List[at])})
				return
			}
			if at := clash.OutOfScope(asked, scope); at >= 0 {
				all = append(all, conflict{field, fmt.Sprintf("%s: %s %s, and the informer has %s",
					what, needs, asked, scope[at])})
				return
			}
		}
	}
	const nothing, never = "select selects nothing", "filter is never true"
	if l.Select != nil && !elsewhere("select", nothing, l.Select) {
		find("select", nothing, "it needs", l.Select.Conditions().List, false)
	}
	for i, r := range l.Rules {
		kept := fmt.Sprintf("rule %q is never violated", r.Name())
		if !elsewhere(denyField(i), kept, r.Deny()) {
			find(denyField(i), kept, "its deny needs", r.Deny().Conditions().List, true)
		}
	}
	if l.Filter == nil || elsewhere("filter", never, l.Filter) {
		return all
	}
	asked := l.Filter.Conditions()
	list := asked.List
	if l.Select != nil && shown.Ops(asked).Has(event.Delete) {
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

func denyField(rule int) string { return fmt.Sprintf("rules[%d].deny", rule) }

// Conflicts returns warnings about expressions that nothing can fulfill, since another part of the
// listener, or the cluster's name, excludes that. Write has them in their places.
func (p *Plan) Conflicts() (warnings config.Errors) {
	for _, l := range p.Listeners {
		for _, c := range p.conflicts(l) {
			warnings = append(warnings, p.Config.ErrorAt(l.Field+"."+c.field,
				fmt.Sprintf("listener %q: %s", l.Config.Name, c.message), ""))
		}
	}
	return warnings
}
