package informer

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/informerd/informerd/pkg/informer/event"
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
	s := newIndexer()
	s.put(parsed(t, `{"metadata":{"name":"a"}}`))
	s.put(parsed(t, `{"metadata":{"name":"a","namespace":"shop"}}`))
	for key, want := range map[event.Key]string{{Name: "a"}: "a", {
		Namespace: "shop", Name: "a"}: "shop/a"} {
		if o := s.get(key); o == nil || o.Key().String() != want {
			t.Errorf("%v: %v", key, o)
		}
	}
	if n, _, _ := s.size(); n != 2 {
		t.Errorf("%d objects", n)
	}
}

// Item 64: storing a known object replaces it, and removing an unknown one does nothing.
func TestStorePutAndRemove(t *testing.T) {
	s := newIndexer()
	s.put(obj("a", "1", 1))
	s.put(obj("a", "1", 2))
	s.remove(event.Key{Namespace: "shop", Name: "b"})
	s.remove(event.Key{Namespace: "other", Name: "a"})
	expect(t, named(s.list()), "a@2")
}

// Item 65: after a new list that adds, changes and removes, each index is as if it had been built
// from nothing.
func TestIndexesAfterANewList(t *testing.T) {
	inWorld(t, func(w *world) {
		node := object.MustCompilePath("spec.node")
		for _, name := range []string{"stays", "moves", "goes"} {
			w.server.apply(name, name, `,"spec":{"node":"n1"}`)
		}
		_, reg, _ := w.subscribe(SubscriptionConfig{})
		if err := reg.AddIndexes(map[string]IndexFunc{"node": IndexByPath(node)}); err != nil {
			t.Fatal(err)
		}
		w.server.apply("moves", "moves", `,"spec":{"node":"n2"}`, true)
		w.server.remove("goes", true)
		w.server.apply("comes", "comes", `,"spec":{"node":"n3"}`, true)
		w.server.raw(errorFrame(500, metav1.StatusReasonInternalError))
		time.Sleep(2 * backoffMin)
		synctest.Wait()
		fresh := newIndexer()
		if err := fresh.addIndexes(map[string]IndexFunc{"node": IndexByPath(node)}); err != nil {
			t.Fatal(err)
		}
		for _, o := range reg.shared.informer.store.list() {
			fresh.put(o)
		}
		for _, value := range []string{"n1", "n2", "n3", "n4"} {
			got, err := reg.Lister().ByIndex("node", value)
			if err != nil {
				t.Fatal(err)
			}
			want, err := fresh.byIndex("node", value)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, named(got), named(want)...)
		}
		values, err := reg.Lister().IndexValues("node")
		slices.Sort(values)
		if err != nil || !slices.Equal(values, []string{"n1", "n2", "n3"}) {
			t.Errorf("%q, %v", values, err)
		}
	})
}

// Item 66: a new state with the same index values leaves the index alone, which still finds the new
// state.
func TestAnIndexWhoseValuesStayIsLeftAlone(t *testing.T) {
	s := newIndexer()
	if err := s.addIndexes(map[string]IndexFunc{
		"node": IndexByPath(object.MustCompilePath("spec.node"))}); err != nil {
		t.Fatal(err)
	}
	bucket := func(value string) uintptr {
		return reflect.ValueOf(s.indexes["node"].buckets[value]).Pointer()
	}
	s.put(withSpec("a", 1, `{"node":"n1"}`))
	before := bucket("n1")
	s.put(withSpec("a", 2, `{"node":"n1","x":1}`))
	if bucket("n1") != before {
		t.Error("the bucket was made anew")
	}
	found, err := s.byIndex("node", "n1")
	if err != nil {
		t.Fatal(err)
	}
	expect(t, named(found), "a@2")
}

// Item 67: an index function that panics leaves the object out of that index; everything else goes
// on.
func TestAnIndexFunctionThatPanics(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", "")
		w.server.apply("b", "2", "")
		r, reg, _ := w.subscribe(SubscriptionConfig{})
		err := reg.AddIndexes(map[string]IndexFunc{"odd": func(o *object.Object) []string {
			if o.Name() == "a" {
				panic("no value for " + o.Name())
			}
			return []string{"x"}
		}})
		if err != nil {
			t.Fatal(err)
		}
		r.take()
		w.server.apply("a", "1", "")
		w.server.apply("b", "2", "")
		expect(t, r.take(), "update a/1 103 was 101", "update b/2 104 was 102")
		found, err := reg.Lister().ByIndex("odd", "x")
		if err != nil {
			t.Fatal(err)
		}
		expect(t, named(found), "b@104")
		if _, err := reg.Lister().Get("shop", "a"); err != nil {
			t.Error(err)
		}
	})
}

// Item 69: an object stands under each value of a multi-value index, and once under each.
func TestAnObjectStandsOnceUnderEachValue(t *testing.T) {
	s := newIndexer()
	if err := s.addIndexes(map[string]IndexFunc{
		"group": IndexByPath(object.MustCompilePath("spec.groups"))}); err != nil {
		t.Fatal(err)
	}
	s.put(withSpec("a", 1, `{"groups":["x","y","x"]}`))
	for _, value := range []string{"x", "y"} {
		found, err := s.byIndex("group", value)
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", value, named(found), err)
		}
	}
	s.put(withSpec("a", 2, `{"groups":["y"]}`))
	if values, err := s.indexValues("group"); err != nil || !slices.Equal(values, []string{"y"}) {
		t.Errorf("%q, %v", values, err)
	}
}

