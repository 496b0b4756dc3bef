// Package lookedup has the objects that expressions look up where no informer runs. It notes what
// was looked for in informers of which no objects are known.
package lookedup

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Objects are those of informers. They take the place of the informers' caches.
type Objects struct {
	Missing map[string]bool // informers that were asked and are not known
	Notes   []string

	in map[string]*In
}

// In are the objects of one informer.
type In struct {
	byKey   map[event.Key]*object.Object
	all     []*object.Object
	indexes map[string]informer.IndexFunc
}

// New returns what knows no informer.
func New() *Objects { return &Objects{Missing: map[string]bool{}, in: map[string]*In{}} }

// Add adds an informer without objects.
func (f *Objects) Add(name string, indexes map[string]informer.IndexFunc) *In {
	f.in[name] = &In{byKey: map[event.Key]*object.Object{}, indexes: indexes}
	return f.in[name]
}

// Add adds an object, unless one of its name is there.
func (in *In) Add(o *object.Object) {
	if in.byKey[o.Key()] == nil {
		in.byKey[o.Key()] = o
		in.all = append(in.all, o)
	}
}

// of returns the objects of an informer, none if they are not known.
func (f *Objects) of(name string) *In {
	if in := f.in[name]; in != nil {
		return in
	}
	f.Missing[name] = true
	return &In{}
}

// Get returns one object, nil if there is none.
func (f *Objects) Get(name, namespace, object string) *object.Object {
	return f.of(name).byKey[event.Key{Namespace: namespace, Name: object}]
}

// ByIndex returns the objects found under a value of an index.
func (f *Objects) ByIndex(name, index, value string) (all []*object.Object) {
	in := f.of(name)
	for _, o := range in.all {
		if index == informer.NamespaceIndex && o.Namespace() == value ||
			in.indexes[index] != nil && slices.Contains(in.indexes[index](o), value) {
			all = append(all, o)
		}
	}
	return all
}

// ByIndexIn returns those in one namespace.
func (f *Objects) ByIndexIn(name, index, value, namespace string) []*object.Object {
	return slices.DeleteFunc(f.ByIndex(name, index, value),
		func(o *object.Object) bool { return o.Namespace() != namespace })
}
