package store

import (
	"fmt"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

// An index within namespaces finds the objects of one, however many others have the value.
func TestAnIndexWithinNamespaces(t *testing.T) {
	s := New()
	if err := s.AddIndexes(map[string]indexFunc{
		"app": WithinNamespace(
			IndexByPath(object.MustCompilePath("metadata.labels.app")))}); err != nil {
		t.Fatal(err)
	}
	p := object.Parser{APIVersion: "v1", Kind: "Pod"}
	for i := range 100 {
		o, err := p.Parse(fmt.Appendf(nil,
			`{"metadata":{"name":"web","namespace":"ns-%d","labels":{"app":"a/b"}}}`, i))
		if err != nil {
			t.Fatal(err)
		}
		s.Put(o)
	}
	for value, want := range map[string]int{"ns-7/a/b": 1, "ns-7/a": 0, "a/b": 0, "ns-100/a/b": 0} {
		if found, err := s.ByIndex("app", value); err != nil || len(found) != want {
			t.Errorf("%s: %d objects, %v", value, len(found), err)
		}
	}
}
