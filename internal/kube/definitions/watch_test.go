package definitions

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	gadgets = crd{plural: "gadgets", group: "example.com", uid: "1", generation: 1}
	things  = crd{plural: "things", group: "example.com", uid: "2", generation: 1,
		established: true, kind: "Thing", scope: "Cluster"}
)

func (c crd) resource() schema.GroupResource {
	return schema.GroupResource{Group: c.group, Resource: c.plural}
}

func (c crd) with(change func(*crd)) crd {
	change(&c)
	return c
}

// What is there, what comes, is established, changes and goes is passed on, and nothing else.
func TestChangesArePassedOn(t *testing.T) {
	watching(t, true, func(s *seen) {
		s.expect("")
		s.apply(things)
		s.expect("things.example.com 2/1 established")
		s.apply(gadgets)
		s.expect("gadgets.example.com 1/1")
		s.apply(gadgets.with(func(c *crd) { c.refused = "\"gadgets\" is already in use" }))
		s.expect(`gadgets.example.com 1/1 ("gadgets" is already in use)`)
		up := gadgets.with(func(c *crd) { c.established = true })
		s.apply(up)
		s.expect("gadgets.example.com 1/1 established")
		s.apply(up)
		s.expect("") // only its version differs
		s.apply(up.with(func(c *crd) { c.generation = 2 }))
		s.expect("gadgets.example.com 1/2 established")
		s.remove(up)
		s.expect("gadgets.example.com 1/1 gone")
		if s.Get(up.resource()) != nil || s.Get(things.resource()) == nil {
			t.Error("what is known is wrong")
		}
	})
}

// A definition that is deleted and made again is another one, also if nobody has seen the moment
// between.
func TestADefinitionThatIsMadeAgain(t *testing.T) {
	watching(t, true, func(s *seen) {
		first := gadgets.with(func(c *crd) { c.established = true })
		second := first.with(func(c *crd) { c.uid = "9" })
		s.apply(first)
		s.expect("gadgets.example.com 1/1 established")
		s.remove(first)
		s.apply(second)
		s.expect("gadgets.example.com 1/1 gone, gadgets.example.com 9/1 established")
		s.remove(second, true)
		s.apply(first, true)
		s.remove(things, true)
		s.compact()
		time.Sleep(time.Minute)
		s.expect("gadgets.example.com 9/1 gone, gadgets.example.com 1/1 established")
	})
}

// A definition is removed that was followed and seen, and is missing in what the server has.
func TestRemoved(t *testing.T) {
	watching(t, true, func(s *seen) {
		removed := func(c crd, want bool) {
			t.Helper()
			synctest.Wait()
			if s.removed(c.resource()) != want {
				t.Errorf("%s: removed is %t", c.name(), !want)
			}
		}
		never := things.with(func(c *crd) { c.plural = "never" })
		s.apply(gadgets)
		removed(gadgets, false)
		s.follow(gadgets.resource())
		s.follow(never.resource())
		s.follow(things.resource()) // comes later
		s.apply(things)
		removed(things, false)
		s.remove(things)
		removed(things, true)
		s.apply(things)
		removed(things, false)
		s.remove(gadgets, true) // while nobody looked
		s.compact()
		removed(gadgets, false)
		time.Sleep(time.Minute)
		removed(gadgets, true)
		removed(never, false)
		other := things.with(func(c *crd) { c.plural = "others" })
		s.apply(other)
		synctest.Wait()
		s.remove(other)
		removed(other, false) // nobody follows it
	})
}

// Nothing is asked for before Begin, and once after any number of calls.
func TestItBeginsWhenItIsNeeded(t *testing.T) {
	watching(t, false, func(s *seen) {
		s.apply(things)
		time.Sleep(time.Hour)
		s.expect("")
		if s.lists > 0 || s.watches > 0 {
			t.Errorf("%d lists, %d watches", s.lists, s.watches)
		}
		for range 3 {
			s.Begin()
		}
		s.expect("things.example.com 2/1 established")
		if s.lists != 1 || s.watches != 1 {
			t.Errorf("%d lists, %d watches", s.lists, s.watches)
		}
	})
}

// A watch that is not allowed is logged once, and begins soon after it is.
func TestWithoutTheRight(t *testing.T) {
	watching(t, false, func(s *seen) {
		s.apply(things)
		s.allow(false)
		s.Begin()
		time.Sleep(time.Hour)
		s.expect("")
		if n := strings.Count(s.logs.String(), "level=WARN"); n != 1 {
			t.Errorf("%d warnings:\n%s", n, s.logs)
		}
		if s.lists > 900 {
			t.Errorf("asked %d times in an hour", s.lists)
		}
		s.allow(true)
		time.Sleep(9 * time.Second)
		s.expect("things.example.com 2/1 established")
	})
}

func TestFindByAnyName(t *testing.T) {
	watching(t, true, func(s *seen) {
		s.apply(gadgets)
		s.apply(gadgets.with(func(c *crd) { c.group = "acme.io" }))
		s.apply(things)
		s.take()
		for name, want := range map[string]string{
			"gadgets": "gadgets.acme.io gadgets.example.com", "gadget.acme.io": "gadgets.acme.io",
			"Gadget": "gadgets.acme.io gadgets.example.com", "gd.v1.acme.io": "gadgets.acme.io",
			"gadgets.v7.example.com": "gadgets.example.com", "pods": "", "example.com": "",
			"thing": "things.example.com", "gadgets.example.org": "",
		} {
			var found []string
			for _, c := range []crd{gadgets, gadgets.with(func(c *crd) { c.group = "acme.io" }),
				things} {
				if d := s.Get(c.resource()); d.IsNamed(name) {
					found = append(found, d.Resource().String())
				}
			}
			slices.Sort(found)
			if got := strings.Join(found, " "); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	})
}

// A schema is that of the definition as it is now.
func TestSchema(t *testing.T) {
	watching(t, true, func(s *seen) {
		versions := func(field string) string {
			return fmt.Sprintf(`"versions":[{"name":"v1","served":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{%q:{"type":"string"}}}}}}}],`,
				field)
		}
		v1 := gadgets.resource().WithVersion("v1")
		for _, field := range []string{"color", "colour"} {
			s.apply(gadgets.with(func(c *crd) { c.more = versions(field) }))
			got, err := s.Schema(s.t.Context(), v1)
			if err != nil || got.Fields["spec"].Fields[field] == nil {
				t.Errorf("%+v, %v", got, err)
			}
		}
		if got, err := s.Schema(s.t.Context(),
			gadgets.resource().WithVersion("v2")); err != nil || !got.Open {
			t.Errorf("%+v, %v", got, err)
		}
		s.remove(gadgets)
		if _, err := s.Schema(s.t.Context(), v1); !errors.Is(err, errNone) {
			t.Error(err)
		}
	})
}

// What is kept of a definition does not grow with its schema.
func TestLargeSchemasAreNotKept(t *testing.T) {
	const n, size = 200, 200_000
	large := `"versions":[{"name":"v1","schema":"` + strings.Repeat("y", size) + `"}],`
	watching(t, false, func(s *seen) {
		var before, after runtime.MemStats
		for i := range n {
			s.apply(things.with(func(c *crd) { c.plural, c.more = fmt.Sprintf("t%d", i), large }),
				true)
		}
		runtime.GC()
		runtime.ReadMemStats(&before)
		s.Begin()
		s.take()
		runtime.GC()
		runtime.ReadMemStats(&after)
		if got := len(s.known); got != n {
			t.Fatalf("%d of %d", got, n)
		}
		if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n; each > size/10 {
			t.Errorf("%d bytes are kept of each", each)
		}
	})
}
