package route

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// lateCache is another informer, which learns of an object at a time.
type lateCache struct {
	filters.Caches
	object *object.Object
	comes  time.Time
}

func (c *lateCache) Get(string, string, string) *object.Object {
	if time.Now().Before(c.comes) {
		return nil
	}
	return c.object
}

// What a filter looks up, and what was made with it, may come a little later than the event: it is
// not decided before a second has passed since that arrived. Others do not wait, nor do deletes,
// lists, and events for which everything is there.
func TestALookUpWaitsForTheOtherInformer(t *testing.T) {
	for name, c := range map[string]struct {
		comes   time.Duration // of what is looked up; 0: it is there
		arrived time.Duration // ago; negative: it is of a list
		want    bool
		after   time.Duration
	}{
		"it is there":          {0, 0, true, 0},
		"it comes at once":     {50 * time.Millisecond, 0, true, time.Second},
		"it comes late":        {2 * time.Second, 0, false, time.Second},
		"the event has waited": {50 * time.Millisecond, 900 * time.Millisecond, true, 100 * time.Millisecond},
		"the event is old":     {50 * time.Millisecond, time.Minute, false, 0},
		"a list":               {50 * time.Millisecond, -1, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFed(t, 1, Buffer{Capacity: 10})
				var err error
				f.Filter, err = filters.Compile(filters.Expression{Kind: filters.KindFilter,
					Text:      `object.metadata.name != "a" || cached("nodes", "", "n") != nil`,
					Informers: map[string][]string{"nodes": nil}})
				if err != nil {
					t.Fatal(err)
				}
				node, err := (&object.Parser{}).Parse([]byte(`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}`))
				if err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				f.Caches = &lateCache{object: node, comes: begun.Add(c.comes)}
				f.start(t)
				if c.arrived >= 0 {
					f.arrived = event.Now() - event.Instant(c.arrived)
				}
				f.change(t, 1, "Pending", "a", "b")
				synctest.Wait()
				for c.after > 0 && len(f.got(0)) < 2 && time.Since(begun) < 3*time.Second {
					if f.expect(t, 0, "b@1"); time.Since(begun) > c.after+50*time.Millisecond && c.want {
						t.Fatal("a does not come")
					}
					time.Sleep(10 * time.Millisecond)
				}
				if c.want {
					if took := time.Since(begun); took > c.after+20*time.Millisecond {
						t.Errorf("a came after %v, want %v", took, c.after)
					}
					f.expect(t, 0, "a@1", "b@1")
				} else {
					f.expect(t, 0, "b@1")
				}
				s := f.Stats()
				if n := s.Events[event.Add]; n != 2 || s.Matched+s.Filtered != 2 || s.FilterErrors != 0 ||
					s.Retried != 0 {
					t.Errorf("%+v", s)
				}
				f.finish(t)
			})
		})
	}
}
