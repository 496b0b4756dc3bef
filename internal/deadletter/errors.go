package deadletter

import "errors"

var (
	// ErrClosed is returned after Close, also to those that were waiting for room.
	ErrClosed = errors.New("the dead-letter store is closed")

	// ErrDropped is returned by Put of a store that drops letters when it is full. The store has
	// counted it; the caller is done with the event.
	ErrDropped = errors.New("the dead-letter store is full and drops letters, as configured")

	// ErrFull is returned by Put when the letter had no room for some time.
	ErrFull = errors.New("the dead-letter store is full: replay or drop letters, or raise " +
		"deadLetters.bytes")

	// ErrTooLarge is returned by Put for a letter that an empty store would have no room for. More
	// room, by [Store.SetLimits], is the only help.
	ErrTooLarge = errors.New("the dead letter is larger than the whole store may be")

	// ErrNotFound is returned for an unknown ID.
	ErrNotFound = errors.New("no such dead letter")
)
