package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

// TestACursorPassesAllThatStays: whatever comes and goes between two steps, what is there from
// beginning to end is passed once.
func TestACursorPassesAllThatStays(t *testing.T) {
	for _, batch := range []int{1, 2, 7, 1000} {
		s := New()
		put := func(namespace, name string) {
			text := fmt.Sprintf(
				`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q,"namespace":%q,"resourceVersion":"1"}}`, name, namespace)
			o, err := (&object.Parser{}).Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			s.Put(o)
		}
		var want, got []string
		for i := range 300 {
			put(fmt.Sprint("n", i%3), fmt.Sprint("stays", i))
			want = append(want, fmt.Sprint("stays", i))
		}
		put("gone", "one")
		at := s.Begin()
		for step := 0; !at.Ended(); step++ {
			s.Look(&at, batch, func(o *object.Object) bool {
				if strings.HasPrefix(o.Name(), "stays") {
					got = append(got, o.Name())
				}
				return len(got)%5 != 0
			})
			put(fmt.Sprint("n", step%3), fmt.Sprint("new", step))
			s.Remove(object.Key{Namespace: fmt.Sprint("n", step%4),
				Name: fmt.Sprint("new", step-1)})
			s.Remove(object.Key{Namespace: "gone", Name: "one"})
			if step > 10_000 {
				t.Fatal("it does not end")
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("in steps of %d: %d objects of %d, such as %v", batch, len(got), len(want),
				got[:min(len(got), 20)])
		}
	}
}
