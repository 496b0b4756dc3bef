package explain

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/pkg/informer/object"
)

// outside returns why an informer does not watch an object, nothing if it does.
func outside(inf *config.Informer, o *object.Object) (reasons []string) {
	if ns := inf.Namespaces; len(ns) > 0 && !slices.Contains(ns, o.Namespace()) {
		reasons = append(reasons, "the informer watches only the namespaces "+
			strings.Join(ns, ", "))
	}
	selector, err := labels.Parse(inf.LabelSelector)
	if err == nil && !selector.Matches(labels.Set(o.Labels())) {
		reasons = append(reasons, "the informer's labelSelector is "+inf.Scope().LabelSelector)
	}
	if !selectedByFields(inf, o) {
		reasons = append(reasons, "the informer's fieldSelector is "+inf.Scope().FieldSelector)
	}
	return reasons
}

// selectedByFields reports whether an informer's fieldSelector matches an object. A term that only
// an API server can decide is taken to match.
func selectedByFields(inf *config.Informer, o *object.Object) bool {
	selector, err := fields.ParseSelector(inf.FieldSelector)
	if err != nil {
		return true // loading the configuration has parsed it
	}
	for _, term := range selector.Requirements() {
		value, known := selectable(inf, o, term.Field)
		if known && (value == term.Value) != (term.Operator != selection.NotEquals) {
			return false
		}
	}
	return true
}

// selectable returns the value of a field as an API server compares it, where that is known.
func selectable(inf *config.Informer, o *object.Object, field string) (value string, known bool) {
	switch field {
	case "metadata.name":
		return o.Name(), true
	case "metadata.namespace":
		return o.Namespace(), true
	}
	if !kube.Selectable(inf.Resource, field) {
		return "", false
	}
	path, err := object.CompilePath(field)
	if err != nil {
		return "", false
	}
	for _, text := range inf.Drop { // the object comes without it
		if dropped, err := object.CompilePath(text); err == nil &&
			strings.HasPrefix(field+".", dropped.String()+".") {
			return "", false
		}
	}
	return path.Lookup(o).Text(), true
}
