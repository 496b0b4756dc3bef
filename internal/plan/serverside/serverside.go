package serverside

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/pkg/informer/condition"
)

// Settings returns conditions as settings of an informer, where an API server can check them and
// the informer does not have them already.
// Cluster: the resource is in no namespace.
func Settings(inf *config.Informer, cluster bool, conditions []condition.Condition) []string {
	var label, field, namespaces []string
	for _, c := range conditions {
		if c.Test > condition.NotExists || c.Old || c.As != condition.AsIs ||
			len(c.Numbers)+len(c.Bools) > 0 {
			continue // there is no selector for it
		}
		switch c.Of {
		case condition.OfNamespace:
			switch {
			case cluster || slices.ContainsFunc(c.Values, isNoNamespace):
			case c.Test == condition.In && namespaces == nil:
				namespaces = c.Values
			case c.Test == condition.NotIn && len(inf.Namespaces) == 0:
				field = append(field, fieldTerms("metadata.namespace", c)...)
			}
		case condition.OfLabel:
			if r, err := labels.NewRequirement(c.Key, operators[c.Test], c.Values); err == nil {
				label = append(label,
					(&config.Informer{LabelSelector: r.String()}).Scope().LabelSelector)
			}
		case condition.OfName:
			field = append(field, fieldTerms("metadata.name", c)...)
		case condition.OfField:
			if kube.Selectable(inf.Resource, c.Key) {
				field = append(field, fieldTerms(c.Key, c)...)
			}
		}
	}
	if contradicts(inf, namespaces, label, field) {
		return nil // no object can match, and a selector would hide that
	}
	var parts []string
	if len(namespaces) > 0 && (len(inf.Namespaces) == 0 ||
		!containsAll(namespaces, inf.Namespaces)) {
		parts = append(parts, fmt.Sprintf("namespaces: [%s]", strings.Join(namespaces, ", ")))
	}
	// The informer may have the same terms in another form, so the normal forms are compared.
	scope := inf.Scope()
	if all := added(scope.LabelSelector, labelTerms(scope.LabelSelector), label); all != "" {
		parts = append(parts, fmt.Sprintf("labelSelector: %q", all))
	}
	if all := added(scope.FieldSelector, strings.Split(scope.FieldSelector, ","),
		field); all != "" {
		parts = append(parts, fmt.Sprintf("fieldSelector: %q", all))
	}
	return parts
}

// isNoNamespace reports whether nothing can be in a namespace of that name.
func isNoNamespace(name string) bool { return len(validation.IsDNS1123Label(name)) > 0 }

// added returns a selector with the terms that it does not have added, "" if it has all.
func added(selector string, has, terms []string) string {
	all := []string{selector}
	for _, term := range terms {
		if !slices.Contains(has, term) {
			all = append(all, term)
		}
	}
	if len(all) == 1 {
		return ""
	}
	return strings.TrimPrefix(strings.Join(all, ","), ",")
}

// contradicts reports whether the conditions, together with what the informer has, ask for two
// values of the same thing.
func contradicts(inf *config.Informer, namespaces, label, field []string) bool {
	if len(namespaces) > 0 && len(inf.Namespaces) > 0 &&
		!slices.ContainsFunc(namespaces, func(ns string) bool {
			return slices.Contains(inf.Namespaces, ns)
		}) {
		return true
	}
	scope := inf.Scope()
	values := map[string][]string{}
	narrow := func(of string, to []string) bool {
		known, again := values[of]
		if again {
			to = slices.DeleteFunc(slices.Clone(to), func(v string) bool {
				return !slices.Contains(known, v)
			})
		}
		values[of] = to
		return len(to) == 0
	}
	for _, term := range append(labelTerms(scope.LabelSelector), label...) {
		requirements, err := labels.ParseToRequirements(term)
		if err != nil {
			continue // it is of a parsed selector
		}
		for _, r := range requirements {
			switch r.Operator() {
			case selection.In, selection.Equals, selection.DoubleEquals:
				if narrow("label "+r.Key(), r.ValuesUnsorted()) {
					return true
				}
			}
		}
	}
	for _, term := range append(strings.Split(scope.FieldSelector, ","), field...) {
		s, err := fields.ParseSelector(term)
		if err != nil {
			continue // a part of a value with a comma
		}
		for _, r := range s.Requirements() {
			if r.Operator != selection.NotEquals && narrow("field "+r.Field, []string{r.Value}) {
				return true
			}
		}
	}
	return false
}

func labelTerms(selector string) (terms []string) {
	parsed, err := labels.Parse(selector)
	if err != nil {
		return nil // loading the configuration has parsed it
	}
	requirements, _ := parsed.Requirements()
	for _, r := range requirements {
		terms = append(terms, r.String())
	}
	return terms
}

func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(one string) bool { return !slices.Contains(all, one) })
}

var operators = [...]selection.Operator{
	condition.In: selection.In, condition.NotIn: selection.NotIn,
	condition.Exists: selection.Exists, condition.NotExists: selection.DoesNotExist,
}

// fieldTerms returns a condition as terms of a field selector. Those are = and !=, which all must
// hold, so there are none for one of several values. To a selector a missing field is an empty one,
// to an expression it is not.
func fieldTerms(name string, c condition.Condition) []string {
	if slices.Contains(c.Values, "") {
		return nil
	}
	var terms []string
	switch {
	case c.Test == condition.In && len(c.Values) == 1:
		terms = append(terms, name+"="+fields.EscapeValue(c.Values[0]))
	case c.Test == condition.NotIn:
		for _, v := range c.Values {
			terms = append(terms, name+"!="+fields.EscapeValue(v))
		}
	}
	return terms
}
