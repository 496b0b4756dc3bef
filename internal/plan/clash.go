package plan

import (
	"fmt"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/informer/condition"
)

// clash is a rule that no selected object violates.
type clash struct {
	rule    int // its index
	message string
}

// clashes returns the rules whose deny contradicts the select, as far as their conditions show it.
func (p *Listener) clashes() (all []clash) {
	if p.Select == nil {
		return nil
	}
	for i, r := range p.Rules {
		for _, asked := range r.Deny().Conditions().List {
			at := slices.IndexFunc(p.Select.Conditions().List, func(c condition.Condition) bool {
				return exclude(c, asked) || exclude(asked, c)
			})
			if at < 0 {
				continue
			}
			all = append(all, clash{i, fmt.Sprintf(
				"rule %q is never violated: its deny needs %s, and select %s", r.Name(), asked,
				p.Select.Conditions().List[at])})
			break
		}
	}
	return all
}

// exclude reports whether no state of an object fulfills two conditions, the first of which asks
// for one of some values, or for any.
func exclude(a, b condition.Condition) bool {
	switch a.Of {
	case condition.OfName, condition.OfNamespace, condition.OfLabel, condition.OfField:
	default:
		return false
	}
	if a.Of != b.Of || a.Key != b.Key || a.Old || b.Old || a.As != condition.AsIs ||
		b.As != condition.AsIs {
		return false
	}
	switch {
	case a.Test == condition.In && b.Test == condition.In:
		return !share(a.Values, b.Values) && !share(a.Numbers, b.Numbers) &&
			!share(a.Bools, b.Bools)
	case a.Test == condition.In && b.Test == condition.NotIn:
		return within(a.Values, b.Values) && within(a.Numbers, b.Numbers) &&
			within(a.Bools, b.Bools)
	case a.Test == condition.In || a.Test == condition.Exists:
		return b.Test == condition.NotExists
	}
	return false
}

// share reports whether two lists have a value in common.
func share[T comparable](a, b []T) bool {
	return slices.ContainsFunc(a, func(v T) bool { return slices.Contains(b, v) })
}

// within reports whether all values of a list are in another one.
func within[T comparable](a, b []T) bool {
	return !slices.ContainsFunc(a, func(v T) bool { return !slices.Contains(b, v) })
}

// clashesOf returns the warnings of a listener's rules that contradict its select.
func (p *Plan) clashesOf(l *Listener) (warnings config.Errors) {
	for _, c := range l.clashes() {
		warnings = append(warnings, p.Config.ErrorAt(
			fmt.Sprintf("%s.rules[%d].deny", l.Field, c.rule),
			fmt.Sprintf("listener %q: %s", l.Config.Name, c.message), ""))
	}
	return warnings
}
