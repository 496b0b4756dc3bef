package informer

import (
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Lister reads an informer's store. Each result is one consistent snapshot, in any order; objects
// are immutable and can be kept. They are in their stored form: call Plain before reading several
// fields of an object, or use a Scratch for many objects. It is safe for concurrent use.
type Lister struct{ inf *informer }

// Get returns an object. The error is NotFound, as client-go's, if there is none.
func (l Lister) Get(namespace, name string) (*object.Object, error) {
	if o := l.inf.store.Get(event.Key{Namespace: namespace, Name: name}); o != nil {
		return o, nil
	}
	return nil, apierrors.NewNotFound(l.inf.resource.GroupResource(), name)
}

// List returns the objects of a namespace that a selector matches, "" for all namespaces.
func (l Lister) List(namespace string, selector labels.Selector) ([]*object.Object, error) {
	all := l.inf.store.List
	if namespace != "" {
		all = func() []*object.Object {
			// Every informer has this index.
			found, _ := l.inf.store.ByIndex(NamespaceIndex, namespace)
			return found
		}
	}
	if selector.Empty() {
		return all(), nil
	}
	if _, selectable := selector.Requirements(); !selectable {
		return nil, nil
	}
	var found []*object.Object
	for _, o := range all() {
		if selector.Matches(objectLabels{o}) {
			found = append(found, o)
		}
	}
	return found, nil
}

// ByIndex returns the objects found under a value of a named index.
func (l Lister) ByIndex(index, value string) ([]*object.Object, error) {
	return l.inf.store.ByIndex(index, value)
}

// IndexValues returns the values that a named index has.
func (l Lister) IndexValues(index string) ([]string, error) {
	return l.inf.store.IndexValues(index)
}

// objectLabels lets a selector read single labels from the object's text.
type objectLabels struct{ o *object.Object }

func (s objectLabels) Has(label string) bool { _, ok := s.o.Label(label); return ok }

func (s objectLabels) Get(label string) string { v, _ := s.o.Label(label); return v }

func (s objectLabels) Lookup(label string) (string, bool) { return s.o.Label(label) }

// IndexFunc returns the values under which an object is found in an index: none, one or more. It
// must not block, and must return the same values for the same object.
type IndexFunc = func(*object.Object) []string

// NamespaceIndex is the name of the index that every informer has, whose values are namespaces.
const NamespaceIndex = store.NamespaceIndex

// IndexByPath returns an index function whose value is the text of a field. Objects without the
// field are not in the index; those with an array are found under each of its items.
func IndexByPath(path object.Path) IndexFunc { return store.IndexByPath(path) }

// WithinNamespace returns an index function that puts the object's namespace in front of the values
// of another one: of an object in the namespace shop, the value web becomes "shop/web".
func WithinNamespace(f IndexFunc) IndexFunc { return store.WithinNamespace(f) }

// Decode returns an object as one of a Go type, such as corev1.Pod. Each call decodes the object
// again, and the result belongs to the caller. T's fields decide what is read.
func Decode[T any](o *object.Object) (*T, error) {
	into := new(T)
	if err := json.Unmarshal([]byte(o.JSON()), into); err != nil {
		return nil, fmt.Errorf("cannot decode %s %+q as %T: %w", o.Kind(), o.Key().String(), *into,
			err)
	}
	return into, nil
}
