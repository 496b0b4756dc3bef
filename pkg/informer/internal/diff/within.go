package diff

import (
	"k8s.io/apimachinery/pkg/labels"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Within returns what reports whether a scope surely has an object that is stored. What a field
// selector means is not known.
func Within(namespace, labelSelector, fieldSelector string) func(*object.Object) bool {
	selector, err := labels.Parse(labelSelector)
	return func(o *object.Object) bool {
		return err == nil && fieldSelector == "" &&
			(namespace == "" || namespace == o.Namespace()) &&
			selector.Matches(labels.Set(o.Labels()))
	}
}
