// Package sink is what route and the outputs agree on: [Sink], the receiver of a listener's
// messages, [Message], one CloudEvent on its way out, and which errors are worth a retry.
// Each kind of output is a package below it; cloudevent makes messages and puts them into JSON.
//
// A [Gate] closes a sink: it counts the writes under way, and Close waits for them.
//
// A [Serial] is the goroutine of a sink whose writes cannot be interrupted, such as those to a
// file:
//
//   - Jobs are carried out one after the other, in the order in which they were handed over. One
//     whose ctx is done when its turn comes writes nothing.
//   - A write that hangs holds up no caller longer than its ctx. Close whose ctx is done leaves the
//     goroutine behind until the write has ended.
//
// A [Fence] keeps a process from sending what another one may have overtaken by now:
//
//   - It is asked before each write of a connection or a stream, after everything that may take
//     long. A long write is cut into parts of 16 KiB, each with its own question.
//   - What is refused is not written. The error wraps [ErrFenced], and is worth a retry.
//   - Cut ends the connections at once, without sending what waits in the kernel.
//   - A nil Fence refuses nothing, and adds nothing.
//
// What may come late nevertheless is what the kernel was given a moment before.
//
// A [DryRun] shows what outputs would send, in place of sending it:
//
//   - A line has the output, its kind, what would be done, the destination, the listener, the object
//     and the body, and the cluster where there are several. As JSON it is one object.
//   - No line has a secret: of a URL it has the host alone, of configured headers the names.
//   - The body is what the output would send, byte by byte, except that what is not printable is
//     escaped outside of JSON.
//   - A write that is shown counts as taken. One that cannot be shown has failed.
//   - Messages that an output would send together are shown together, others one by one.
//
// The outputs that write to a Kubernetes API server share [KubeAPI] and the meaning of its errors,
// see [KubeFailure]:
//
//   - No answer, 401, 408, 409, 425, 429 and 5xx are transient; other 4xx are permanent.
//   - A right that is missing is transient, and about one message: it may be granted later. A 403
//     for another reason, such as that of an admission webhook, is permanent.
//   - A delay that the server asked for is passed on.
//   - The text has the server's words quoted and bounded, and no value that the server refused.
//
// # Design decisions
//
// A message is put into JSON when it is sent: until then it refers to objects that share their
// text, and its JSON would be a copy of an object in every outbox.
package sink
