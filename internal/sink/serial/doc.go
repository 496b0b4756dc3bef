// Package serial is the goroutine that writes for a sink whose writes cannot be interrupted, such
// as those to a file or a pipe. Write of the sink hands its messages over and waits for the result,
// or until its ctx is done; so a write that hangs holds up no caller longer than that.
//
//   - Jobs are carried out one after the other, in the order in which they were handed over.
//   - A job whose ctx is done when its turn comes writes nothing.
//   - Close waits for the jobs under way; callers that still wait for their turn get
//     sink.ErrClosed.
//   - A Close whose ctx is done leaves the goroutine behind until the write that hangs has ended.
package serial
