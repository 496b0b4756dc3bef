package schema

import (
	"maps"
	"slices"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
)

// FuzzParse checks that the schemas of any document have the properties that their users rely on.
func FuzzParse(f *testing.F) {
	for _, tt := range things {
		f.Add([]byte(documentOf(tt.thing, tt.components)))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		set, err := Parse(document)
		if err != nil {
			if set != nil {
				t.Fatal("got both a set and an error")
			}
			return
		}
		var roots []*filters.Schema
		for _, e := range set.entries {
			if s, ok := set.LookupGVR(e.Group, e.Version, e.Resource); !ok || s != e.Schema {
				t.Fatalf("%v is not found", e)
			}
			roots = append(roots, e.Schema)
		}
		set.Lookup("things.v1.example.test")
		for _, s := range reachable(roots) {
			checkSchema(t, s)
		}
	})
}

// checkSchema checks that only objects have fields, only arrays items, and that no part is missing.
func checkSchema(t *testing.T, s *filters.Schema) {
	if s.Type != "" && s.Type != "object" && s.Type != "array" &&
		!slices.Contains(scalars, s.Type) {
		t.Fatalf("unknown type %q", s.Type)
	}
	if s.Type != "object" && (s.Fields != nil || s.Values != nil || s.Type != "" && s.Open) ||
		s.Type != "array" && s.Items != nil {
		t.Fatalf("%q has parts of a different type", s.Type)
	}
	for name, field := range s.Fields {
		if field == nil {
			t.Fatalf("the field %q is nil", name)
		}
	}
}

// reachable returns the schemas reachable from the roots, the roots first, in an order that depends
// only on their content.
func reachable(roots []*filters.Schema) []*filters.Schema {
	var all []*filters.Schema
	seen := map[*filters.Schema]bool{nil: true}
	add := func(s *filters.Schema) {
		if !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	for _, root := range roots {
		add(root)
	}
	for i := 0; i < len(all); i++ {
		add(all[i].Items)
		add(all[i].Values)
		for _, name := range slices.Sorted(maps.Keys(all[i].Fields)) {
			add(all[i].Fields[name])
		}
	}
	return all
}
