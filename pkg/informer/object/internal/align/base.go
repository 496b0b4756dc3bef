package align

import (
	"sync/atomic"

	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// base is a text that packed objects refer to: that of the plain object it was made with. It is
// also what other texts are read against, and has all that this takes, so that it needs no
// preparation and ends when the last object that refers to it does.
type Base struct {
	Text string
	// extents are where the long containers and strings in the text are, in its order. They nest
	// less deep than maxBaseDepth.
	Extents []scan.Extent
	// fields are the fieldsV1 values that the object came with and that were cut out.
	Fields []Checksum
	// What an Object's header says of where spec and status begin, and Object.levels.
	Spec, Status uint32
	Depth        uint8
	// held is how many objects of a store refer to it (Object.Hold).
	Held atomic.Int32
	// vain is how often in a row an object was read against it and not packed.
	Misses uint8
}

// checked is a value that was checked and is not kept.
type Checksum struct {
	Len  int
	Hash uint64
}

const (
	// minBase is how long an object must be for it to be packed or to become a base: of a shorter
	// one the header and the operations take what packing it saves.
	MinBase = 1 << 10
	// maxBaseDepth is less than how deep a base nests, so that what is within it surely keeps the
	// limit of maxDepth.
	MaxBaseDepth = 100
	// minFields is how long a fieldsV1 value must be to be remembered.
	MinFields = 128
)

// dictionary returns the text of a base, "" if there is none.
func (b *Base) Dictionary() string {
	if b == nil {
		return ""
	}
	return b.Text
}

// baseSize is about how much memory a base takes besides its text.
func (b *Base) Overhead() int { return 112 + 8*cap(b.Extents) + 16*cap(b.Fields) }
