// Package dryrun shows what outputs would send, in place of sending it. A [Report] writes a line
// for each request, record or line that an output would have written, and [Report.Sink] makes a
// sink of an output whose connection was replaced.
//
// What is promised:
//   - A line has the output, its kind, what would be done, the destination, the listener, the object
//     and the body. As JSON it is one object.
//   - No line has a secret: of a URL it has the host alone, of configured headers the names.
//   - The body is what the output would send, byte by byte, except that what is not printable is
//     escaped outside of JSON.
//   - A write that is shown counts as taken. One that cannot be shown has failed.
//   - Messages that an output would send together are shown together, others one by one.
package dryrun
