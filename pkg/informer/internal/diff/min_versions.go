package diff

import (
	"iter"
	"maps"

	"github.com/informerd/informerd/pkg/informer/object"
)

// MinVersions are objects of which no state is reported that is older than a version. They do not
// change. Nil has none.
type MinVersions struct {
	of   map[object.Key]uint64
	last uint64 // the highest
}

// Above reports whether a state of an object is to be reported; or its end, if gone.
func (f *MinVersions) Above(o *object.Object, gone bool) bool {
	if f == nil {
		return true
	}
	least, ok := f.of[o.Key()]
	// What is gone with that version is the object whose states were left out.
	return !ok || version(o) > least || version(o) == least && !gone
}

// Passed reports whether all of them are older than a state that a watch reports.
func (f *MinVersions) Passed(o *object.Object) bool { return version(o) > f.last }

func (f *MinVersions) all() iter.Seq2[object.Key, uint64] {
	if f == nil {
		return maps.All(map[object.Key]uint64(nil))
	}
	return maps.All(f.of)
}
