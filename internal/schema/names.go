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
		return Name{e.group, e.resource, e.kind}, true
	}
	return Name{}, false
}

// FindKind returns the names of the resource whose objects have the kind.
func (s *Set) FindKind(apiVersion, kind string) (Name, bool) {
	group := GroupOf(apiVersion)
	for i := range s.entries {
		if e := &s.entries[i]; e.group == group && e.kind == kind {
			return Name{e.group, e.resource, e.kind}, true
		}
	}
	return Name{}, false
}

// Kinds returns the kinds of a group, each once.
func (s *Set) Kinds(group string) (kinds []string) {
	for _, e := range s.entries {
		if e.group == group && !slices.Contains(kinds, e.kind) {
			kinds = append(kinds, e.kind)
		}
	}
	return kinds
}

// APIVersions returns the versions of a kind as objects have them, such as apps/v1, best first.
func (s *Set) APIVersions(group, kind string) (versions []string) {
	for _, e := range s.entries {
		if e.group == group && e.kind == kind {
			versions = append(versions, e.groupVersion())
		}
	}
	return versions
}

// Groups returns the groups of all resources, in no order and maybe several times.
func (s *Set) Groups() []string {
	groups := make([]string, len(s.entries))
	for i, e := range s.entries {
		groups[i] = e.group
	}
	return groups
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
		name := e.resource
		if e.group != "" {
			name += "." + e.group
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
