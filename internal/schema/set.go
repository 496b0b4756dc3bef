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
	entries []entry // best first
}

// entry is one resource in one version.
type entry struct {
	group, version, resource, kind string
	shortNames                     []string
	schema                         *filters.Schema
}

func (e *entry) is(group, version, resource string) bool {
	return e.group == group && e.version == version && e.resource == resource
}

func (e *entry) groupVersion() string { return strings.TrimPrefix(e.group+"/"+e.version, "/") }

// Add adds the schemas of the other set.
func (s *Set) Add(other *Set) {
	if other == nil {
		return
	}
	for _, e := range other.entries {
		if i := slices.IndexFunc(s.entries, func(own entry) bool {
			return own.is(e.group, e.version, e.resource)
		}); i >= 0 {
			if len(e.shortNames) == 0 {
				e.shortNames = s.entries[i].shortNames // a document has none
			}
			s.entries[i] = e
		} else {
			s.entries = append(s.entries, e)
		}
	}
	s.sort()
}

// AddShortNames sets the short names of a resource, which documents do not contain.
func (s *Set) AddShortNames(group, version, resource string, names ...string) {
	for i := range s.entries {
		if s.entries[i].is(group, version, resource) {
			// the old slice may be shared with another set
			s.entries[i].shortNames = slices.Clone(names)
		}
	}
}

// sort puts the core group first, the others in the order they were added, and within each group
// the most stable version first.
func (s *Set) sort() {
	rank := map[string]int{"": -1}
	for _, e := range s.entries {
		if _, known := rank[e.group]; !known {
			rank[e.group] = len(rank)
		}
	}
	slices.SortStableFunc(s.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(rank[a.group], rank[b.group]),
			version.CompareKubeAwareVersionStrings(b.version, a.version))
	})
}

// LookupGVR returns the schema of a resource by its exact name.
func (s *Set) LookupGVR(group, version, resource string) (*filters.Schema, bool) {
	for i := range s.entries {
		if s.entries[i].is(group, version, resource) {
			return s.entries[i].schema, true
		}
	}
	return nil, false
}

// Lookup returns the schema of a resource by a name: pods, Pod, deployments.apps,
// certificates.v1.cert-manager.io. A name means what it means for an API server that has only the
// resources of the set.
func (s *Set) Lookup(resource string) (*filters.Schema, bool) {
	if e := s.find(resource); e != nil {
		return e.schema, true
	}
	return nil, false
}

// Name returns the full name of a resource, such as deployments.v1.apps, for any of its names.
func (s *Set) Name(resource string) (name string, known bool) {
	e := s.find(resource)
	if e == nil {
		return "", false
	}
	return strings.TrimSuffix(e.resource+"."+e.version+"."+e.group, "."), true
}

func (s *Set) find(resource string) *entry {
	for _, q := range resourcename.Readings(resource) {
		for _, matches := range []func(*entry, string) bool{(*entry).isPlural, (*entry).isKind,
			(*entry).isShortName} {
			for i := range s.entries {
				if e := &s.entries[i]; e.isIn(q) && matches(e, q.Resource) {
					return e
				}
			}
		}
	}
	return nil
}

func (e *entry) isPlural(name string) bool { return strings.EqualFold(e.resource, name) }

func (e *entry) isKind(name string) bool { return strings.EqualFold(e.kind, name) }

func (e *entry) isShortName(name string) bool {
	return slices.ContainsFunc(e.shortNames, func(short string) bool {
		return strings.EqualFold(short, name)
	})
}

func (e *entry) isIn(r resourcename.Reading) bool {
	return r.AnyGroup || e.group == r.Group && (r.Version == "" || e.version == r.Version)
}
