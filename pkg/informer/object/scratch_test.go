package object

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Fields at the end of large objects are read without new memory for each of them, and values of
// one object do not show in the next one's.
func TestALargeScratchIsUsedAgain(t *testing.T) {
	const n, size = 40, 1 << 20
	p := &Parser{}
	var objects []*Object
	for i := range n {
		text := fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"%d"},"data":{"a":%q,"b":"%d"}}`,
			i, strings.Repeat("0123456789", size/10+i%3), i)
		o, err := p.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if objects = append(objects, o.Stored()); i > 0 && o.Stored() == o {
			t.Fatal("the object is not packed")
		}
	}
	path := MustCompilePath("data.b")
	var s Scratch
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i, o := range objects[1:] {
		s.Set(o)
		if got := s.Lookup(path).Text(); got != fmt.Sprint(i+1) {
			t.Fatalf("%q of object %d", got, i+1)
		}
	}
	s.Set(nil)
	runtime.ReadMemStats(&after)
	// The race detector has pools forget a quarter of what they get, and a goroutine that moves to
	// another processor may not find it.
	if got := after.TotalAlloc - before.TotalAlloc; got > n*size*3/4 && !raceDetector {
		t.Errorf("%d MB for %d objects of 1 MB", got>>20, n)
	}
	for _, tail := range s.suffixes {
		if cap(tail.text) > maxScratch {
			t.Errorf("%d bytes are held for the next object", cap(tail.text))
		}
	}
}
