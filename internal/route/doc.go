// Package route is one listener's run loop. It takes events from a [Subscription], passes them
// through the [Pipeline] to the outputs, and acknowledges them. A [Route] has the workers that do
// so.
//
// # Acknowledgement and order
//
//   - An event is acknowledged when the filter or the handler has refused it, when all outputs have
//     taken what came of it, or when it is given up as a dead letter. Never before.
//   - Events of one object are worked on one after the other, in order, retries included; a failing
//     object waits, others go on.
//   - An event finishes with the pipeline that it began with, its retries included.
//   - When ctx is done, the events that a worker has go back to the subscription, and none of them
//     has failed.
//   - Run blocks, and on its return all workers have ended and their instances are closed.
//
// # Select and filter
//
//   - Select chooses objects, and everything behind it sees them alone: an event with which one
//     enters the set is an add, one with which it leaves is a delete of its last state in the set.
//     What happens outside of the set is nothing.
//   - If the select looks at the clock or at other objects, each object is evaluated again within a
//     minute: what enters or leaves as time passes is an add or a delete, once.
//   - When a pipeline with another select takes over, each object that comes again is an add or a
//     delete if it has entered or left the set by that, see Pipeline.Before.
//   - A select that fails leaves the object selected or not, as it was, and is counted and logged.
//     Its next event evaluates it again. A select that looks at the clock or at other objects is
//     evaluated after 1 s, 2 s, 4 s and so on, at least once a minute.
//   - A filter that fails has no answer: its event is given up. If it looks at the clock or at
//     other objects, it is tried again first, as if an output had failed. It never counts as a no.
//   - An update that the listener's own outputs have caused goes to the select and the rules, and
//     no further. If an object enters or leaves the set with it, it goes on.
//
// # Rules
//
//   - Rules see every event of the selected objects that the subscription delivers, whatever On and
//     Filter are, and the end of each object. A subscription may keep back events before and after
//     which no deny can be true or fail: they change nothing.
//   - What rules report goes out before the event itself.
//   - A rule that fails leaves what is known as it is, and is a dead letter.
//   - Each output receives a violation and its end in turn, beginning with a violation, whatever
//     fails between.
//   - A report that an output does not take is offered again: with the event's retries, then with
//     the object's later events, and after MaxBackoff at the latest.
//   - The event with which an object is deleted or leaves the set is retried until all outputs have
//     taken the end of its violations, or the subscription is stopped.
//   - Only what an output refuses permanently is a dead letter and not offered again.
//
// # Failures
//
//   - If an output fails, the retry goes on with that output: filter, handler and the outputs
//     before it do not see the event again. What handlers made and waits so has a bound; beyond it
//     the handler sees the event again, which is counted.
//   - A handler that crashes is retried, like one that asks for it. What has failed Attempts times,
//     or permanently, is a dead letter: counted and logged with listener and object.
//   - Lines about failures are logged at a limited rate, ten and then one in a second, and their
//     length is bounded. Each says how many were suppressed before it.
//
// # Batches
//
//   - A handler that takes several events at once gets what is ready: at most Batch events, no two
//     of one object, and no more than a worker's share. A worker waits for one event and for no
//     more.
//   - A batch has only events that have passed the filter, and each result is dealt with as if the
//     event had been alone.
//   - Without a handler, a worker whose one output takes several messages at once does the same
//     with at most 32 events. Each is written, retried and given up as if it had been alone.
//   - When a batch crashes, none of its events has failed yet. The handler gets them once more, one
//     by one, in the same turn; the worker's next batch has one event, and their size then doubles.
//
// # Pauses
//
//   - After PauseAfter crashes in a row, of all workers and with no good result between, the
//     workers take no more events for a second; a worker that waits for an event already may take
//     that and wait with it.
//   - The first event after the pause is a trial, for which all workers wait: if it crashes, too,
//     the next pause is twice as long, up to a minute, and if not, all go on.
//   - Meanwhile events wait in the subscription, and the rest of a batch that crashed with its
//     worker. The event that crashed is retried and given up as usual.
//   - Each pause is logged once, and the end of the last one; Stats has one while it lasts.
//   - Nobody waits for a pause when ctx is done or the subscription is stopped. There are no new
//     ones then, either.
package route
