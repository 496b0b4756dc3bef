package object

import "sync/atomic"

// base is a text that packed objects refer to: that of the plain object it was made with. It is
// also what other texts are read against, and has all that this takes, so that it needs no
// preparation and ends when the last object that refers to it does.
type base struct {
	text string
	// extents are where the long containers and strings in the text are, in its order. They nest
	// less deep than maxBaseDepth.
	extents []extent
	// fields are the fieldsV1 values that the object came with and that were cut out.
	fields []checksum
	// What an Object's header says of where spec and status begin, and Object.levels.
	spec, status uint32
	depth        uint8
	// held is how many objects of a store refer to it (Object.Hold).
	held atomic.Int32
	// vain is how often in a row an object was read against it and not packed.
	misses uint8
}

// checked is a value that was checked and is not kept.
type checksum struct {
	len  int
	hash uint64
}

const (
	// minBase is how long an object must be for it to be packed or to become a base: of a shorter
	// one the header and the operations take what packing it saves.
	minBase = 1 << 10
	// maxBaseDepth is less than how deep a base nests, so that what is within it surely keeps the
	// limit of maxDepth.
	maxBaseDepth = 100
	// minFields is how long a fieldsV1 value must be to be remembered.
	minFields = 128
)

// dictionary returns the text of a base, "" if there is none.
func (b *base) dictionary() string {
	if b == nil {
		return ""
	}
	return b.text
}

// baseSize is about how much memory a base takes besides its text.
func (b *base) overhead() int { return 112 + 8*cap(b.extents) + 16*cap(b.fields) }
