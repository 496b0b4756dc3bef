package unfinished

import (
	"fmt"
	"maps"
	"math"
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
	taken   uint64   // number of the last event that a worker has had
	merged  bool     // something that is not done was merged: nobody knows what that was
}

// change is an event that was offered.
type change struct {
	number uint64
	uid    string
	to     int // 0: a delete
	resync bool
}

// mayKnow returns the uids that the listener knows if the process is killed, and it has had the
// events up to a number.
func (h *history) mayKnow(uids map[int]string, number uint64) map[string]bool {
	may := map[string]bool{}
	if h.before > 0 {
		may[uids[h.before]] = true
	}
	for _, c := range h.waiting {
		if c.to > 0 && c.number <= number {
			may[c.uid] = true
		}
	}
	return may
}

// TestSetModel: whatever is offered, merged and done in whatever order of objects, what a set lists
// is what the listener does not know as it is stored, with every object that it may know, and all
// cuts together are what it lists. So is a set that is restored from the cuts.
func TestSetModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sets := []*Set{New(), New()} // all moves from one to the other now and then
		objects := map[string]*history{"a": {}, "b": {}, "c": {}}
		committed := map[object.Key]Entry{} // what someone has who applies all cuts
		uids := map[int]string{}            // of versions
		at, version, number := 0, 0, uint64(0)
		name := rapid.SampledFrom([]string{"a", "b", "c"})
		stateOf := func(name string, version int) *object.Object {
			if version == 0 {
				return nil
			}
			return informertest.Object(name, uids[version], version)
		}
		key := func(name string) object.Key { return object.Key{Namespace: "shop", Name: name} }
		apply := func(entries []Entry) {
			for _, e := range entries {
				if committed[e.Key] = e; e.Ended {
					delete(committed, e.Key)
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"offer": func(t *rapid.T) {
				name := name.Draw(t, "name")
				h := objects[name]
				was := h.stored
				version++
				switch uid := uids[was]; {
				case was == 0:
					h.stored, uids[version] = version, fmt.Sprint("u", version)
				case rapid.Bool().Draw(t, "change"):
					h.stored, uids[version] = version, uid
				default:
					h.stored = 0
				}
				if len(h.waiting) == 0 {
					h.before, h.merged = was, false
				}
				number++
				h.waiting = append(h.waiting, change{number: number, uid: uids[h.stored],
					to: h.stored})
				from := stateOf(name, was)
				sets[at].Offered(between(from, stateOf(name, h.stored)), from, number, This)
			},
			"refuse": func(t *rapid.T) { // neither is the set asked, nor does the listener learn
				h := objects[name.Draw(t, "name")]
				if len(h.waiting) == 0 {
					version++
					uids[version] = fmt.Sprint("u", version)
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
					h.waiting = append(h.waiting, change{number: number, uid: uids[h.stored],
						to: h.stored, resync: true})
				}
				sets[at].Repeated(key(name), number)
			},
			"merge": func(t *rapid.T) {
				h := objects[name.Draw(t, "name")]
				if n := len(h.waiting); n > 1 {
					i := rapid.IntRange(0, n-2).Draw(t, "which")
					if h.waiting[i].number <= h.taken {
						return // it is with a worker
					}
					h.waiting = slices.Delete(h.waiting, i, i+1)
					h.merged = true
				}
			},
			"take": func(t *rapid.T) {
				name := name.Draw(t, "name")
				if h := objects[name]; len(h.waiting) > 0 {
					h.taken = h.waiting[0].number
					sets[at].Taken(key(name), h.taken)
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
				apply(sets[at].Whole())
			},
			"move": func(*rapid.T) {
				sets[at].MoveTo(func(object.Key) *Set { return sets[1-at] })
				at = 1 - at
				clear(committed)
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
				checkKills(t, sets[at], objects, uids, math.MaxUint64)
			},
		})
		if rapid.Bool().Draw(t, "settle") {
			sets[at].Settle()
			checkKills(t, sets[at], objects, uids, 0)
		}
		apply(sets[at].Cut())
		restored := New()
		for _, e := range committed {
			restored.Restore(e, 1, false)
		}
		if got, want := whole(restored), whole(sets[at]); !slices.Equal(got, want) {
			t.Fatalf("the cuts have %q, want %q", got, want)
		}
	})
}

// checkKills wants a set to list all objects that the listener may know, and no other ones unless
// something was merged. number is up to which it may have had events, 0 for those that workers have
// had.
func checkKills(t *rapid.T, s *Set, objects map[string]*history, uids map[int]string,
	number uint64) {
	s.each(func(e Entry) {
		h := objects[e.Key.Name]
		may := h.mayKnow(uids, max(number, h.taken))
		lists := map[string]bool{}
		if e.State != nil {
			lists[e.State.UID()] = true
		}
		if e.Present {
			lists[uids[h.stored]] = true
		}
		for _, o := range e.Gone {
			lists[o.UID()] = true
		}
		for uid := range may {
			if !lists[uid] {
				t.Fatalf("%s may be known, and listed are %v", uid, lists)
			}
		}
		if !h.merged && !maps.Equal(may, lists) {
			t.Fatalf("%v may be known, and listed are %v", may, lists)
		}
	})
}

// whole returns all that a set lists, with all that it has of that.
func whole(s *Set) (lines []string) {
	s.each(func(e Entry) {
		line := fmt.Sprint(line(e.Key.Name, versionOf(e.State)), e.Present)
		for _, o := range e.Gone {
			line += " " + o.UID()
		}
		lines = append(lines, line)
	})
	slices.Sort(lines)
	return lines
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
