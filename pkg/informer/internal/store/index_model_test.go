package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/informer/object"
)

// TestIndexesAreWhatAFreshStoreWouldHave: whatever is put and removed, an index has what one would
// have that is made of the objects that are there.
func TestIndexesAreWhatAFreshStoreWouldHave(t *testing.T) {
	tags := IndexByPath(object.MustCompilePath("spec.tags"))
	funcs := map[string]indexFunc{
		"tags": tags, "within": WithinNamespace(tags),
		"panics": func(o *object.Object) []string {
			if strings.HasSuffix(o.ResourceVersion(), "3") {
				panic("no")
			}
			return tags(o)
		},
	}
	condensed := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := New()
		parser := &object.Parser{}
		var last *object.Object
		cold := &condensing{store: s}
		for version := range 120 {
			if version == 20 {
				if err := s.AddIndexes(funcs); err != nil {
					t.Fatal(err)
				}
			}
			switch name := fmt.Sprint("o", rng.IntN(6)); rng.IntN(8) {
			case 0:
				s.Remove(object.Key{Namespace: "shop", Name: name})
			case 1:
				for range 3 {
					if cold.step() {
						condensed++
					}
				}
			case 2:
				if last != nil {
					s.Put(last) // the same once more
				}
			default:
				values := make([]string, rng.IntN(4))
				for i := range values {
					values[i] = fmt.Sprintf(`"t%d"`, rng.IntN(4))
				}
				o, err := parser.Parse(
					[]byte(podText(name, "u", version,
						`,"spec":{"text":"`+strings.Repeat("x", 600*rng.IntN(2))+`","tags":[`+
							strings.Join(values, ",")+`]}`)))
				if err != nil {
					t.Fatal(err)
				}
				s.Put(o)
				last = o
			}
			if version >= 20 {
				sameIndexes(t, s, funcs)
			}
		}
		for _, o := range s.List() {
			s.Remove(o.Key())
		}
		if n, bytes, memory := s.Size(); n != 0 || bytes != 0 || memory != 0 {
			t.Fatalf("nothing is stored: %d objects, %d bytes that take %d", n, bytes, memory)
		}
	}
	if condensed < 20 {
		t.Errorf("only %d objects were condensed", condensed)
	}
}

// condensing replaces stored objects with their dense form.
type condensing struct {
	store     *Store
	condenser object.Condenser
	cold      []*object.Object
}

// step finds the cold objects, or condenses one of them: anything may happen between two steps.
func (c *condensing) step() (condensed bool) {
	if len(c.cold) > 0 {
		o := c.cold[0]
		dense := c.condenser.Condense(o, c.cold)
		c.cold = c.cold[1:]
		return dense != nil && c.store.Exchange(o, dense) > 0
	}
	c.condenser.EndPass()
	for range 8 { // few objects wait so long
		c.condenser.BeginPass()
	}
	for at := c.store.Begin(); !at.Ended(); {
		c.store.Look(&at, 256, func(o *object.Object) bool {
			if c.condenser.Cold(o) {
				c.cold = append(c.cold, o)
			}
			return true
		})
	}
	return false
}

func sameIndexes(t *testing.T, s *Store, funcs map[string]indexFunc) {
	t.Helper()
	fresh := New()
	if err := fresh.AddIndexes(funcs); err != nil {
		t.Fatal(err)
	}
	for _, o := range s.List() {
		fresh.Put(o)
	}
	for name := range funcs {
		got, want := s.indexes[name], fresh.indexes[name]
		if g, w := slices.Sorted(maps.Keys(got.buckets)),
			slices.Sorted(maps.Keys(want.buckets)); !slices.Equal(g, w) {
			t.Fatalf("index %s has %q, want %q", name, g, w)
		}
		for value, bucket := range want.buckets {
			expect(t, named(got.buckets[value].list()), named(bucket.list())...)
		}
		if !maps.EqualFunc(got.under, want.under, func(a, b indexed) bool {
			return a.first == b.first && slices.Equal(a.more, b.more)
		}) {
			t.Fatalf("index %s remembers %v, want %v", name, got.under, want.under)
		}
	}
}

// TestAnIndexForgetsWhatItsFunctionWouldNotFindAgain: an object leaves the place where it is, if
// the function answers something else by then.
func TestAnIndexForgetsWhatItsFunctionWouldNotFindAgain(t *testing.T) {
	s, n := New(), 0
	if err := s.AddIndexes(map[string]indexFunc{"calls": func(*object.Object) []string {
		n++
		return []string{fmt.Sprint(n)}
	}}); err != nil {
		t.Fatal(err)
	}
	for version := range 5 {
		s.Put(withSpec("a", version, `{}`))
		if values, err := s.IndexValues("calls"); err != nil ||
			!slices.Equal(values, []string{fmt.Sprint(version + 1)}) {
			t.Fatal(values, err)
		}
	}
	s.Remove(object.Key{Namespace: "shop", Name: "a"})
	if ix := s.indexes["calls"]; len(ix.buckets)+len(ix.under) != 0 || n != 5 {
		t.Errorf("%v, %v, %d calls", ix.buckets, ix.under, n)
	}
}

// BenchmarkIndexedUpdate is an update of a packed object, without an index and with one.
func BenchmarkIndexedUpdate(b *testing.B) {
	for _, indexes := range []int{0, 1} {
		b.Run(fmt.Sprint(indexes), func(b *testing.B) {
			s, parser := New(), &object.Parser{}
			if indexes > 0 {
				_ = s.AddIndexes(
					map[string]indexFunc{"node": IndexByPath(object.MustCompilePath("spec.node"))})
			}
			var states []*object.Object
			for version := range 8 {
				spec := fmt.Sprintf(`,"spec":{"node":"n1","text":%q}`,
					strings.Repeat("some text ", 500))
				o, err := parser.Parse([]byte(podText("a", "u", version, spec)))
				if err != nil {
					b.Fatal(err)
				}
				states = append(states, o)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				s.Put(states[i%len(states)])
			}
		})
	}
}
