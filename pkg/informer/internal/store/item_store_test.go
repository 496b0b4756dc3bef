package store

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

func parsed(t *testing.T, text string) *object.Object {
	t.Helper()
	o, err := (&object.Parser{APIVersion: "v1", Kind: "Pod"}).Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Item 63: the key is namespace and name, or the name alone; both kinds can stand side by side.
func TestStoreKeys(t *testing.T) {
	s := New()
	s.Put(parsed(t, `{"metadata":{"name":"a"}}`))
	s.Put(parsed(t, `{"metadata":{"name":"a","namespace":"shop"}}`))
	for key, want := range map[object.Key]string{{Name: "a"}: "a", {
		Namespace: "shop", Name: "a"}: "shop/a"} {
		if o := s.Get(key); o == nil || o.Key().String() != want {
			t.Errorf("%v: %v", key, o)
		}
	}
	if n, _, _ := s.Size(); n != 2 {
		t.Errorf("%d objects", n)
	}
}

// Item 64: storing a known object replaces it, and removing an unknown one does nothing.
func TestStorePutAndRemove(t *testing.T) {
	s := New()
	s.Put(obj("a", "1", 1))
	s.Put(obj("a", "1", 2))
	s.Remove(object.Key{Namespace: "shop", Name: "b"})
	s.Remove(object.Key{Namespace: "other", Name: "a"})
	expect(t, named(s.List()), "a@2")
}

// Item 66: a new state with the same index values leaves the index alone, which still finds the new
// state.
func TestAnIndexWhoseValuesStayIsLeftAlone(t *testing.T) {
	s := New()
	if err := s.AddIndexes(map[string]indexFunc{
		"node": IndexByPath(object.MustCompilePath("spec.node"))}); err != nil {
		t.Fatal(err)
	}
	bucket := func(value string) uintptr {
		return reflect.ValueOf(s.indexes["node"].buckets[value]).Pointer()
	}
	s.Put(withSpec("a", 1, `{"node":"n1"}`))
	before := bucket("n1")
	s.Put(withSpec("a", 2, `{"node":"n1","x":1}`))
	if bucket("n1") != before {
		t.Error("the bucket was made again")
	}
	found, err := s.ByIndex("node", "n1")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, named(found), "a@2")
}

// Item 69: an object is found under each value of a multi-value index, and once under each.
func TestAnObjectStandsOnceUnderEachValue(t *testing.T) {
	s := New()
	if err := s.AddIndexes(map[string]indexFunc{
		"group": IndexByPath(object.MustCompilePath("spec.groups"))}); err != nil {
		t.Fatal(err)
	}
	s.Put(withSpec("a", 1, `{"groups":["x","y","x"]}`))
	for _, value := range []string{"x", "y"} {
		found, err := s.ByIndex("group", value)
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", value, named(found), err)
		}
	}
	s.Put(withSpec("a", 2, `{"groups":["y"]}`))
	if values, err := s.IndexValues("group"); err != nil || !slices.Equal(values, []string{"y"}) {
		t.Errorf("%q, %v", values, err)
	}
}

// Item 72: what is given is the stored object itself, and a snapshot stays as it was taken.
func TestASnapshotStaysAsItWasTaken(t *testing.T) {
	s := New()
	a := obj("a", "1", 1)
	s.Put(a)
	s.Put(obj("b", "2", 2))
	all := s.List()
	indexed, err := s.ByIndex(NamespaceIndex, "shop")
	if err != nil {
		t.Fatal(err)
	}
	s.Put(obj("a", "1", 3))
	s.Remove(object.Key{Namespace: "shop", Name: "b"})
	expect(t, named(all), "a@1", "b@2")
	expect(t, named(indexed), "a@1", "b@2")
	if !slices.Contains(all, a) || !slices.Contains(indexed, a) {
		t.Error("the object was copied")
	}
}

// Items 72 and 73: everything of the store can be used while it is being written, and each snapshot
// is of one moment: the writer changes a and then b, so that a reader never finds b ahead, nor a
// ahead by more than one.
func TestReadersSeeOneMoment(t *testing.T) {
	s := New()
	if err := s.AddIndexes(map[string]indexFunc{
		"pair": IndexByPath(object.MustCompilePath("spec.pair"))}); err != nil {
		t.Fatal(err)
	}
	put := func(i int) {
		for _, name := range []string{"a", "b"} {
			s.Put(withSpec(name, i, fmt.Sprintf(`{"pair":"%d"}`, i%3)))
		}
	}
	put(0)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				versions := map[string]string{}
				for _, o := range s.List() {
					versions[o.Name()] = o.ResourceVersion()
				}
				var a, b int
				_, err := fmt.Sscan(versions["a"]+" "+versions["b"], &a, &b)
				if err != nil || len(versions) != 2 || a != b && a != b+1 {
					t.Errorf("%v, %v", versions, err)
					return
				}
				if _, err := s.ByIndex("pair", "1"); err != nil {
					t.Error(err)
				}
				if _, err := s.IndexValues("pair"); err != nil {
					t.Error(err)
				}
				s.Get(object.Key{Namespace: "shop", Name: "a"})
				s.Snapshot().Each(func(*object.Object) {})
				s.Size()
			}
		})
	}
	wg.Go(func() {
		for i := range 50 {
			if err := s.AddIndexes(
				map[string]indexFunc{fmt.Sprint("late", i): func(*object.Object) []string {
					return nil
				}}); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range 2000 {
		put(i + 1)
	}
	close(done)
	wg.Wait()
}
