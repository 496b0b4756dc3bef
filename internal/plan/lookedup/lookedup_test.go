package lookedup

import (
	"fmt"
	"slices"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

func named(t *testing.T, namespace, name string) *object.Object {
	t.Helper()
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":%q,"name":%q}}`, namespace, name))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// What is looked for by name and is not there is noted once, with why that may be. Of an informer
// that is not known, nothing is.
func TestNothing(t *testing.T) {
	f := New()
	all, some := f.Add("all", "", nil), f.Add("some", "the namespaces shop", nil)
	all.Add(named(t, "shop", "a"))
	some.Add(named(t, "shop", "a"))
	some.Add(named(t, "shop", "b"))
	some.Outside(named(t, "pay", "c"), []string{"the informer watches only the namespaces shop"})
	for range 2 {
		for _, of := range []string{"all", "some", "none"} {
			f.Get(of, "shop", "a")
			f.Get(of, "shop", "x")
			f.Get(of, "pay", "c")
		}
	}
	want := []string{
		`the informer all has no object "shop/x": it has 1 object.`,
		`the informer all has no object "pay/c": it has 1 object.`,
		`the informer some has no object "shop/x": it has 2 objects, and watches only the namespaces shop.`,
		`the informer some has no object "pay/c": it does not watch that object: the informer watches only the namespaces shop.`,
	}
	if got := f.Nothing(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	for i := range 100 {
		f.Get("all", "", fmt.Sprint("n", i))
	}
	if len(f.Nothing()) != maxNothing || !f.Missing["none"] || len(f.Missing) != 1 {
		t.Errorf("%q, missing %v", f.Nothing(), f.Missing)
	}
}
