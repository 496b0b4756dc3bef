package schema

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
)

// at follows a path such as spec.containers[].image or metadata.labels{}; it returns nil if nothing
// is known of it.
func at(s *filters.Schema, path string) *filters.Schema {
	for part := range strings.SplitSeq(strings.NewReplacer("[]", ".[]", "{}", ".{}").Replace(path),
		".") {
		if s == nil {
			return nil
		}
		switch part {
		case "":
		case "[]":
			s = s.Items
		case "{}":
			s = s.Values
		default:
			s = s.Fields[part]
		}
	}
	return s
}

// describe writes a schema as text: any, string, [integer], {a: string, …} with … if it is open,
// {*: string} for a map, string|a|b for an enum. A reference to an enclosing schema is ^.
func describe(s *filters.Schema) string {
	var within []*filters.Schema
	var write func(s *filters.Schema) string
	write = func(s *filters.Schema) string {
		if slices.Contains(within, s) {
			return "^"
		}
		within = append(within, s)
		defer func() { within = within[:len(within)-1] }()
		switch {
		case s.Type == "" && s.Open:
			return "any"
		case s.Type == "":
			return "any scalar"
		case s.Type == "array" && s.Items == nil:
			return "[]"
		case s.Type == "array":
			return "[" + write(s.Items) + "]"
		case s.Type != "object":
			return strings.Join(append([]string{s.Type}, s.Enum...), "|")
		}
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(s.Fields)) {
			parts = append(parts, name+": "+write(s.Fields[name]))
		}
		if s.Values != nil {
			parts = append(parts, "*: "+write(s.Values))
		}
		if s.Open {
			parts = append(parts, "…")
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	if s == nil {
		return "none"
	}
	return write(s)
}

func parse(t *testing.T, document string) *Set {
	t.Helper()
	set, err := Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// documentOf returns a document with the resource things, whose kind is the component Thing, and
// more components.
func documentOf(thing, components string) string {
	if components != "" {
		components = ", " + components
	}
	return fmt.Sprintf(`{"openapi": "3.0.0",
		"paths": {"/apis/example.test/v1/things": {"get": {"x-kubernetes-group-version-kind":
			{"group": "example.test", "version": "v1", "kind": "Thing"}}}},
		"components": {"schemas": {"Thing": {
			"x-kubernetes-group-version-kind": [{"group": "example.test", "version": "v1", "kind": "Thing"}], %s}%s}}}`,
		thing, components)
}
