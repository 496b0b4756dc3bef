package object

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

// settings returns a ConfigMap that has its words in common with others, but no longer text.
func settings(n, size int) string {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	words := strings.Fields("timeout server listen upstream cache proxy location index error log level debug warn root host port secret token limit rate")
	var text strings.Builder
	for text.Len() < size {
		fmt.Fprintf(&text, "%s %s = %d;\\n", words[r.IntN(len(words))], words[r.IntN(len(words))],
			r.IntN(1_000_000))
	}
	return fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"s%d","namespace":"n","uid":"u%[1]d","resourceVersion":"7","labels":{"n":"%[1]d"}},"data":{"conf":"%[2]s"}}`, n, text.String())
}

// densified returns the dense form of an object, worth it or not.
func densified(o *Object, dictionary *align.Base) *Object {
	return o.compressed(newEncoder(dictionary.Dictionary()).EncodeAll([]byte(o.JSON()),
		nil), dictionary)
}

// condensed runs as many passes as even few objects need to be condensed. It returns the resulting
// forms.
func condensed(t *testing.T, c *Condenser, all []*Object) (forms []*Object) {
	t.Helper()
	forms = slices.Clone(all)
	for pass := range 1 + maxWait {
		c.BeginPass()
		for i, o := range all {
			if forms[i] != o || !c.Cold(o) {
				continue
			}
			if pass == 0 {
				t.Fatalf("%s is cold at once", o.Key())
			}
			if dense := c.Condense(o, all[i:]); dense != nil {
				same(t, "dense", dense, o)
				forms[i] = dense
			}
		}
		c.EndPass()
	}
	return forms
}

func total(all []*Object, of func(*Object) int) (sum int) {
	for _, o := range all {
		sum += of(o)
	}
	return sum
}

// TestColdObjectsTakeLess condenses objects and reads them: "the compressed JSON, decompressed with
// the dictionary, is the JSON of the object" (Condenser).
func TestColdObjectsTakeLess(t *testing.T) {
	var all []*Object
	p := &Parser{}
	for n := range 100 {
		all = append(all, mustParse(t, p, settings(n, 4000)))
	}
	plain := total(all, (*Object).Hold)
	forms := condensed(t, &Condenser{}, all)
	dense := total(forms, (*Object).Hold)
	t.Logf("100 objects of %d bytes: %d bytes, dense %d", all[0].Size(), plain, dense)
	if dense*5 > plain*2 {
		t.Errorf("%d bytes became %d", plain, dense)
	}
	for _, o := range forms {
		if !o.isDense || o.base == nil || o.Stored() != o || o.Plain().Stored() != o {
			t.Fatalf("%s: dense %v, with a dictionary %v", o.Key(), o.isDense, o.base != nil)
		}
	}
	if free := total(forms, (*Object).Release); free != dense {
		t.Errorf("%d bytes were taken, and %d are free", dense, free)
	}
	if free := total(all, (*Object).Release); free != plain {
		t.Errorf("%d bytes were taken, and %d are free", plain, free)
	}
}

// Few objects have no dictionary: it would take more than it saves. When there are many, they get
// one.
func TestADictionaryIsForMany(t *testing.T) {
	c, p := &Condenser{}, &Parser{}
	for _, round := range []struct {
		objects    int
		dictionary bool
	}{{3, false}, {4, false}, {100, true}} {
		var all []*Object
		for n := range round.objects {
			all = append(all, mustParse(t, p, settings(n, 4000)))
		}
		known := c.dictionary
		for _, o := range condensed(t, c, all) {
			if !o.isDense || (o.base != nil) != round.dictionary {
				t.Fatalf("%d objects: dense %v, with a dictionary %v", round.objects, o.isDense,
					o.base != nil)
			}
		}
		if known != nil && c.dictionary != known {
			t.Error("there is another dictionary")
		}
	}
	if n := len(c.dictionary.Text); n < minDictionary || n > 100*5000/dictionaryShare {
		t.Errorf("the dictionary has %d bytes", n)
	}
}

// An object whose text others refer to stays as it is. The last one that refers to a text takes it
// along.
func TestOnlyWhatNobodyElseNeedsIsCondensed(t *testing.T) {
	store := known{}
	p := store.parser()
	first := store.read(t, p, replica(1, 0, 1))
	second := store.read(t, p, replica(1, 1, 1))
	if second.base == nil || second.base != first.ownBase {
		t.Fatal("not packed")
	}
	first.Hold()
	second.Hold()
	all := []*Object{first, second}
	if forms := condensed(t, &Condenser{}, all); forms[0] != first || forms[1] != second {
		t.Error("a text that two refer to was condensed")
	}
	first.Release() // it is changed, or gone
	dense := condensed(t, &Condenser{}, all[1:])[0]
	if dense == second {
		t.Fatal("the last one that refers to a text is not condensed")
	}
	if dense.base != nil || 2*dense.Memory() > second.Memory()+len(second.base.Text) {
		t.Errorf("%d bytes, with the base %v", dense.Memory(), dense.base != nil)
	}
}

// An object that does not get smaller is not tried in each pass.
func TestWhatDoesNotGetSmallerIsLeftAlone(t *testing.T) {
	r, c := rand.New(rand.NewPCG(1, 1)), &Condenser{}
	text := make([]byte, 4000)
	for i := range text {
		text[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[r.IntN(64)]
	}
	all := []*Object{
		mustParse(t, &Parser{},
			fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"random"},"data":{"a":%q}}`, text)),
		mustParse(t, &Parser{}, settings(1, 100)),
	}
	forms := condensed(t, c, all)
	for i, o := range all {
		if forms[i] != o || c.Cold(o) {
			t.Errorf("%s: condensed %v, cold %v", o.Key(), forms[i] != o, c.Cold(o))
		}
	}
}

