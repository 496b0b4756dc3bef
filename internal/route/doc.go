// Package route is one listener's run loop: it takes events from a source, passes them through the filter and the
// handler to the outputs, and acknowledges them.
//
// What is promised:
//   - An event is acknowledged when the filter or the handler has refused it, when all outputs have taken what came of
//     it, or when it is given up as a dead letter. Never before.
//   - Events of one object are worked on one after the other, in order, retries included; a failing object waits, others
//     go on.
//   - If an output fails, what came of the event is kept, and the retry goes on with that output: filter, handler and
//     the outputs before it do not see the event again.
//   - A filter that fails counts as not matching. A handler that crashes is retried, like one that asks for it. What has
//     failed Attempts times, or for good, is a dead letter: counted and logged with listener and object.
//   - Run blocks, and on its return all workers have ended and their instances are closed.
package route
