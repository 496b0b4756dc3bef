package informer

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

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
		fresh := store.New()
		if err := fresh.AddIndexes(map[string]IndexFunc{"node": IndexByPath(node)}); err != nil {
			t.Fatal(err)
		}
		for _, o := range reg.shared.informer.store.List() {
			fresh.Put(o)
		}
		for _, value := range []string{"n1", "n2", "n3", "n4"} {
			got, err := reg.Lister().ByIndex("node", value)
			if err != nil {
				t.Fatal(err)
			}
			want, err := fresh.ByIndex("node", value)
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
			t.Errorf("an index was added with one that was refused: %v", err)
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
	sub, err := NewSubscription(SubscriptionConfig{})
	if err != nil {
		t.Fatal(err)
	}
	reg, err := f.Subscribe(pods, Scope{}, Shape{}, sub)
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

// Item 100: what a lister returns for a namespace and a selector.
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
				`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":%q,"resourceVersion":"107"%s}}}`, name, namespace, label))
		}
		synctest.Wait()
		for _, c := range []struct {
			namespace, selector string
			want                []string
		}{
			{"", "", []string{"a@107", "b@107", "c@107", "d@107"}},
			{"shop", "", []string{"a@107", "b@107"}},
			{"nowhere", "", nil},
			{"", "app=web", []string{"a@107", "c@107"}},
			{"bank", "app in (web, db)", []string{"c@107"}},
			{"", "!app", []string{"d@107"}},
			{"shop", "app!=web", []string{"b@107"}},
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

// Item 100: what is not there is an error as client-go's.
func TestListerGetOfNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		_, reg, _ := w.subscribe(SubscriptionConfig{})
		_, err := reg.Lister().Get("shop", "a")
		if !apierrors.IsNotFound(err) || err.Error() != `pods "a" not found` {
			t.Error(err)
		}
	})
}
