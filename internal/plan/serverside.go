package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/pkg/informer/condition"
)

// serverSide returns conditions as settings of an informer, where an API server can check them and
// the informer does not have them already.
func serverSide(inf *config.Informer, conditions []condition.Condition) []string {
	var label, field, namespaces []string
	for _, c := range conditions {
		if c.Test > condition.NotExists || c.Old || c.As != condition.AsIs ||
			len(c.Numbers)+len(c.Bools) > 0 {
			continue // there is no selector for it
		}
		switch c.Of {
		case condition.OfNamespace:
			if c.Test == condition.In && !slices.Contains(c.Values, "") && namespaces == nil {
				namespaces = c.Values
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
