package diff

import (
	"fmt"
	"slices"
	"testing"

	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// is returns an object with a label, which scopes look at.
func is(name string, version int, app string) *object.Object {
	return informertest.Labelled("shop", name, name, version, fmt.Sprintf(`"app":%q`, app))
}

func holding(objects ...*object.Object) *store.Store {
	s := store.New()
	for _, o := range objects {
		s.Put(o)
	}
	return s
}

func within(app string) func(*object.Object) bool {
	return func(o *object.Object) bool { return app == "" || o.Labels()["app"] == app }
}

// A comparison waits as long as the new informer may be behind the old one, and no longer.
func TestSettled(t *testing.T) {
	for name, tt := range map[string]struct {
		old     []*object.Object
		deleted *object.Object
		missed  bool
		begun   uint64
		fresh   bool
		now     []*object.Object
		app     string
		applied uint64
		want    bool
	}{
		"the same": {
			old: []*object.Object{is("a", 5, "x")}, now: []*object.Object{is("a", 5, "x")},
			want: true},
		"the new one is behind": {
			old: []*object.Object{is("a", 5, "x")}, now: []*object.Object{is("a", 4, "x")}},
		"the new one is ahead": {
			old: []*object.Object{is("a", 5, "x")}, now: []*object.Object{is("a", 6, "x")},
			want: true},
		"created, not seen yet": {old: []*object.Object{is("a", 5, "x")}, applied: 4},
		"deleted, not seen yet": {old: []*object.Object{is("a", 5, "x")}, applied: 6, want: true},
		"outside of the scope":  {old: []*object.Object{is("a", 5, "x")}, app: "y", want: true},
		"deleted, still there": {
			deleted: is("a", 5, "x"), now: []*object.Object{is("a", 4, "x")}, applied: 4},
		"deleted, and came back": {
			deleted: is("a", 5, "x"), now: []*object.Object{is("a", 6, "x")}, want: true},
		"moved with that version": {
			deleted: is("a", 5, "x"), now: []*object.Object{is("a", 5, "y")}, want: true},
		"missed, still there": {
			deleted: is("a", 5, "x"), missed: true, now: []*object.Object{is("a", 5, "x")}},
		"deleted, not created": {deleted: is("a", 5, "x"), applied: 3},
		"deleted, both seen":   {deleted: is("a", 5, "x"), applied: 5, want: true},
		"deleted elsewhere":    {deleted: is("a", 5, "x"), app: "y", applied: 3, want: true},
		"an old list":          {begun: 9, fresh: true, applied: 8},
		"a list that is new":   {begun: 9, fresh: true, applied: 9, want: true},
		"ended before":         {begun: 9, now: []*object.Object{is("a", 5, "x")}, applied: 8},
		"new in the scope": {
			begun: 9, now: []*object.Object{is("a", 10, "x")}, applied: 8, want: true},
	} {
		deletes := &Deletes{Expected: within(tt.app)}
		if tt.deleted != nil {
			deletes.Add(tt.deleted, tt.missed)
		}
		c := Compare([]Old{{Store: holding(tt.old...), Within: within(""), Begun: tt.begun,
			Deletes: deletes}}, []New{{Store: holding(tt.now...), Within: within(tt.app),
			Applied: tt.applied, Fresh: tt.fresh}})
		if got := c.Settled(); got != tt.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Each names every object that is not the same on both sides once, with both its states.
func TestEach(t *testing.T) {
	c := Compare([]Old{{Store: holding(is("a", 1, ""), is("b", 2, "")), Deletes: &Deletes{},
		Within: within("")}, {Store: holding(is("c", 3, "")), Deletes: &Deletes{},
		Within: within("")}},
		[]New{{Store: holding(is("b", 4, "")), Within: within("y")}, {
			Store:     holding(is("c", 3, ""), is("d", 5, "")),
			Namespace: "shop", Applied: 5, Within: within("y")}})
	if !c.Settled() {
		t.Error("not settled")
	}
	var got []string
	c.Each(func(from int, was *object.Object, to int, is *object.Object) {
		s := fmt.Sprint(from, to)
		for _, o := range []*object.Object{was, is} {
			if o != nil {
				s += " " + o.Name() + "@" + o.ResourceVersion()
			}
		}
		got = append(got, s)
	})
	slices.Sort(got)
	informertest.Expect(t, got, "0 0 a@1", "0 0 b@2 b@4", "0 1 d@5")
}

// What has left the scope is not reported from before, and what comes after that is.
func TestFloors(t *testing.T) {
	deletes := &Deletes{Expected: within("y")}
	deletes.Add(is("gone", 7, "x"), false)
	compare := func(applied uint64, minVersions *MinVersions) *MinVersions {
		c := Compare([]Old{{Store: holding(is("left", 5, "x")), Deletes: deletes,
			MinVersions: minVersions}},
			[]New{{Store: holding(), Within: within("y"), Applied: applied}})
		if !c.Settled() {
			t.Error("not settled")
		}
		return c.MinVersions()
	}
	if f := compare(7, nil); f != nil || !f.Above(is("left", 1, "y"), false) {
		t.Errorf("everything was seen, but there are %v", f)
	}
	f := compare(3, nil)
	for _, tt := range []struct {
		o           *object.Object
		gone, above bool
	}{
		{is("left", 4, "y"), false, false}, {is("left", 5, "x"), true, false},
		{is("left", 6, "y"), false, true}, {is("left", 8, "y"), true, true},
		{is("gone", 6, "y"), false, false}, {is("gone", 7, "x"), true, false},
		{is("gone", 7, "y"), false, true}, {is("other", 1, "y"), false, true},
	} {
		if got := f.Above(tt.o, tt.gone); got != tt.above {
			t.Errorf("%s@%s, gone %t: %t", tt.o.Name(), tt.o.ResourceVersion(), tt.gone, got)
		}
	}
	if f.Passed(is("other", 7, "y")) || !f.Passed(is("other", 8, "y")) {
		t.Error("passed too soon or too late")
	}
	deletes.Age()
	deletes.Age()
	if f := compare(3, f); f == nil || f.Above(is("gone", 6, "y"), false) {
		t.Error("minVersions do not go on to the next one")
	}
}
