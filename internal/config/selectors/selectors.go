// Package selectors reads the selectors of an informer. Each check returns the problem, as it
// follows a field's path, and what to do; both are empty without one.
package selectors

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// Label returns the selector in normal form.
func Label(text string) (string, error) {
	selector, err := labels.Parse(text)
	if err != nil {
		return "", err
	}
	normal := labels.NewSelector()
	terms, _ := selector.Requirements()
	for _, term := range terms {
		oneValue := term.Operator() == selection.In && term.Values().Len() == 1
		if oneValue || term.Operator() == selection.DoubleEquals {
			if equal, err := labels.NewRequirement(term.Key(), selection.Equals,
				term.Values().List()); err == nil {
				term = *equal
			}
		}
		normal = normal.Add(term)
	}
	return normal.String(), nil
}

// Field returns the selector in normal form: its terms sorted, == as =.
func Field(text string) (string, error) {
	selector, err := fields.ParseSelector(text)
	if err != nil {
		return "", err
	}
	var terms []string
	for _, term := range selector.Requirements() {
		terms = append(terms, fmt.Sprintf("%s%s%s", term.Field,
			strings.Replace(string(term.Operator), "==", "=", 1), fields.EscapeValue(term.Value)))
	}
	slices.Sort(terms)
	return strings.Join(slices.Compact(terms), ","), nil
}

// CheckLabel checks a label selector.
func CheckLabel(text, _ string) (problem, hint string) {
	if _, err := Label(text); err != nil {
		return labelProblem(text)
	}
	return "", ""
}

// CheckField checks a field selector.
func CheckField(text, _ string) (problem, hint string) {
	if _, err := Field(text); err != nil {
		return fieldProblem(text)
	}
	return "", ""
}
