// Package scan checks JSON text that nobody has looked at yet. A [Scanner] takes what encoding/json
// takes, finds duplicate member names, and records where long values are. It keeps a stack of its
// own, so that deep nesting costs a slice and not the goroutine's stack.
//
//   - Errors are a [*SyntaxError] with the byte offset. None quotes the text, which may be a
//     Secret.
//   - If the text ends too early, the error wraps [ErrTruncated]: a reader of a stream reads more.
//   - Names are compared as decoded, in whatever spelling.
//   - Work is linear in the text, however many names an object has.
//
// # Duplicate names
//
// Each name has a fingerprint, computed from the words that are read to find the name's end. Names
// with equal fingerprints are compared, one by one in an object with few names, by means of a hash
// table in one with many: comparing each with each would take the square of their number.
package scan
