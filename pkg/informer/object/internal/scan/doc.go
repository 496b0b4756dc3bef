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
//
// # Why not a library
//
// The scanner has to check an object, find its header, cut out managedFields and copy the rest,
// in one pass. For a pod of 10 KB (bench/jsonscan, header, check and copy, and reading two
// fields): encoding/json 205 us and 41 us, jsontext 18-26 and 10-13, fastjson 21-25 and 6.6,
// gjson 10-12 and 2.6, sonic 5-8 and 0.65; informerd 14 and 5.7 without a base, 5-6 and 0.9 with
// one. gjson accepts 99 of 100 truncated pods, sonic malformed text; the strict ones do not
// return the positions to cut at.
package scan
