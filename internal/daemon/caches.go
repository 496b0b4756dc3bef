package daemon

import (
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// caches are the stores of the informers that a listener's expressions and handler look objects up in, each with those of
// its namespaces. They are empty until the listener is bound, and filled before its route runs.
type caches map[string][]*informer.Registration

// Get gives one object, nil if there is none.
func (c caches) Get(name, namespace, object string) *event.Object {
	for _, reg := range c[name] {
		if o, err := reg.Lister().Get(namespace, object); err == nil {
			return o
		}
	}
	return nil
}

// ByIndex gives the objects found under a value of an index, in any order.
func (c caches) ByIndex(name, index, value string) (found []*event.Object) {
	for _, reg := range c[name] {
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

func (c caches) registrations() (all []*informer.Registration) {
	for _, regs := range c {
		all = append(all, regs...)
	}
	return all
}

// onlooker is a listener that wants nothing but that the informer runs.
func onlooker(name string) (*informer.Listener, error) {
	return informer.NewListener(informer.ListenerConfig{
		Name: name + " (lookups)", Capacity: 1, On: event.OpSet(0).With(event.Delete),
		Conditions: []informer.Condition{{Of: informer.OfName, Test: informer.In}}, // one of none
	})
}
