// Package gate closes a sink: [Gate] counts the writes under way, lets no further one begin after
// Close, and waits for those that have begun. It has no goroutine, and needs no constructor.
//
// What is promised:
//   - After Close has been called, Enter reports false.
//   - Close returns when the last write has left, or with ctx's error when that is done first. It
//     may be called again, and then waits again.
//   - Closed is closed as soon as Close is called.
package gate
