package eval

import (
	"time"

	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// functions is what informerd's own functions keep, for an event and between events.
type functions struct {
	memos   [values.ReaderCount]map[string]any
	loops   []loop
	found   map[lookupKey]any
	scratch []*object.Scratch // of objects of other informers
	used    int
	now     time.Time // of the event, once it was read
}

func (f *functions) begin() {
	clear(f.loops)
	f.loops = f.loops[:0]
	if len(f.found) > keptCells {
		f.found = nil
	}
	clear(f.found)
	for _, s := range f.scratch[:f.used] {
		s.Set(nil) // the cache may have released its object
	}
	f.used = 0
	f.now = time.Time{}
}
