// Package fence keeps a process from sending what another one may have overtaken by now. A [Fence]
// asks whether this process may still send; sinks have their bytes pass it on their way to the
// operating system.
//
// What is promised:
//   - The question is asked before each write of a connection or a stream, after everything that
//     may take long: encoding, waiting for a turn, connecting, a handshake, what a client does again
//     by itself. A long write is cut into parts of 16 KiB, each with its own question.
//   - What is refused is not written. The error wraps [ErrRefused] and the reason, and is worth a
//     retry.
//   - Cut ends the connections at once, with everything that waits for an answer. What the kernel
//     has not sent by then is dropped.
//   - A nil Fence refuses nothing, and adds nothing to a connection or a stream.
//
// What may come late nevertheless is what the kernel was given before: a part of 16 KiB, or a line,
// whose question was answered a moment ago, and what the kernel had in its buffer.
package fence
