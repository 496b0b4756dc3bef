package daemon

import (
	"cmp"
	"slices"

	"github.com/informerd/informerd/internal/explain"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// caches are the stores of the informers in which a listener's expressions and handler look objects
// up, by informer and one for each namespace. They are empty until the listener is bound, and
// filled before its route runs.
type caches struct {
	in       map[string][]*informer.Registration
	given    *explain.Lookups // in place of the stores; nil: these are used
	cluster  string           // its name
	shard    *shard           // of the listener; nil: none in particular
	listener string           // its name
}

// Get returns one object, nil if there is none.
func (c *caches) Get(name, namespace, object string) *object.Object {
	if c.given != nil {
		return c.given.Get(name, namespace, object)
	}
	return storedIn(c.in[name], namespace, object)
}

// InClusters returns the objects of a name in each cluster in which the listener is.
func (c *caches) InClusters(in, namespace, name string) (all []filters.InCluster) {
	add := func(cluster string, o *object.Object) {
		if o != nil {
			all = append(all, filters.InCluster{Cluster: cluster, Object: o})
		}
	}
	add(c.cluster, c.Get(in, namespace, name))
	if c.given != nil || c.shard == nil || c.shard.fleet == nil {
		return all
	}
	for cluster, other := range c.shard.elsewhere(c.listener) {
		if other != nil && hasSynced(other.looked[in]) {
			add(cluster, storedIn(other.looked[in], namespace, name))
		}
	}
	slices.SortFunc(all, func(a, b filters.InCluster) int { return cmp.Compare(a.Cluster, b.Cluster) })
	return all
}

// elsewhere returns what the listeners of a name are bound to in the other clusters, nil in those where
// none is. Of several shards of a cluster it is that of one: they look objects up in the same informers.
func (s *shard) elsewhere(name string) map[string]*binding {
	found := map[string]*binding{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.shards {
		at := other.cluster.name
		if at == s.cluster.name || found[at] != nil {
			continue
		}
		if l := listenerNamed(other.listeners, name); l != nil {
			found[at] = l.setup().bound.Load()
		}
	}
	return found
}

// hasSynced reports whether the stores have the first lists of their informers.
func hasSynced(registrations []*informer.Registration) bool {
	for _, reg := range registrations {
		select {
		case <-reg.Synced():
		default:
			return false
		}
	}
	return true
}

// storedIn returns the object of a name in one of several stores, nil if there is none.
func storedIn(registrations []*informer.Registration, namespace, name string) *object.Object {
	for _, reg := range registrations {
		if o, err := reg.Lister().Get(namespace, name); err == nil {
			return o
		}
	}
	return nil
}

// ByIndex returns the objects that have a value in an index, in any order.
func (c *caches) ByIndex(name, index, value string) (found []*object.Object) {
	if c.given != nil {
		return c.given.ByIndex(name, index, value)
	}
	for _, reg := range c.in[name] {
		objects, err := reg.Lister().ByIndex(index, value)
		if err != nil {
			continue // the index was checked when the expression was compiled
		}
		if found == nil {
			found = objects
		} else {
			found = append(found, objects...)
		}
	}
	return found
}

// withinNamespace is the suffix of an index that finds the values of another one within a
// namespace. No index of a configuration has such a name.
const withinNamespace = "/namespace"

// ByIndexIn returns the objects of a namespace that have a value in an index.
func (c *caches) ByIndexIn(name, index, value, namespace string) []*object.Object {
	if c.given != nil {
		return c.given.ByIndexIn(name, index, value, namespace)
	}
	if index != informer.NamespaceIndex {
		return c.ByIndex(name, index+withinNamespace, namespace+"/"+value)
	}
	if value != namespace {
		return nil
	}
	return c.ByIndex(name, index, value)
}

// withIndexesIn adds the indexes with which filters look objects up within one namespace.
func withIndexesIn(shape informer.Shape, name string,
	expressions []*filters.Filter) informer.Shape {
	for _, f := range expressions {
		for _, index := range f.IndexesIn()[name] {
			if of := shape.Indexes[index]; of != nil {
				shape.Indexes[index+withinNamespace] = informer.WithinNamespace(of)
			}
		}
	}
	return shape
}

func (c *caches) registrations() (all []*informer.Registration) {
	for _, regs := range c.in {
		all = append(all, regs...)
	}
	return all
}

// remove ends the registrations. What is looked up afterwards is as it was.
func (c *caches) remove() {
	removeAll(c.registrations())
}

func removeAll(registrations []*informer.Registration) {
	for _, reg := range registrations {
		reg.Remove()
	}
}

// onlooker returns a subscription that gets no events: the informer only runs for its cache.
func onlooker(name string) (*informer.Subscription, error) {
	return informer.NewSubscription(informer.SubscriptionConfig{
		Name: name + " (lookups)", Capacity: 1, On: event.OpSet(0).With(event.Delete),
		// one of none
		Conditions: []condition.Condition{{Of: condition.OfName, Test: condition.In}},
	})
}
