package diff

import (
	"iter"
	"maps"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Floors are objects of which no state is reported that is older than a version. They do not
// change. Nil has none.
type Floors struct {
	of   map[object.Key]uint64
	last uint64 // the highest
}

// Above reports whether a state of an object is to be reported; or its end, if gone.
func (f *Floors) Above(o *object.Object, gone bool) bool {
	if f == nil {
		return true
	}
	floor, ok := f.of[o.Key()]
	// What is gone with that version is the object whose states were left out.
	return !ok || version(o) > floor || version(o) == floor && !gone
}

// Passed reports whether all floors are older than a state that a watch reports.
func (f *Floors) Passed(o *object.Object) bool { return version(o) > f.last }

func (f *Floors) all() iter.Seq2[object.Key, uint64] {
	if f == nil {
		return maps.All(map[object.Key]uint64(nil))
	}
	return maps.All(f.of)
}
