// Package jsontext navigates JSON text that is known to be valid. It finds members and items, skips
// values, and decodes strings, without decoding anything else. It checks nothing: use package scan
// for text that nobody has checked yet.
//
// # Places
//
// All positions are byte offsets into the text. The end of a value is the offset after its last
// byte; -1 means that there is no such member or item.
//
//   - Text that is not valid gets wrong answers, but never a read outside of it.
//   - Every function that skips something moves on, so that a loop over them ends.
package jsontext
