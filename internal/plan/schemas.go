package plan

import (
	"maps"
	"slices"

	"github.com/informerd/informerd/internal/config"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

// Schemas returns what is known of the objects of a resource, by the name it has in the
// configuration; nil if nothing is.
type Schemas func(resource string) *filters.Schema

// BuiltinSchemas returns the schemas of the common kinds, of the Kubernetes that informerd was
// built with.
func BuiltinSchemas() (Schemas, error) {
	set, err := openapi.Builtin()
	if err != nil {
		return nil, err
	}
	return func(resource string) *filters.Schema {
		found, _ := set.Lookup(resource)
		return found
	}, nil
}

// PlacedInformer is an informer and its place in the configuration.
type PlacedInformer struct {
	*config.Informer
	Field string // of it, in the configuration
}

// InformersOf returns all informers of a configuration once: those that have a name, and those that
// are defined in listeners and policies.
func InformersOf(cfg *config.Config) (all []PlacedInformer) {
	for _, name := range slices.Sorted(maps.Keys(cfg.Informers)) {
		all = append(all, PlacedInformer{cfg.Informers[name], "informers." + name})
	}
	for _, l := range cfg.ListenersInOrder() {
		field := "listeners." + l.Name
		if inline := l.InformerRef.Inline; inline != nil {
			all = append(all, PlacedInformer{inline, field + ".informer"})
		}
		for _, name := range slices.Sorted(maps.Keys(l.Informers())) {
			if own := l.Informers()[name]; own != cfg.Informers[name] {
				all = append(all, PlacedInformer{own, field + ".informers." + name})
			}
		}
	}
	return all
}
