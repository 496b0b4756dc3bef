package schema

import (
	"slices"
	"strings"
)

// Name is the name of a resource and the kind of its objects.
type Name struct{ Group, Resource, Kind string }

// Find returns the names of a resource, which may be written in any way that Lookup accepts.
func (s *Set) Find(resource string) (Name, bool) {
	if e := s.find(resource); e != nil {
		return Name{e.Group, e.Resource, e.Kind}, true
	}
	return Name{}, false
}

// FindKind returns the names of the resource whose objects have the kind.
func (s *Set) FindKind(apiVersion, kind string) (Name, bool) {
	group := GroupOf(apiVersion)
	for i := range s.entries {
		if e := &s.entries[i]; e.Group == group && e.Kind == kind {
			return Name{e.Group, e.Resource, e.Kind}, true
		}
	}
	return Name{}, false
}

// GroupOf returns the group of an apiVersion, "" for v1.
func GroupOf(apiVersion string) string {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}
	return group
}

// Resources returns the names of all resources, each once and sorted; names outside of the core
// group include the group.
func (s *Set) Resources() []string {
	var names []string
	for _, e := range s.entries {
		names = append(names, strings.TrimSuffix(e.Resource+"."+e.Group, "."))
	}
	slices.Sort(names)
	return slices.Compact(names)
}
