package author

import (
	"fmt"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// caches are those of informers, with the objects that were passed. They do not change while the
// module runs.
type caches map[string]*cache

type cache struct {
	byKey   map[event.Key]*object.Object
	objects []*object.Object
	indexes map[string]informer.IndexFunc
}

// cache returns that of an informer, which it makes with the first call.
func (c caches) cache(name string) *cache {
	if c[name] == nil {
		byNamespace := informer.IndexByPath(object.MustCompilePath("metadata.namespace"))
		c[name] = &cache{byKey: map[event.Key]*object.Object{},
			indexes: map[string]informer.IndexFunc{informer.NamespaceIndex: byNamespace}}
	}
	return c[name]
}

func (c *cache) add(o *object.Object) error {
	if c.byKey[o.Key()] != nil {
		return fmt.Errorf("duplicate object %s", printable(o.Key().String()))
	}
	c.byKey[o.Key()] = o
	c.objects = append(c.objects, o)
	return nil
}

// index adds an index on a field.
func (c *cache) index(name, path string) error {
	p, err := object.CompilePath(path)
	if err != nil {
		return err
	}
	c.indexes[name] = informer.IndexByPath(p)
	return nil
}

// Get returns one object, nil if there is none.
func (c caches) Get(name, namespace, object string) *object.Object {
	if c[name] == nil {
		return nil
	}
	return c[name].byKey[event.Key{Namespace: namespace, Name: object}]
}

// ByIndex returns the objects that have a value in an index, in the order in which they were added.
func (c caches) ByIndex(name, index, value string) (found []*object.Object) {
	if c[name] == nil || c[name].indexes[index] == nil {
		return nil
	}
	for _, o := range c[name].objects {
		for _, v := range c[name].indexes[index](o) {
			if v == value {
				found = append(found, o)
				break
			}
		}
	}
	return found
}
