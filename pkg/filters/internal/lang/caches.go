package lang

import "github.com/informerd/informerd/pkg/informer/object"

// Caches are the stores of other informers, as cached and byIndex read them. What they give are
// snapshots of immutable objects, in whatever form the store has them. An implementation is safe
// for concurrent use and does not block.
type Caches interface {
	// Get gives one object, nil if there is none. Namespace is "" for cluster-scoped objects.
	Get(informer, namespace, name string) *object.Object
	// ByIndex gives the objects found under a value of an index, in any order.
	ByIndex(informer, index, value string) []*object.Object
	// ByIndexIn returns those of them that are in a namespace, and takes no longer for others that
	// have the same value. [Filter.IndexesIn] returns the indexes that it is asked for.
	ByIndexIn(informer, index, value, namespace string) []*object.Object
}
