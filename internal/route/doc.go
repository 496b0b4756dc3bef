// Package route is one listener's run loop: it takes events from a source, passes them through the
// filter and the handler to the outputs, and acknowledges them.
//
// What is promised:
//   - An event is acknowledged when the filter or the handler has refused it, when all outputs have
//     taken what came of it, or when it is given up as a dead letter. Never before.
//   - Events of one object are worked on one after the other, in order, retries included; a failing
//     object waits, others go on.
//   - Select chooses objects, and everything behind it sees them alone: an event with which one
//     enters the set is an add, one with which it leaves it is a delete of its last state in the
//     set, and what happens outside of it is nothing.
//   - If the select looks at the clock or at other objects, each object is asked about again within
//     a minute, and it is remembered which ones are selected: what enters or leaves as time passes
//     is an add or a delete, once.
//   - A select that fails leaves the object selected or not as it was, and is counted and logged.
//     Its next event asks again, and a select that looks at the clock or at other objects is asked
//     after 1 s, 2 s, 4 s and so on, at least once a minute.
//   - A filter that fails has no answer: its event is given up. If it looks at the clock or at
//     other objects, it is tried again first, as if an output had failed. It never counts as a no.
//   - Rules see every event of the selected objects that the source has, whatever On and Filter
//     say, and the end of each object. A source may keep back events before and after which no deny
//     can be true or fail: they change nothing. What rules report goes out before the event itself.
//     A rule that fails leaves what is known as it is, and is a dead letter.
//   - Each output receives a violation and its end in turn, beginning with a violation, whatever
//     fails between. What an output does not take is offered again: with the event's retries, then
//     with the object's later events, and after MaxBackoff at the latest. The event with which an
//     object is deleted or leaves the set is retried until all outputs have taken the end of its
//     violations, or the source is stopped. Only what an output refuses for good is a dead letter
//     and not offered again.
//   - If an output fails, what came of the event is kept, and the retry goes on with that output:
//     filter, handler and the outputs before it do not see the event again. What handlers made and
//     is kept so has a bound; beyond it the handler sees the event again, which is counted.
//   - Lines about failures are logged at a limited rate, ten and then one in a second, and are
//     bounded whatever handlers, receivers and objects say. Each says how many were left out before
//     it.
//   - A handler that crashes is retried, like one that asks for it. What has failed Attempts times,
//     or for good, is a dead letter: counted and logged with listener and object.
//   - A handler that takes several events at once gets what is ready, at most Batch events, of
//     which no two are of one object, and no more than a worker's share. A worker waits for one
//     event and for no more. What is selected, judged and filtered out is not in a batch, and each
//     result is dealt with as if the event had been alone.
//   - Without a handler, a worker whose one output takes several messages at once does the same
//     with at most 32 events. Each is written, retried and given up as if it had been alone.
//   - When a batch crashes, none of its events has failed yet. They are given to the handler once
//     more, one by one, in the same turn; the next batches of that worker begin with one event and
//     double.
//   - After PauseAfter crashes in a row, whichever workers had them and with no good result
//     between, the workers take no more events for a second; one that waits for an event already
//     may take that and wait with it. The first event behind the pause is a trial, with all workers
//     waiting for it: if it crashes, too, the next pause is twice as long, up to a minute, and if
//     not, all go on. Events that wait meanwhile are in the source, and what a batch that crashed
//     has left is with its worker. The event that crashed is retried and given up as ever. Each
//     pause is logged once, and the end of the last one; Stats tells of one while it lasts.
//   - Nobody waits for a pause when ctx is done or the source is stopped. There are no new ones
//     then, either.
//   - When ctx is done, the events that a worker has go back to the source, and none of them has
//     failed.
//   - Run blocks, and on its return all workers have ended and their instances are closed.
package route
