package informer

import "github.com/informerd/informerd/pkg/informer/internal/buffer"

// Overflow is what happens to an event for which a subscription's buffer has no room: one of
// OverflowLatest, OverflowBlock, OverflowDrop and OverflowSpill.
type Overflow = buffer.Overflow

const (
	// OverflowLatest marks the event's object, which is delivered later, once, as it is then.
	OverflowLatest = buffer.Latest
	// OverflowBlock makes the informer wait for room, and with it all its other subscriptions.
	OverflowBlock = buffer.Block
	// OverflowDrop gives up the event. The first list is never dropped.
	OverflowDrop = buffer.Drop
	// OverflowSpill has the event written to a file. Where that fails, it is as OverflowLatest.
	OverflowSpill = buffer.Spill
)
