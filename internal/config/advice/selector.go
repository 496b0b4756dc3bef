package advice

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// decodable is a value that can be read into another form.
type decodable interface{ Decode(into any) error }

// asSelector returns the text that is meant by a mapping in place of a selector, as in the
// manifests of a cluster, and the expression that is meant by one in place of a select; "" if that
// is not clear.
func asSelector(field string, is decodable) string {
	if field != "labelSelector" && field != "fieldSelector" && field != "select" {
		return ""
	}
	if field == "fieldSelector" {
		var all fields.Set
		if is.Decode(&all) != nil || len(all) == 0 {
			return ""
		}
		return `"` + fields.SelectorFromSet(all).String() + `"`
	}
	selector := labelsOf(is)
	terms, selectable := selector.Requirements()
	if !selectable || len(terms) == 0 {
		return ""
	}
	if field == "labelSelector" {
		return `"` + selector.String() + `"`
	}
	var conditions []string
	for _, term := range terms {
		label, values := `label("`+term.Key()+`")`, term.Values().List()
		switch {
		case term.Operator() == selection.In && len(values) > 1:
			conditions = append(conditions, label+` in ["`+strings.Join(values, `", "`)+`"]`)
		case term.Operator() == selection.In || term.Operator() == selection.Equals:
			conditions = append(conditions, label+` == "`+values[0]+`"`)
		default:
			return ""
		}
	}
	return "'" + strings.Join(conditions, " and ") + "'"
}

// labelsOf reads labels and their values, or matchLabels and matchExpressions. What is none
// selects nothing.
func labelsOf(is decodable) labels.Selector {
	var whole map[string]any
	if is.Decode(&whole) != nil {
		return labels.Nothing()
	}
	selector := metav1.LabelSelector{}
	for name := range whole {
		if !slices.Contains([]string{"matchLabels", "matchExpressions"}, name) {
			whole = map[string]any{"matchLabels": whole}
			break
		}
	}
	text, err := json.Marshal(whole)
	if err == nil {
		err = json.Unmarshal(text, &selector)
	}
	read, wrong := metav1.LabelSelectorAsSelector(&selector)
	if err != nil || wrong != nil {
		return labels.Nothing()
	}
	return read
}
