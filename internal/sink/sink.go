package sink

import "context"

// Sink is one output. Listeners may share it.
//
// What every Sink promises:
//   - Write blocks until the receiver has taken the message (nil), until it is known to have
//     failed, or until ctx is done. In the last case the error wraps ctx.Err(), and the receiver
//     may still get the message. A ctx that is done before the call writes nothing.
//   - Write may be called concurrently. Messages of one caller arrive in the order of its calls;
//     there is none between callers.
//   - A Message is read only, and neither it nor its objects change after the call; so a Sink may
//     keep it, and nobody copies it.
//   - An error is worth a retry unless [IsPermanent] is true for it. Write itself never
//     retries.
//   - Close waits for the writes under way, or until ctx is done, which is then its error.
//     Afterwards, and for writes that were waiting for their turn, Write returns [ErrClosed].
//     Close may be called again.
type Sink interface {
	Write(ctx context.Context, m Message) error
	Close(ctx context.Context) error
}

// Batcher is a Sink that writes several messages at once with less work than one by one.
type Batcher interface {
	Sink
	// WriteAll writes messages in their order, each as Write does, until one fails. It returns how
	// many the receiver has taken, and the error of the one behind those, nil if there is none.
	// When ctx is done, messages that have not begun are not written, and WriteAll may still read
	// the slice.
	WriteAll(ctx context.Context, messages []Message) (n int, err error)
}
