package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/scope"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// UndecidedError is the error of an event for which it cannot be told what a listener does with it,
// since that depends on objects of other informers.
type UndecidedError struct {
	Listener  string
	Informers []string // whose objects are missing, sorted
}

func (e *UndecidedError) Error() string {
	var caches []string
	for _, name := range e.Informers {
		caches = append(caches, "--cache "+name+"=FILE")
	}
	return fmt.Sprintf("what the listener %q does cannot be told: it depends on objects of %s: pass them, as %s, or pass --kubeconfig FILE or --context NAME to ask the cluster",
		e.Listener, strings.Join(e.Informers, ", "), strings.Join(caches, " "))
}

// ExpressionLookups returns the names of the informers in which the expressions of a listener look
// objects up, sorted.
func ExpressionLookups(cfg *config.Config, l *config.Listener) []string {
	c := newCompiler(cfg, l, nil)
	c.listener()
	return lookups(filtersOf(c.expressions))
}

// found has what lookups find in place of informers' caches. It notes what was looked for in
// informers of which no objects are known.
type found struct {
	in      map[string]*foundIn
	missing map[string]bool
	notes   []string
}

// foundIn are the objects of one informer.
type foundIn struct {
	byKey   map[event.Key]*object.Object
	all     []*object.Object
	indexes map[string]informer.IndexFunc
}

// newFound reads objects as their informers would, and leaves out those that these do not watch. It
// is an error if all objects are of another kind.
func newFound(l *config.Listener, files map[string][]ObjectFile) (*found, error) {
	f := &found{in: map[string]*foundIn{}, missing: map[string]bool{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		inf := l.Informers()[name]
		parser, err := ParserOf(inf)
		if err != nil {
			return nil, err
		}
		shape, err := ShapeOf(inf)
		if err != nil {
			return nil, err
		}
		in, others := &foundIn{byKey: map[event.Key]*object.Object{}, indexes: shape.Indexes}, 0
		for _, file := range files[name] {
			if kind, sure := file.isOf(inf.Resource); kind != "" && sure {
				if others++; others < len(files[name]) {
					continue
				}
				return nil, fmt.Errorf("%s: this is a %s, and the informer %q watches %s",
					file.Path, kind, name, inf.Resource)
			}
			o, err := file.parse(parser)
			if err != nil {
				return nil, err
			}
			if len(scope.Outside(inf, o)) == 0 && in.byKey[o.Key()] == nil {
				in.byKey[o.Key()] = o
				in.all = append(in.all, o)
			}
		}
		if others > 0 {
			f.notes = append(f.notes, fmt.Sprintf("the objects for %s that are of other kinds are left out: %d",
				name, others))
		}
		f.in[name] = in
	}
	return f, nil
}

// of returns the objects of an informer, none if they are not known.
func (f *found) of(name string) *foundIn {
	if in := f.in[name]; in != nil {
		return in
	}
	f.missing[name] = true
	return &foundIn{}
}

// Get returns one object, nil if there is none.
func (f *found) Get(name, namespace, object string) *object.Object {
	return f.of(name).byKey[event.Key{Namespace: namespace, Name: object}]
}

// ByIndex returns the objects found under a value of an index.
func (f *found) ByIndex(name, index, value string) (all []*object.Object) {
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
func (f *found) ByIndexIn(name, index, value, namespace string) []*object.Object {
	return slices.DeleteFunc(f.ByIndex(name, index, value),
		func(o *object.Object) bool { return o.Namespace() != namespace })
}
