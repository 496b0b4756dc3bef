package lang

import "github.com/informerd/informerd/pkg/informer/object"

// Caches are the stores of other informers, as cached, byIndex and clusters read them. They return
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
	// InClusters returns the object that Get returns, and that of each other cluster in which the
	// listener is, sorted by the clusters' names. A cluster that has none is left out.
	InClusters(informer, namespace, name string) []InCluster
}

// InCluster is an object of a cluster.
type InCluster struct {
	Cluster string // its name
	Object  *object.Object
}
