package align

import (
	"sync/atomic"

	"github.com/informerd/informerd/pkg/informer/object/internal/scan"
)

// Base is a text that packed objects refer to: that of the plain object it was made of. Other texts
// are read against it without preparation, as long as an object refers to it.
type Base struct {
	Text string
	// Extents are those of the long containers and strings, in the order of the text.
	Extents []scan.Extent
	// Fields are the checksums of the fieldsV1 values that were cut out of the text.
	Fields []Checksum
	// Spec and Status are the places of these values, 0 if there is none; Depth is how deep the
	// text nests. They are set if a Follower can follow the text.
	Spec, Status uint32
	Depth        uint8
	// Held is how many objects of a store refer to the base.
	Held atomic.Int32
	// Misses is how many objects in a row were read against the base and not packed.
	Misses uint8
}

// Checksum identifies a valid value that is not kept. The hash has 64 bits and a secret seed, so
// nobody can make another value with the same checksum.
type Checksum struct {
	Len  int
	Hash uint64
}

const (
	// MinBase is the length below which an object is neither packed nor a base: its header and the
	// operations take what packing saves.
	MinBase = 1 << 10
	// MaxBaseDepth is greater than the depth of any base, so that a value skipped at a depth of at
	// most scan.MaxDepth-MaxBaseDepth keeps that limit.
	MaxBaseDepth = 100
	// MinFields is the length below which a fieldsV1 value has no checksum.
	MinFields = 128
)

// Dictionary returns the text of the base, "" if b is nil.
func (b *Base) Dictionary() string {
	if b == nil {
		return ""
	}
	return b.Text
}

// Overhead is about how much memory a base takes besides its text.
func (b *Base) Overhead() int { return 112 + 8*cap(b.Extents) + 16*cap(b.Fields) }
