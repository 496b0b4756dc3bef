package lang

import "github.com/informerd/informerd/pkg/informer/object"

// Caches are the stores of other informers, as cached and byIndex read them. They return
// snapshots of immutable objects, in whatever form the store has them. An implementation is
// safe for concurrent use and does not block.
type Caches interface {
	// Get returns one object, nil if there is none. Namespace is "" for cluster-scoped objects.
	Get(informer, namespace, name string) *object.Object
	// ByIndex returns the objects found under a value of an index, in any order.
	ByIndex(informer, index, value string) []*object.Object
	// ByIndexIn returns those in one namespace. How many others have the same value makes
	// no difference to the time that it takes. Filter.IndexesIn returns the indexes that it is
	// called for.
	ByIndexIn(informer, index, value, namespace string) []*object.Object
}
