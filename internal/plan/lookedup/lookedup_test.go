package lookedup

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/informer"
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
	all, some := NewIn("", nil), NewIn("the namespaces shop", nil)
	f.Add("all", all)
	f.Add("some", some)
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

// An index finds what a look at each object finds, once for each, and an informer that is kept is
// read once.
func TestIndexesAndWhatIsKept(t *testing.T) {
	twice := func(o *object.Object) []string { return []string{o.Name(), "all", o.Name()} }
	reads := 0
	read := func() (*In, error) {
		reads++
		in := NewIn("", map[string]informer.IndexFunc{"twice": twice})
		for _, name := range []string{"a", "b"} {
			in.Add(named(t, "shop", name))
			in.Add(named(t, "pay", name))
		}
		in.Add(named(t, "shop", "a")) // again
		return in, nil
	}
	var kept Kept
	inf := &config.Informer{}
	for range 2 {
		in, err := kept.Of(inf, read)
		if err != nil {
			t.Fatal(err)
		}
		f := New()
		f.Add("pods", in)
		for _, c := range []struct {
			index, value, namespace string
			want                    int
		}{{"twice", "a", "", 2}, {"twice", "all", "", 4}, {"twice", "c", "", 0}, {"twice", "a", "pay", 1},
			{"namespace", "shop", "", 2}, {"none", "a", "", 0}} {
			found := f.ByIndex("pods", c.index, c.value)
			if c.namespace != "" {
				found = f.ByIndexIn("pods", c.index, c.value, c.namespace)
			}
			if len(found) != c.want {
				t.Errorf("%+v: %d", c, len(found))
			}
		}
		if len(f.ByIndex("other", "twice", "a")) != 0 || !f.Missing["other"] {
			t.Error("an informer that is not known has objects, or is not missing")
		}
	}
	_, err := kept.Of(&config.Informer{}, func() (*In, error) { return nil, errors.New("no") })
	if err == nil || reads != 1 {
		t.Errorf("%v, %d reads", err, reads)
	}
	if in, err := (*Kept)(nil).Of(inf, read); err != nil || in == nil || reads != 2 {
		t.Errorf("nothing is to be kept: %v, %d reads", err, reads)
	}
}
