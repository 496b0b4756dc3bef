package plugins

import (
	"errors"
	"fmt"
	"slices"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Caches are the stores of other informers, as cache.v1 reads them. What they return are snapshots
// of immutable objects, in whatever form the store has them; a guest's iterator keeps what ByIndex
// returned and does not change it. An implementation is safe for concurrent use and does not block.
type Caches interface {
	// Get returns one object, nil if there is none. Namespace is "" for cluster-scoped objects.
	Get(informer, namespace, name string) *object.Object
	// ByIndex returns the objects found under a value of an index, in any order.
	ByIndex(informer, index, value string) []*object.Object
}

// CacheGrant lets the guest read the caches of other informers.
type CacheGrant struct {
	// Informers are those that it may read, by the names in the configuration.
	Informers []string
	// Namespaces are those whose objects it may read, "" for cluster-scoped objects; default all.
	Namespaces []string
	// MaxItems and MaxBytes bound the objects that it may read for one event, and their JSON;
	// default 1000 and 8 MiB.
	MaxItems int
	MaxBytes int64
}

func (g *CacheGrant) setDefaults() {
	g.Informers, g.Namespaces = slices.Clone(g.Informers), slices.Clone(g.Namespaces)
	setDefault(&g.MaxItems, 1000)
	setDefault(&g.MaxBytes, 8<<20)
}

func (g *CacheGrant) check() error {
	switch {
	case len(g.Informers) == 0:
		return errors.New("informers is empty: name at least one")
	case g.MaxItems < 0:
		return fmt.Errorf("max items is %d, it must be positive", g.MaxItems)
	case g.MaxBytes < 0:
		return fmt.Errorf("max bytes is %d, it must be positive", g.MaxBytes)
	}
	for i, name := range g.Informers {
		switch {
		case name == "":
			return errors.New("an informer has no name")
		case slices.Contains(g.Informers[:i], name):
			return fmt.Errorf("duplicate informer %q", name)
		}
	}
	return nil
}
