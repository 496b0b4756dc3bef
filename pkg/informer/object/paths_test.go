package object

import (
	"encoding/binary"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestPathsAreLookedUpTogetherAsOneByOne: for any set and any object, plain or packed, a walk for
// all paths finds what a walk for each of them finds.
func TestPathsAreLookedUpTogetherAsOneByOne(t *testing.T) {
	seen := map[string]int{}
	for n := range 300 {
		comparePaths(t, binary.LittleEndian.AppendUint32(nil, uint32(n)), seen)
	}
	for _, what := range []string{"missing", "null", "string", "object", "array", "item", "packed",
		"twice", "beyond", "large set"} {
		if seen[what] < 20 {
			t.Errorf("only %d of %s", seen[what], what)
		}
	}
	t.Log(seen)
}

// FuzzPaths lets a fuzzer choose.
func FuzzPaths(f *testing.F) {
	for seed := range 5 {
		f.Add([]byte{byte(seed)})
	}
	f.Fuzz(func(t *testing.T, data []byte) { comparePaths(t, data, map[string]int{}) })
}

func comparePaths(t *testing.T, data []byte, seen map[string]int) {
	g := generator{newChoices(data)}
	p := Parser{eager: true}
	var together, single Scratch
	text := g.whole(false)
	for range 6 {
		if o, err := p.Parse([]byte(text)); err == nil {
			all := allPaths(o.Plain())
			for _, form := range []*Object{o, o.Stored(), o.Stored().Plain(), densified(o, nil)} {
				together.Set(form)
				for range 2 { // one more between two Sets
					paths := g.paths(all, seen)
					single.Set(form)
					compareSet(t, form, paths, &together, &single, seen)
				}
			}
		}
		if next := g.changed(text, nil); len(next) < 30_000 {
			text = next
		}
	}
}

func compareSet(t *testing.T, o *Object, paths []Path, together, single *Scratch,
	seen map[string]int) {
	t.Helper()
	got := make([]Value, len(paths))
	together.LookupAll(NewPaths(paths...), got)
	if o.base != nil {
		seen["packed"]++
	}
	if len(paths) > 40 {
		seen["large set"]++
	}
	var every []int
	for i := range paths {
		every = append(every, i)
	}
	open := make([]Value, len(paths))
	together.LookupAll(NewPaths(paths...).Open(every...), open)
	whole := o.Value()
	for i, path := range paths {
		want := path.Lookup(o)
		if open[i].Kind() != want.Kind() || want.Kind() != Array && open[i] != want ||
			!slices.Equal(itemsOf(open[i]), itemsOf(want)) {
			t.Fatalf("%s of %s, with %v, open:\n got %v %s\nwant %v %s", path, o.JSON(), paths,
				open[i].Kind(), open[i].Raw(), want.Kind(), want.Raw())
		}
		if got[i] != want || single.Lookup(path) != want || path.In(whole) != want {
			t.Fatalf("%s of %s, with %v:\n got %v %s, on its own %s, from the whole %s\nwant %v %s",
				path, o.JSON(), paths,
				got[i].Kind(), got[i].Raw(), single.Lookup(path).Raw(), path.In(whole).Raw(),
				want.Kind(), want.Raw())
		}
		seen[want.Kind().String()]++
		if n := len(path.steps); want.Exists() && n > 0 && path.steps[n-1].isIndex {
			seen["item"]++
		}
	}
}

func itemsOf(v Value) (items []string) {
	v.Each(func(item Value) bool {
		items = append(items, item.Raw())
		return true
	})
	return items
}

// allPaths returns all paths of an object, or the first of them.
func allPaths(o *Object) []Path {
	const most = 200
	all := []Path{{}}
	for i := 0; i < len(all) && len(all) < most; i++ {
		v, n := all[i].Lookup(o), 0
		v.EachMember(func(key string, _ Value) bool {
			all = append(all, all[i].Key(key))
			return len(all) < most
		})
		v.Each(func(Value) bool { all = append(all, all[i].Index(n)); n++; return n < 20 })
	}
	return all
}

// paths returns a set of fields that an object has, and of some that it does not have.
func (g generator) paths(all []Path, seen map[string]int) (set []Path) {
	number := 1 + g.intN(4)
	if g.one(8) {
		number = MaxPaths - g.intN(20)
	}
	for range number {
		path := all[g.intN(len(all))]
		switch g.intN(10) {
		case 0:
			path = path.Key(generatedNames[g.intN(len(generatedNames))])
		case 1:
			path = path.Index(pick(g.choices, 0, 1, 7, -1, 1<<40))
			seen["beyond"]++
		case 2:
			path.steps = path.steps[:g.intN(len(path.steps)+1)]
		case 3: // what is missing in something that is there
			if n := len(path.steps); n > 0 {
				path = Path{path.steps[:n-1]}.Key(pick(g.choices, "nothing", "", "spec", "status",
					"a"))
			}
		case 4:
			path = MustCompilePath(pick(g.choices, "spec", "status", "spec.a", "status.a",
				"spec.a.b", "kind", "metadata.name", "metadata.labels.a"))
		case 5:
			if len(set) > 0 {
				path = set[g.intN(len(set))]
				seen["twice"]++
			}
		}
		set = append(set, path)
	}
	return set
}

// packedPod returns the second of two pods that differ little.
func packedPod(t testing.TB) *Object {
	t.Helper()
	p := Parser{eager: true}
	for _, name := range []string{"web-1", "web-2"} {
		o, err := p.Parse([]byte(strings.ReplaceAll(pod, "web-1", name)))
		if err != nil {
			t.Fatal(err)
		}
		if o = o.Stored(); o.base != nil {
			return o
		}
	}
	t.Fatal("no pod is packed")
	return nil
}

// A packed object is unpacked up to the end of the section that has the last field of a set, and
// not before spec or status if no field is there.
func TestAPackedObjectIsUnpackedAsFarAsASetNeeds(t *testing.T) {
	o := packedPod(t)
	spec, status, size := o.place("spec"), o.place("status"), o.Size()
	if spec == 0 || status < spec {
		t.Fatal("another pod is needed")
	}
	for _, test := range []struct {
		paths []string
		want  int
	}{
		{[]string{"metadata.name", "metadata.labels.app"}, spec},
		{[]string{"spec.nodeName", "spec.containers[0].image"}, status - spec},
		{[]string{"status.phase", "status.n"}, size - status},
		{[]string{"status.phase", "metadata.name"}, spec + size - status},
		{[]string{"status.phase", "metadata.name", "spec.nodeName"}, size},
		{[]string{"metadata.name", "nothing"}, size},
	} {
		var paths []Path
		for _, p := range test.paths {
			paths = append(paths, MustCompilePath(p))
		}
		var s Scratch
		s.Set(o)
		s.LookupAll(NewPaths(paths...), make([]Value, len(paths)))
		if got := len(s.unpacked.text); got != test.want {
			t.Errorf("%v: %d bytes of %d were unpacked, want %d", test.paths, got, size, test.want)
		}
	}
}

func TestLookupAllDoesNotAllocate(t *testing.T) {
	set := NewPaths(MustCompilePath("metadata.name"), MustCompilePath("spec.containers[1].image"),
		MustCompilePath("status.phase"))
	values := make([]Value, 3)
	for form, o := range map[string]*Object{"plain": packedPod(t).Plain(), "packed": packedPod(t)} {
		var s Scratch
		if n := testing.AllocsPerRun(100, func() {
			s.Set(o)
			s.LookupAll(set, values)
			s.Set(nil)
		}); n != 0 {
			t.Errorf("%s: %v allocations", form, n)
		}
	}
}

func TestPathsAreNoMoreThanMaxPaths(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a set of too many was made")
		}
	}()
	set := NewPaths(make([]Path, MaxPaths)...)
	if got := set.root.ends; len(got) != MaxPaths ||
		!reflect.DeepEqual(set.paths, make([]Path, MaxPaths)) {
		t.Error(got)
	}
	NewPaths(make([]Path, MaxPaths+1)...)
}