// An update of a dense object neither decompresses it nor refers to its dictionary.
func TestAnUpdateOfADenseObjectIsPlain(t *testing.T) {
	store := known{}
	p := store.parser()
	var all []*Object
	for n := range 100 {
		all = append(all, store.read(t, p, settings(n, 4000)))
	}
	for _, o := range condensed(t, &Condenser{}, all) {
		store[o.Key()] = o
	}
	all = nil
	runtime.GC() // finds out which bases are gone
	o := store.read(t, p, strings.Replace(settings(7, 4000), `"resourceVersion":"7"`,
		`"resourceVersion":"8"`, 1))
	if !o.isPlain() {
		t.Error("the next state is not plain")
	}
	if o = store.read(t, p, strings.Replace(settings(7, 4000), `"resourceVersion":"7"`,
		`"resourceVersion":"9"`, 1)); o.base == nil || o.isDense {
		t.Error("the one after it is not packed")
	}
}

// TestDenseObjectsAreReadByMany reads objects of several dictionaries on several goroutines, while
// others are condensed.
func TestDenseObjectsAreReadByMany(t *testing.T) {
	var all, plain []*Object
	for range 3 {
		var some []*Object
		for n := range 40 {
			some = append(some, mustParse(t, &Parser{}, settings(n, 4000)))
		}
		plain = append(plain, some...)
		all = append(all, condensed(t, &Condenser{}, some)...)
	}
	label, conf := MustCompilePath(`metadata.labels["n"]`), MustCompilePath("data.conf")
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			var s Scratch
			for i := range all {
				i = (i*7 + g*40) % len(all)
				s.Set(all[i])
				if s.Lookup(conf) != conf.Lookup(plain[i]) ||
					label.Lookup(all[i]) != label.Lookup(plain[i]) {
					t.Errorf("%s is read wrong", all[i].Key())
				}
			}
		})
	}
	wg.Go(func() {
		var some []*Object
		for n := range 40 {
			some = append(some, mustParse(t, &Parser{}, settings(100+n, 4000)))
		}
		condensed(t, &Condenser{}, some)
	})
	wg.Wait()
}

// A Scratch decompresses an object once, and into memory that it uses again.
func TestAScratchDecompressesOnce(t *testing.T) {
	if raceDetector {
		t.Skip("a sync.Pool forgets at random")
	}
	o := mustParse(t, &Parser{}, settings(1, 4000))
	dense := condensed(t, &Condenser{}, []*Object{o})[0]
	paths := []Path{MustCompilePath("data.conf"), MustCompilePath("metadata.name"),
		MustCompilePath("kind")}
	set := NewPaths(paths...)
	var s Scratch
	values := make([]Value, len(paths))
	read := func() {
		s.Set(dense)
		for _, p := range paths {
			s.Lookup(p)
		}
		clear(values)
		s.LookupAll(set, values)
	}
	read()
	if got, want := values[0].Raw(), paths[0].Lookup(o).Raw(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if n := testing.AllocsPerRun(100, read); n >= 1 {
		t.Errorf("%v allocations", n)
	}
	// The second look finds the text of the first.
	if first, again := s.Lookup(paths[0]).Raw(),
		s.Lookup(paths[0]).Raw(); unsafe.StringData(first) != unsafe.StringData(again) {
		t.Error("decompressed twice")
	}
}

// BenchmarkDense is what it takes to make a text of 8 KB dense, and to read one.
func BenchmarkDense(b *testing.B) {
	var all []*Object
	for n := range 64 {
		o, err := (&Parser{}).Parse([]byte(settings(n, 8000)))
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, o)
	}
	c := Condenser{seenBytes: 1 << 20}
	var dense []*Object
	for i, o := range all {
		dense = append(dense, c.Condense(o, all[i:]))
	}
	var s Scratch
	field := MustCompilePath(`metadata.labels["n"]`)
	of := func(name string, objects []*Object, f func(*Object)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				f(objects[i%len(objects)])
			}
		})
	}
	scratch := func(o *Object) { s.Set(o); s.Lookup(field) }
	of("condense", all, func(o *Object) { c.Condense(o, nil) })
	of("lookup/plain", all, func(o *Object) { field.Lookup(o) })
	of("lookup/dense", dense, func(o *Object) { field.Lookup(o) })
	of("scratch/plain", all, scratch)
	of("scratch/dense", dense, scratch)
	of("json/plain", all, func(o *Object) { _ = strings.Clone(o.JSON()) })
	of("json/dense", dense, func(o *Object) { _ = o.JSON() })
}
