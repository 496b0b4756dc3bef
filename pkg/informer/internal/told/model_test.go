package told

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/internal/informertest"
	"github.com/informerd/informerd/pkg/informer/object"
)

// history is what truly happened to one object for one listener: its states, and which of its
// events were offered, merged and done. It knows nothing of sets.
type history struct {
	stored  int      // the version that is stored, 0 if none
	waiting []change // in order; those that are merged are away
	before  int      // what the listener knows while something waits
}

// change is an event that was offered.
type change struct {
	number uint64
	to     int // 0: a delete
	resync bool
}

// TestSetModel: whatever is offered, merged and done in whatever order of objects, what a set lists
// is what the listener does not know as it is stored, and all cuts together are what it lists.
func TestSetModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets := []*Set{New(), New()} // all moves from one to the other now and then
		objects := map[string]*history{"a": {}, "b": {}, "c": {}}
		committed := map[string]int{} // what someone has who applies all cuts, 0 if unknown state
		known := map[string]bool{}
		at, version, number := 0, 0, uint64(0)
		name := rapid.SampledFrom([]string{"a", "b", "c"})
		stateOf := func(name string, version int) *object.Object {
			if version == 0 {
				return nil
			}
			return informertest.Object(name, "1", version)
		}
		key := func(name string) object.Key { return object.Key{Namespace: "shop", Name: name} }
		apply := func(entries []Entry) {
			for _, e := range entries {
				if known[e.Key.Name] = !e.Ended; e.Ended {
					delete(known, e.Key.Name)
					delete(committed, e.Key.Name)
					continue
				}
				committed[e.Key.Name] = versionOf(e.State)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"offer": func(t *rapid.T) {
				name := name.Draw(t, "name")
				h := objects[name]
				was := h.stored
				if version++; was == 0 || rapid.Bool().Draw(t, "change") {
					h.stored = version
				} else {
					h.stored = 0
				}
				if len(h.waiting) == 0 {
					h.before = was
				}
				number++
				h.waiting = append(h.waiting, change{number: number, to: h.stored})
				sets[at].Offered(key(name), stateOf(name, was), number)
			},
			"refuse": func(t *rapid.T) { // neither is the set asked, nor does the listener learn
				h := objects[name.Draw(t, "name")]
				if len(h.waiting) == 0 {
					version++
					h.stored = version
				}
			},
			"repeat": func(t *rapid.T) {
				name := name.Draw(t, "name")
				h := objects[name]
				if h.stored == 0 {
					return
				}
				number++
				if len(h.waiting) > 0 {
					h.waiting = append(h.waiting, change{number: number, to: h.stored,
						resync: true})
				}
				sets[at].Repeated(key(name), number)
			},
			"merge": func(t *rapid.T) {
				h := objects[name.Draw(t, "name")]
				if n := len(h.waiting); n > 1 {
					i := rapid.IntRange(0, n-2).Draw(t, "which")
					h.waiting = slices.Delete(h.waiting, i, i+1)
				}
			},
			"done": func(t *rapid.T) {
				name := name.Draw(t, "name")
				h := objects[name]
				if len(h.waiting) == 0 {
					sets[at].Done(key(name), stateOf(name, h.stored), 0) // a resync's
					return
				}
				done := h.waiting[0]
				h.waiting, h.before = h.waiting[1:], done.to
				sets[at].Done(key(name), stateOf(name, done.to), done.number)
			},
			"cut": func(*rapid.T) { apply(sets[at].Cut()) },
			"whole": func(*rapid.T) {
				clear(committed)
				clear(known)
				apply(sets[at].Whole())
			},
			"move": func(*rapid.T) {
				sets[at].MoveTo(func(object.Key) *Set { return sets[1-at] })
				at = 1 - at
				clear(committed)
				clear(known)
				apply(sets[at].Whole())
			},
			"": func(t *rapid.T) {
				var want []string
				for name, h := range objects {
					if len(h.waiting) > 0 {
						want = append(want, line(name, h.before))
					}
				}
				slices.Sort(want)
				if got := listed(sets[at]); !slices.Equal(got, want) {
					t.Fatalf("listed are %q, want %q", got, want)
				}
			},
		})
		apply(sets[at].Cut())
		var together []string
		for name := range known {
			together = append(together, line(name, committed[name]))
		}
		slices.Sort(together)
		if got := listed(sets[at]); !slices.Equal(got, together) {
			t.Fatalf("listed are %q, the cuts have %q", got, together)
		}
	})
}

func line(name string, version int) string {
	if version == 0 {
		return name + " -"
	}
	return fmt.Sprint(name, " ", version)
}

func versionOf(o *object.Object) (version int) {
	if o != nil {
		_, _ = fmt.Sscan(o.ResourceVersion(), &version)
	}
	return version
}
