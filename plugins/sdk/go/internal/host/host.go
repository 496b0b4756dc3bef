// Package host is the boundary between a guest and its host: the imports and exports of the
// interface informerd/v1, or, built natively, a fake host in their place. No function that a guest
// does not call gets into its import section.
package host

// What the exports run. Package informerd sets the first two, package batch the third.
var (
	Configure func() int32
	OnEvent   func(op, flags, objectLen, oldLen uint32) int32
	OnBatch   func(n uint32) int32
)

// What package batch needs of package informerd, which sets it.
var (
	// Event is the one *informerd.Event that there is.
	Event any
	// Begin makes Event that of the arguments, End makes it none.
	Begin func(op, flags, objectLen, oldLen uint32)
	End   func()
)

// Batches is set by package batch: on_batch is an export of the guest then.
var Batches bool

// Record is what event.v1 next writes: op, flags, object_len, old_len and verdict.
type Record [5]int32

const (
	// RecordSize is a record's length in bytes.
	RecordSize = 20
	// Verdict is where a record has the verdict.
	Verdict = 4
	// AsBatch is the verdict that is that of the whole batch.
	AsBatch = -1
)

// WholeObject is the handle with which CacheField gives the whole object.
const WholeObject = ^uint32(0)
