package plan

import (
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/clash"
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
func (p *Listener) conflicts() (all []conflict) {
	scope := clash.Scope(p.Config.Informer())
	find := func(field, what, needs string, list []condition.Condition, selects bool) {
		for _, asked := range list {
			if at := clash.Excluded(asked, conditionsOf(p.Select).List); selects && at >= 0 {
				all = append(all, conflict{field, fmt.Sprintf("%s: %s %s, and select %s", what,
					needs, asked, p.Select.Conditions().List[at])})
				return
			}
			if at := clash.OutOfScope(asked, scope); at >= 0 {
				all = append(all, conflict{field, fmt.Sprintf("%s: %s %s, and the informer has %s",
					what, needs, asked, scope[at])})
				return
			}
		}
	}
	if p.Select != nil {
		find("select", "select selects nothing", "it needs", p.Select.Conditions().List, false)
	}
	for i, r := range p.Rules {
		find(fmt.Sprintf("rules[%d].deny", i), fmt.Sprintf("rule %q is never violated", r.Name()),
			"its deny needs", r.Deny().Conditions().List, true)
	}
	if p.Filter == nil {
		return all
	}
	asked := p.Filter.Conditions()
	list := asked.List
	if p.Select != nil && asked.Ops.Has(event.Delete) {
		list = nil // an object that leaves is not what select asks for, but for what never changes
		for _, c := range asked.List {
			if c.Of == condition.OfNamespace || c.Of == condition.OfName {
				list = append(list, c)
			}
		}
	}
	find("filter", "filter is never true", "it needs", list, true)
	return all
}

// conflictsOf returns warnings about a listener's expressions that nothing can fulfill.
func (p *Plan) conflictsOf(l *Listener) (warnings config.Errors) {
	for _, c := range l.conflicts() {
		warnings = append(warnings, p.Config.ErrorAt(l.Field+"."+c.field,
			fmt.Sprintf("listener %q: %s", l.Config.Name, c.message), ""))
	}
	return warnings
}

// Says reports whether Write says what a warning of Unused says, in its place.
func (p *Plan) Says(warning config.Error) bool {
	for _, l := range p.Listeners {
		for _, c := range l.conflicts() {
			if strings.HasSuffix(warning.Message, c.message) {
				return true
			}
		}
	}
	return false
}
