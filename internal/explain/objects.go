package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// IsOf reports whether the text of an object seems to be of an informer's resource.
func IsOf(text []byte, inf *config.Informer) bool {
	var is struct{ APIVersion, Kind string }
	if json.Unmarshal(text, &is) != nil {
		return false
	}
	set, err := openapi.Builtin()
	if err != nil || is.Kind == "" {
		return true
	}
	group := openapi.GroupOf(is.APIVersion)
	if want, known := set.Find(inf.Resource); known {
		return want.Kind == is.Kind &&
			(want.Group == group || !strings.Contains(inf.Resource, "."))
	}
	name, rest, _ := strings.Cut(strings.ToLower(inf.Resource), ".")
	return isPlural(name, strings.ToLower(is.Kind)) &&
		(rest == "" || rest == group || strings.HasSuffix(rest, "."+group))
}

// Parse reads an object as an informer would get it.
func Parse(inf *config.Informer, o config.Object) (*object.Object, error) {
	parser, err := plan.ParserOf(inf)
	if err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(o.JSON)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.At, err)
	}
	return parsed, nil
}

// Created returns the text of an object as an API server has it once it is created: in the namespace
// default and created now, if it says nothing else. What is no object stays as it is.
func Created(text []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var o map[string]any
	if decoder.Decode(&o) != nil {
		return text
	}
	metadata, ok := o["metadata"].(map[string]any)
	if !ok {
		return text
	}
	if metadata["creationTimestamp"] == nil {
		metadata["creationTimestamp"] = time.Now().UTC().Format(time.RFC3339)
	}
	version, _ := o["apiVersion"].(string)
	kind, _ := o["kind"].(string)
	set, err := openapi.Builtin()
	if known, found := set.FindKind(version, kind); err == nil && found &&
		!known.OfCluster() && metadata["namespace"] == nil {
		metadata["namespace"] = "default"
	}
	created, err := json.Marshal(o)
	if err != nil { // it was JSON
		panic("explain: an object that was read as JSON is none: " + err.Error())
	}
	return created
}

// Lookups are the objects that expressions and handlers find in other informers. They are
// plugins.Caches.
type Lookups struct {
	in map[string]*cache
	// Missing are the informers that were asked and are not known.
	Missing map[string]bool
}

// cache has the objects of one informer.
type cache struct {
	byKey   map[event.Key]*object.Object
	keys    []event.Key // in the order in which they were added
	indexes map[string]informer.IndexFunc
}

// NewLookups returns the objects of no informer.
func NewLookups() *Lookups {
	return &Lookups{in: map[string]*cache{}, Missing: map[string]bool{}}
}

// Add sets the objects of an informer, those of them that it watches.
func (l *Lookups) Add(name string, inf *config.Informer, all []config.Object) error {
	shape, err := plan.ShapeOf(inf)
	if err != nil {
		return err
	}
	in := &cache{byKey: map[event.Key]*object.Object{}, indexes: maps.Clone(shape.Indexes)}
	in.indexes[informer.NamespaceIndex] = func(o *object.Object) []string {
		return []string{o.Namespace()}
	}
	for _, text := range all {
		o, err := Parse(inf, text)
		if err != nil {
			return err
		}
		if len(outside(inf, o)) == 0 {
			if in.byKey[o.Key()] == nil {
				in.keys = append(in.keys, o.Key())
			}
			in.byKey[o.Key()] = o
		}
	}
	l.in[name] = in
	return nil
}

// of returns the objects of an informer.
func (l *Lookups) of(name string) *cache {
	in := l.in[name]
	if in == nil {
		l.Missing[name] = true
		return &cache{}
	}
	return in
}

// Get returns one object, nil if there is none.
func (l *Lookups) Get(name, namespace, named string) *object.Object {
	return l.of(name).byKey[event.Key{Namespace: namespace, Name: named}]
}

// ByIndex returns the objects that have a value in an index, in the order in which they were added.
func (l *Lookups) ByIndex(name, index, value string) (found []*object.Object) {
	in := l.of(name)
	for _, key := range in.keys {
		if of := in.indexes[index]; of != nil && slices.Contains(of(in.byKey[key]), value) {
			found = append(found, in.byKey[key])
		}
	}
	return found
}

// ByIndexIn returns those of one namespace.
func (l *Lookups) ByIndexIn(name, index, value, namespace string) []*object.Object {
	return slices.DeleteFunc(l.ByIndex(name, index, value),
		func(o *object.Object) bool { return o.Namespace() != namespace })
}

// isPlural reports whether a resource's name can be that of the kind, both in lower case.
func isPlural(name, kind string) bool {
	y, endsInY := strings.CutSuffix(kind, "y")
	return name == kind || name == kind+"s" || name == kind+"es" || endsInY && name == y+"ies"
}
