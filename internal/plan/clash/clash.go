// Package clash tells which conditions no object can fulfill together.
package clash

import (
	"slices"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/condition"
)

// Excluded returns a condition of a list that contradicts another condition, -1 if none does.
func Excluded(by condition.Condition, list []condition.Condition) int {
	return slices.IndexFunc(list, func(c condition.Condition) bool {
		return exclude(c, by) || exclude(by, c)
	})
}

// OutOfScope is Excluded for what an informer asks for, of an object and of its old state. To a
// field selector a field that is missing is an empty one, or false, so only texts contradict it.
func OutOfScope(by condition.Condition, scope []condition.Condition) int {
	by.Old = false
	if by.Of != condition.OfField {
		return Excluded(by, scope)
	}
	if by.Test > condition.NotIn || len(by.Numbers)+len(by.Bools) > 0 ||
		by.Test == condition.NotIn && slices.Contains(by.Values, "false") {
		return -1
	}
	return Excluded(by, scope)
}

// Contradicts reports whether conditions that must all hold contradict each other.
func Contradicts(list []condition.Condition) bool {
	for i, c := range list {
		if Excluded(c, list[:i]) >= 0 {
			return true
		}
	}
	return false
}

// Never reports whether an expression, nil for none, is true of no event, since parts of it exclude
// each other.
func Never(f *filters.Filter) bool {
	return f != nil && (f.Never() || Contradicts(f.Conditions().List) ||
		shown.Ops(f.Conditions()) == 0)
}

// Scope returns what an informer asks for, as conditions.
func Scope(inf *config.Informer) (all []condition.Condition) {
	if len(inf.Namespaces) > 0 {
		all = append(all, condition.Condition{Of: condition.OfNamespace, Test: condition.In,
			Values: inf.Namespaces})
	}
	scope := inf.Scope()
	requirements, _ := labels.ParseToRequirements(scope.LabelSelector) // checked when it was loaded
	for _, r := range requirements {
		c := condition.Condition{Of: condition.OfLabel, Key: r.Key(), Values: r.ValuesUnsorted()}
		switch r.Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
			c.Test = condition.In
		case selection.Exists:
			c.Test = condition.Exists
		case selection.DoesNotExist:
			c.Test = condition.NotExists
		case selection.NotIn, selection.NotEquals:
			c.Test = condition.NotIn
		default:
			continue
		}
		all = append(all, c)
	}
	selector, err := fields.ParseSelector(scope.FieldSelector)
	if err != nil {
		return all
	}
	for _, r := range selector.Requirements() {
		if r.Value == "" {
			continue
		}
		c := condition.Condition{Of: condition.OfField, Key: r.Field, Test: condition.In,
			Values: []string{r.Value}}
		if r.Operator == selection.NotEquals {
			c.Test = condition.NotIn
		}
		switch r.Field {
		case "metadata.name":
			c.Of, c.Key = condition.OfName, ""
		case "metadata.namespace":
			c.Of, c.Key = condition.OfNamespace, ""
		}
		all = append(all, c)
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
