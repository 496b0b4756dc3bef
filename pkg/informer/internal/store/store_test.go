package store

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

func TestIndexes(t *testing.T) {
	s := New()
	s.Put(withSpec("a", 1, `{"node":"n1","groups":["x","y"]}`))
	err := s.AddIndexes(map[string]indexFunc{
		"node":   IndexByPath(object.MustCompilePath("spec.node")),
		"groups": IndexByPath(object.MustCompilePath("spec.groups")),
		"broken": func(*object.Object) []string { panic("no") },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Put(withSpec("b", 2, `{"node":"n1","groups":["y"]}`))
	s.Put(withSpec("c", 3, `{"groups":null}`))
	find := func(index, value string) []string {
		t.Helper()
		found, err := s.ByIndex(index, value)
		if err != nil {
			t.Fatal(err)
		}
		return named(found)
	}
	expect(t, find("node", "n1"), "a@1", "b@2")
	expect(t, find("groups", "y"), "a@1", "b@2")
	expect(t, find("groups", "x"), "a@1")
	expect(t, find(NamespaceIndex, "shop"), "a@1", "b@2", "c@3")
	expect(t, find("broken", ""))

	s.Put(withSpec("a", 4, `{"node":"n2","groups":["y"]}`))
	expect(t, find("node", "n1"), "b@2")
	expect(t, find("node", "n2"), "a@4")
	expect(t, find("groups", "x"))
	expect(t, find("groups", "y"), "a@4", "b@2")

	s.Remove(object.Key{Namespace: "shop", Name: "b"})
	s.Remove(object.Key{Namespace: "shop", Name: "b"})
	s.Remove(object.Key{Namespace: "shop", Name: "none"})
	values, err := s.IndexValues("node")
	if err != nil || !slices.Equal(values, []string{"n2"}) {
		t.Errorf("an empty bucket is left: %v, %v", values, err)
	}
	if n, bytes, _ := s.Size(); n != 2 ||
		bytes != int64(s.Get(object.Key{Namespace: "shop", Name: "a"}).Size()+
			s.Get(object.Key{Namespace: "shop", Name: "c"}).Size()) {
		t.Errorf("%d objects, %d bytes", n, bytes)
	}
}

func TestIndexErrors(t *testing.T) {
	s := New()
	if _, err := s.ByIndex("node", "x"); !errors.Is(err, ErrNoIndex) ||
		err.Error() != `index "node": there is no such index; there are ["namespace"]` {
		t.Error(err)
	}
	if _, err := s.IndexValues("node"); !errors.Is(err, ErrNoIndex) {
		t.Error(err)
	}
	err := s.AddIndexes(map[string]indexFunc{NamespaceIndex: nil, "other": nil})
	if !errors.Is(err, ErrIndexExists) || !strings.Contains(err.Error(), `"namespace"`) {
		t.Error(err)
	}
	if _, err := s.IndexValues("other"); err == nil {
		t.Error("an index was added with one that was refused")
	}
}
