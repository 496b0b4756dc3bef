// Package host is the boundary between a guest and its host: the imports and exports of the
// interface informerd/v1 or, when built natively, a fake host. A function that a guest does not
// call is not in its import section.
package host

// The functions that the exports run. Package informerd sets the first two, package batch the
// third.
var (
	Configure func() int32
	OnEvent   func(op, flags, objectLen, oldLen uint32) int32
	OnBatch   func(n uint32) int32
)

// What package batch uses of package informerd, which sets it.
var (
	// Event is the only *informerd.Event.
	Event any
	// Begin sets Event from the arguments, End clears it.
	Begin func(op, flags, objectLen, oldLen uint32)
	End   func()
)

// Batches is set by package batch; on_batch is then an export of the guest.
var Batches bool

// Record is what event.v1 next writes: op, flags, object_len, old_len and verdict.
type Record [5]int32

const (
	// RecordSize is a record's length in bytes.
	RecordSize = 20
	// Verdict is the index of the verdict in a record.
	Verdict = 4
	// AsBatch is the verdict that stands for the batch's.
	AsBatch = -1
)

// WholeObject is the handle with which CacheField returns the whole object.
const WholeObject = ^uint32(0)
