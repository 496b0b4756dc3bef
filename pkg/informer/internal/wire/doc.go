// Package wire speaks to an API server: it opens lists and watches as streams of bytes, cuts the
// streams into JSON values, and reads them as objects, bookmarks and errors. It decides nothing:
// when to list, to watch, to wait and to begin again is the reflector's part, in package informer.
//
// # Promises
//
//   - Memory follows the largest value of a stream, not the length of the stream.
//   - An object never refers to the stream's buffer.
//   - What is not among the parser's Own costs little more than to read and drop its bytes.
//   - A malformed object does not end its stream; the error about it never quotes it.
//   - The connections are the Client's own; credentials and their rotation are client-go's.
//   - Neither retries nor rate limits hide in a request; a Retry-After is in its error.
//
// # Why 64 KB at once
//
// net/http reads HTTP/1.1 in chunks of 4 KB: an event of 10 KB takes two system calls in a burst
// and four alone, and a sixth of one with 64 KB. A watch's own buffer is 32 KB, and 128 KB while
// reads fill it, which improves HTTP/2 by 14 % (BenchmarkWatch).
package wire
