package informer

import (
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

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