// Item 71: indexes can be added while the informer runs and has objects: all of them, or none if a
// name is taken.
func TestAddIndexesToARunningInformer(t *testing.T) {
	inWorld(t, func(w *world) {
		w.server.apply("a", "1", `,"spec":{"node":"n1"}`)
		_, reg, _ := w.subscribe(SubscriptionConfig{})
		node := IndexByPath(object.MustCompilePath("spec.node"))
		if err := reg.AddIndexes(map[string]IndexFunc{"node": node}); err != nil {
			t.Fatal(err)
		}
		find := func(value string) []string {
			t.Helper()
			found, err := reg.Lister().ByIndex("node", value)
			if err != nil {
				t.Fatal(err)
			}
			return named(found)
		}
		expect(t, find("n1"), "a@101")
		w.server.apply("b", "2", `,"spec":{"node":"n1"}`)
		synctest.Wait()
		expect(t, find("n1"), "a@101", "b@102")

		err := reg.AddIndexes(map[string]IndexFunc{"node": node, "other": node})
		if !errors.Is(err, ErrIndexExists) ||
			err.Error() != `informer of pods: index "node": there is an index of this name already` {
			t.Error(err)
		}
		if _, err := reg.Lister().IndexValues("other"); !errors.Is(err, ErrNoIndex) {
			t.Errorf("an index was added beside one that was refused: %v", err)
		}
		reg.Remove()
		if err := reg.AddIndexes(map[string]IndexFunc{"late": node}); !errors.Is(err, ErrStopped) ||
			err.Error() != "informer of pods: stopped" {
			t.Errorf("after the informer's end: %v", err)
		}
	})
}

// Item 71: indexes can be added before the start, too.
func TestAddIndexesBeforeTheStart(t *testing.T) {
	f := NewFactory(newFakeServer(), nil)
	l, err := NewSubscription(SubscriptionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	reg, err := f.Subscribe(pods, Scope{}, Shape{}, l)
	if err != nil {
		t.Fatal(err)
	}
	if err := reg.AddIndexes(map[string]IndexFunc{
		"node": IndexByPath(object.MustCompilePath("spec.node"))}); err != nil {
		t.Error(err)
	}
	if values, err := reg.Lister().IndexValues("node"); err != nil || len(values) != 0 {
		t.Error(values, err)
	}
}

// Item 72: what is given is the stored object itself, and a snapshot stays as it was taken.
func TestASnapshotStaysAsItWasTaken(t *testing.T) {
	s := newIndexer()
	a := obj("a", "1", 1)
	s.put(a)
	s.put(obj("b", "2", 2))
	all := s.list()
	indexed, err := s.byIndex(NamespaceIndex, "shop")
	if err != nil {
		t.Fatal(err)
	}
	s.put(obj("a", "1", 3))
	s.remove(event.Key{Namespace: "shop", Name: "b"})
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
	s := newIndexer()
	if err := s.addIndexes(map[string]IndexFunc{
		"pair": IndexByPath(object.MustCompilePath("spec.pair"))}); err != nil {
		t.Fatal(err)
	}
	put := func(i int) {
		for _, name := range []string{"a", "b"} {
			s.put(withSpec(name, i, fmt.Sprintf(`{"pair":"%d"}`, i%3)))
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
				for _, o := range s.list() {
					versions[o.Name()] = o.ResourceVersion()
				}
				var a, b int
				_, err := fmt.Sscan(versions["a"]+" "+versions["b"], &a, &b)
				if err != nil || len(versions) != 2 || a != b && a != b+1 {
					t.Errorf("%v, %v", versions, err)
					return
				}
				if _, err := s.byIndex("pair", "1"); err != nil {
					t.Error(err)
				}
				if _, err := s.indexValues("pair"); err != nil {
					t.Error(err)
				}
				s.get(event.Key{Namespace: "shop", Name: "a"})
				s.each(func(*object.Object) {})
				s.size()
			}
		})
	}
	wg.Go(func() {
		for i := range 50 {
			if err := s.addIndexes(
				map[string]IndexFunc{fmt.Sprint("late", i): func(*object.Object) []string {
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

// Item 100: what a lister gives for a namespace and a selector.
func TestListerList(t *testing.T) {
	inWorld(t, func(w *world) {
		_, reg, _ := w.subscribe(SubscriptionConfig{})
		for key, app := range map[string]string{"shop/a": "web", "shop/b": "db", "bank/c": "web",
			"bank/d": ""} {
			namespace, name, _ := strings.Cut(key, "/")
			label := ""
			if app != "" {
				label = fmt.Sprintf(`,"labels":{"app":%q}`, app)
			}
			w.server.raw(fmt.Sprintf(
				`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":%q,"resourceVersion":"7"%s}}}`, name, namespace, label))
		}
		synctest.Wait()
		for _, c := range []struct {
			namespace, selector string
			want                []string
		}{
			{"", "", []string{"a@7", "b@7", "c@7", "d@7"}},
			{"shop", "", []string{"a@7", "b@7"}},
			{"nowhere", "", nil},
			{"", "app=web", []string{"a@7", "c@7"}},
			{"bank", "app in (web, db)", []string{"c@7"}},
			{"", "!app", []string{"d@7"}},
			{"shop", "app!=web", []string{"b@7"}},
		} {
			selector, err := labels.Parse(c.selector)
			if err != nil {
				t.Fatal(err)
			}
			got, err := reg.Lister().List(c.namespace, selector)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, named(got), c.want...)
		}
		if got, err := reg.Lister().List("", labels.Nothing()); err != nil || len(got) != 0 {
			t.Errorf("%v, %v", named(got), err)
		}
	})
}

// Item 100: what is not there is told as client-go does.
func TestListerGetOfNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		_, reg, _ := w.subscribe(SubscriptionConfig{})
		_, err := reg.Lister().Get("shop", "a")
		if !apierrors.IsNotFound(err) || err.Error() != `pods "a" not found` {
			t.Error(err)
		}
	})
}
