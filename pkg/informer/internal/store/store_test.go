package informer

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func named(objects []*object.Object) []string {
	var names []string
	for _, o := range objects {
		names = append(names, o.Name()+"@"+o.ResourceVersion())
	}
	slices.Sort(names)
	return names
}

func withSpec(name string, version int, spec string) *object.Object {
	o, err := (&object.Parser{}).Parse([]byte(podText(name, "u"+name, version, `,"spec":`+spec)))
	if err != nil {
		panic(err)
	}
	return o
}

func TestIndexes(t *testing.T) {
	s := newIndexer()
	s.put(withSpec("a", 1, `{"node":"n1","groups":["x","y"]}`))
	err := s.addIndexes(map[string]IndexFunc{
		"node":   IndexByPath(object.MustCompilePath("spec.node")),
		"groups": IndexByPath(object.MustCompilePath("spec.groups")),
		"broken": func(*object.Object) []string { panic("no") },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.put(withSpec("b", 2, `{"node":"n1","groups":["y"]}`))
	s.put(withSpec("c", 3, `{"groups":null}`))
	find := func(index, value string) []string {
		t.Helper()
		found, err := s.byIndex(index, value)
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

	s.put(withSpec("a", 4, `{"node":"n2","groups":["y"]}`))
	expect(t, find("node", "n1"), "b@2")
	expect(t, find("node", "n2"), "a@4")
	expect(t, find("groups", "x"))
	expect(t, find("groups", "y"), "a@4", "b@2")

	s.remove(event.Key{Namespace: "shop", Name: "b"})
	s.remove(event.Key{Namespace: "shop", Name: "b"})
	s.remove(event.Key{Namespace: "shop", Name: "none"})
	values, err := s.indexValues("node")
	if err != nil || !slices.Equal(values, []string{"n2"}) {
		t.Errorf("an empty bucket is left: %v, %v", values, err)
	}
	if n, bytes, _ := s.size(); n != 2 ||
		bytes != int64(s.get(event.Key{Namespace: "shop", Name: "a"}).Size()+
			s.get(event.Key{Namespace: "shop", Name: "c"}).Size()) {
		t.Errorf("%d objects, %d bytes", n, bytes)
	}
}

func TestIndexErrors(t *testing.T) {
	s := newIndexer()
	if _, err := s.byIndex("node", "x"); !errors.Is(err, ErrNoIndex) ||
		err.Error() != `index "node": there is no such index; there are ["namespace"]` {
		t.Error(err)
	}
	if _, err := s.indexValues("node"); !errors.Is(err, ErrNoIndex) {
		t.Error(err)
	}
	err := s.addIndexes(map[string]IndexFunc{NamespaceIndex: nil, "other": nil})
	if !errors.Is(err, ErrIndexExists) || !strings.Contains(err.Error(), `"namespace"`) {
		t.Error(err)
	}
	if _, err := s.indexValues("other"); err == nil {
		t.Error("an index was added beside one that was refused")
	}
}
