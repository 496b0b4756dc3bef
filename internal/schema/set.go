package schema

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/version"

	"github.com/informerd/informerd/internal/resourcename"
	"github.com/informerd/informerd/pkg/filters"
)

// Set finds the schemas of resources. The zero value is empty and ready for use. It may be read
// concurrently, but not while schemas are added. Its schemas are immutable and may be shared with
// other sets.
type Set struct {
	entries []Entry // best first
}

// Entry is one resource in one version.
type Entry struct {
	Group, Version, Resource, Kind string
	ShortNames                     []string
	Schema                         *filters.Schema
}

// NewSet returns a set of resources.
func NewSet(entries []Entry) *Set {
	s := &Set{slices.Clone(entries)}
	s.sort()
	return s
}

// Entries returns the resources, sorted.
func (s *Set) Entries() []Entry { return slices.Clone(s.entries) }

// sort puts the core group first, the others in the order they were added, and within each group
// the most stable version first.
func (s *Set) sort() {
	rank := map[string]int{"": -1}
	for _, e := range s.entries {
		if _, known := rank[e.Group]; !known {
			rank[e.Group] = len(rank)
		}
	}
	slices.SortStableFunc(s.entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(rank[a.Group], rank[b.Group]),
			version.CompareKubeAwareVersionStrings(b.Version, a.Version))
	})
}

// LookupGVR returns the schema of a resource by its exact name.
func (s *Set) LookupGVR(group, version, resource string) (*filters.Schema, bool) {
	for _, e := range s.entries {
		if e.Group == group && e.Version == version && e.Resource == resource {
			return e.Schema, true
		}
	}
	return nil, false
}

// Lookup returns the schema of a resource by a name: pods, Pod, deployments.apps,
// certificates.v1.cert-manager.io. A name means what it means for an API server that has only the
// resources of the set.
func (s *Set) Lookup(resource string) (*filters.Schema, bool) {
	if e := s.find(resource); e != nil {
		return e.Schema, true
	}
	return nil, false
}

// Name returns the full name of a resource, such as deployments.v1.apps, for any of its names.
func (s *Set) Name(resource string) (name string, known bool) {
	e := s.find(resource)
	if e == nil {
		return "", false
	}
	return strings.TrimSuffix(e.Resource+"."+e.Version+"."+e.Group, "."), true
}

func (s *Set) find(resource string) *Entry {
	for _, q := range resourcename.Readings(resource) {
		for _, matches := range []func(*Entry, string) bool{(*Entry).isPlural, (*Entry).isKind,
			(*Entry).isShortName} {
			for i := range s.entries {
				if e := &s.entries[i]; e.isIn(q) && matches(e, q.Resource) {
					return e
				}
			}
		}
	}
	return nil
}

func (e *Entry) isPlural(name string) bool { return strings.EqualFold(e.Resource, name) }

func (e *Entry) isKind(name string) bool { return strings.EqualFold(e.Kind, name) }

func (e *Entry) isShortName(name string) bool {
	return slices.ContainsFunc(e.ShortNames, func(short string) bool {
		return strings.EqualFold(short, name)
	})
}

func (e *Entry) isIn(r resourcename.Reading) bool {
	return r.AnyGroup || e.Group == r.Group && (r.Version == "" || e.Version == r.Version)
}
