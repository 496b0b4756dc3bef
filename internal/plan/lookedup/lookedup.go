// Package lookedup has the objects that expressions look up where no informer runs. It notes what
// was looked for in informers of which no objects are known.
package lookedup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Objects are those of informers. They take the place of the informers' caches.
type Objects struct {
	Missing map[string]bool // informers that were asked and are not known
	Notes   []string

	in      map[string]*In
	nothing []string // what was looked for and is not there, with the reason; each once
}

// In are the objects of one informer.
type In struct {
	// Others is how many objects are of other kinds, and left out.
	Others int

	byKey   map[event.Key]*object.Object
	all     []*object.Object
	indexes map[string]informer.IndexFunc
	values  map[string]map[string][]*object.Object // by index and value, once one is asked for
	limits  string
	outside map[event.Key][]string
}

// NewIn returns an informer without objects. The limits are what it watches only, in words, "" if
// it watches everything.
func NewIn(limits string, indexes map[string]informer.IndexFunc) *In {
	return &In{byKey: map[event.Key]*object.Object{}, indexes: indexes, limits: limits,
		values: map[string]map[string][]*object.Object{}, outside: map[event.Key][]string{}}
}

// New returns what knows no informer.
func New() *Objects { return &Objects{Missing: map[string]bool{}, in: map[string]*In{}} }

// Add adds an informer with its objects, to which none are added any more.
func (f *Objects) Add(name string, in *In) {
	f.in[name] = in
	if in.Others > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf("the objects for %s that are of other kinds are left out: %d",
			name, in.Others))
	}
}

// Nothing returns what was looked for by name and is not there, and why that may be.
func (f *Objects) Nothing() []string { return f.nothing }

// maxNothing is how much of that is noted.
const maxNothing = 5

// Add adds an object, unless one of its name is there.
func (in *In) Add(o *object.Object) {
	if in.byKey[o.Key()] == nil {
		in.byKey[o.Key()] = o
		in.all = append(in.all, o)
	}
}

// Outside notes an object that the informer does not watch.
func (in *In) Outside(o *object.Object, reasons []string) { in.outside[o.Key()] = reasons }

// why returns why an object may not be there.
func (in *In) why(key event.Key) string {
	if reasons := in.outside[key]; len(reasons) > 0 {
		return "it does not watch that object: " + strings.Join(reasons, "; ")
	}
	has := fmt.Sprintf("it has %d objects", len(in.all))
	if len(in.all) == 1 {
		has = "it has 1 object"
	}
	if in.limits != "" {
		has += ", and watches only " + in.limits
	}
	return has
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
	key := event.Key{Namespace: namespace, Name: object}
	in := f.of(name)
	if found := in.byKey[key]; found != nil || f.Missing[name] {
		return found
	}
	note := fmt.Sprintf("the informer %s has no object %q: %s.", name, key, in.why(key))
	if len(f.nothing) < maxNothing && !slices.Contains(f.nothing, note) {
		f.nothing = append(f.nothing, note)
	}
	return nil
}

// ByIndex returns the objects found under a value of an index.
func (f *Objects) ByIndex(name, index, value string) []*object.Object {
	return slices.Clone(f.of(name).by(index)[value])
}

// ByIndexIn returns those in one namespace.
func (f *Objects) ByIndexIn(name, index, value, namespace string) []*object.Object {
	return slices.DeleteFunc(f.ByIndex(name, index, value),
		func(o *object.Object) bool { return o.Namespace() != namespace })
}

// by returns the objects by their values of an index. It is made once, since a question for each of
// thousands of objects may look in it.
func (in *In) by(index string) map[string][]*object.Object {
	if values, made := in.values[index]; made || in.values == nil {
		return values
	}
	values, of := map[string][]*object.Object{}, in.indexes[index]
	if index == informer.NamespaceIndex {
		of = func(o *object.Object) []string { return []string{o.Namespace()} }
	}
	for _, o := range in.all {
		if of == nil {
			break
		}
		found := of(o)
		for i, value := range found {
			if !slices.Contains(found[:i], value) {
				values[value] = append(values[value], o)
			}
		}
	}
	in.values[index] = values
	return values
}
