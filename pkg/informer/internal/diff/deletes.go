package diff

import (
	"iter"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Deletes are objects that an old informer saw deleted while the new ones were not ready, which
// they may still have, or even see created.
type Deletes struct {
	// Expected reports whether the new side may see an object in that state.
	Expected func(*object.Object) bool

	recent, before map[object.Key]deleted
}

type deleted struct {
	version  uint64 // all states of the object are older
	expected bool
}

// Add notes a delete. If the delete itself was missed, o is the last state known.
func (d *Deletes) Add(o *object.Object, missed bool) {
	if d.recent == nil {
		d.recent = map[object.Key]deleted{}
	}
	gone := deleted{version: version(o), expected: d.Expected(o)}
	if missed {
		gone.version++
	}
	d.recent[o.Key()] = gone
}

// Age forgets the deletes that were noted before Age was last called.
func (d *Deletes) Age() { d.recent, d.before = nil, d.recent }

func (d *Deletes) all() iter.Seq2[object.Key, deleted] {
	return func(yield func(object.Key, deleted) bool) {
		for _, deletes := range [2]map[object.Key]deleted{d.before, d.recent} {
			for key, gone := range deletes {
				if !yield(key, gone) {
					return
				}
			}
		}
	}
}
