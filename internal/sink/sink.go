package sink

import (
	"context"
	"time"
)

// Sink is one output. Listeners may share it.
//
// What every Sink promises:
//   - Write blocks until each message was taken or has failed, and retries nothing. It ends within
//     the sink's own timeout. When ctx is done it ends as well: the errors wrap ctx.Err(), and the
//     receiver may still get the messages. A ctx that is done before the call writes nothing.
//   - Write returns nil if the receiver has taken all messages, else one error for each message,
//     nil for those that it has taken.
//   - The messages of one call are about different objects, and may arrive in any order. What a
//     caller has written before arrives before.
//   - Write may be called concurrently. There is no order between callers.
//   - Messages are read only, and neither they nor their objects change after the call; so a Sink
//     may keep them, but not the slice.
//   - An error is worth a retry unless [IsPermanent] is true for it.
//   - A Sink that is made with a fence sends nothing that the fence refuses, in the middle of a
//     Write as well, and returns the fence's error for it. Package fence has what that means.
//   - Close waits for the writes under way, or until ctx is done, which is then its error.
//     Afterwards, and for writes that were waiting for their turn, Write returns [ErrClosed].
//     Close may be called again.
type Sink interface {
	Write(ctx context.Context, messages []Message) []error
	// Pace returns how the sink is best used. It is always the same.
	Pace() Pace
	Close(ctx context.Context) error
}

// Pace is how a sink is best used.
type Pace struct {
	Batch  int // the most messages for one Write; 0 means 1
	Writes int // how many Writes of one listener may be under way at the same time; 0 means 1
	// Wait is how long a Write may be put off to fill its batch.
	Wait time.Duration
	// ByCluster: the receiver is the API server of the messages' cluster. That it fails says nothing
	// of another one.
	ByCluster bool
}
