// package route is one listener's run loop. It takes events from a subscription, passes them
// through the [Pipeline] to the outputs, and acknowledges them. A [Route] has the workers that do
// so.
//
//	subscription ──► worker: own? select, rules, filter, handler ──► an outbox per output ──► senders
//
// Package delivery has the outboxes and senders: order per object, retries of outputs, their pauses
// and their dead letters.
//
// # Acknowledgement and order
//
//   - An event is acknowledged when the filter or the handler has refused it, when what came of it
//     is in the outboxes of all outputs that want it, or when it is a dead letter. Never before.
//   - A dead letter is stored before its event is acknowledged. If it cannot be stored, the event
//     waits.
//   - Events of one object are worked on one after the other, in order, retries included; a failing
//     object waits, others go on.
//   - Select, filter, rules and handler do not see an event again because an output has failed.
//   - Another pipeline takes over while the route is paused: workers finish what they have before
//     that. An event that waits for room goes back, and later to the outputs that it was for.
//   - When ctx is done, the events that a worker has go back to the subscription, and none of them
//     has failed.
//   - Run blocks, and on its return all workers and senders have ended and the workers' instances
//     are closed.
//
// # Outputs
//
//   - Each output has an outbox. The outbox of a listener's only output has room for what the
//     output takes at once, twice: its workers wait for it, and events stay in the subscription.
//   - Where workers wait for room, an object that fails gets half of it at most: further events of
//     it stay in the subscription, and others go on.
//   - With several outputs, a full outbox merges, waits or drops as the listener's buffer does, and
//     the workers wait if all outboxes are full. With rules, none drops.
//   - The workers also wait while what handlers and expressions made takes too much memory in an
//     outbox, see delivery.MaxMade.
//   - What an output's When does not want does not enter its outbox. Data is evaluated once, when a
//     message enters it.
//   - An expression of an output that fails is a dead letter for that output alone.
//   - An outbox, with what waits in it, lasts as long as pipelines have an output of its name. What
//     waits for an output that is removed becomes dead letters.
//   - An output that is removed and used again gets nothing before that.
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
//     other objects, it is tried again first, up to Attempts times. It never counts as a no, unless
//     OnError says so.
//   - A filter that looks up what is not there is not decided before a second has passed since the
//     event came from a watch, but for a delete: the other informer may be behind.
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
//   - A report counts as told when the output has it. One that was merged away, or could not be
//     sent, is offered again with what comes of the object next, and after MaxBackoff at the
//     latest.
//   - The event with which an object is deleted or leaves the set brings the end of its violations
//     to all outputs, before anything newer of the object.
//   - Only what an output refuses permanently is a dead letter and not offered again.
//
// # Failures
//
//   - A handler that crashes is tried Attempts times on an event, and so is one that asks for a
//     retry. Then the event is a dead letter; one that the handler fails is one at once. Nothing
//     else uses up attempts, except a filter that looks at the clock or at other objects.
//   - Each dead letter is counted, and logged with listener and object.
//   - Lines about failures are logged at a limited rate, ten and then one in a second, errors apart
//     from warnings, and their length is bounded. Each says how many were suppressed before it.
//
// # Batches
//
//   - A handler that takes several events at once gets what is ready: at most Batch events, no two
//     of one object, and no more than a worker's share. A worker waits for one event and for no
//     more.
//   - A batch has only events that have passed the filter, and each result is dealt with as if the
//     event had been alone.
//   - Without a handler, a worker does the same with at most 32 events. Each is handed over as if
//     it had been alone.
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
//
// # Replays
//
//   - The event of a dead letter goes through the present pipeline, to the output of the letter, or
//     to all of them if no message was made.
//   - It waits until nothing else of its object is under way, and what comes of the object
//     meanwhile waits for it: no event follows a newer one of its object, and no report a newer
//     one of its rule.
//   - A letter that was replayed or dropped while it waited is not sent.
//   - It keeps nothing from coming: rules report in time what they would have reported.
//
// # Stopping
//
//   - Drain has Run deliver what is in the subscription and in the outboxes. Once ctx is done, Run
//     ends at the next opportunity.
//   - What a handler has when the time to drain is over is a dead letter on its last attempt, and
//     goes back on any other one, which does not count then.
//   - Drain waits for nothing in vain: if all that waits is due after ctx's deadline, since outputs
//     are paused or what failed is tried again later, Run ends at once.
//   - Leave is for a listener that nobody goes on with: what outputs have not taken when its time is
//     over, or would take later, becomes dead letters, wherever it waits.
//
// # Restarts
//
//   - [Route.Cut] has what has changed of what a restart needs, and a [Saved] adds up cuts: what is
//     unsent, what rules remember, and which objects are remembered as selected or not.
//   - A restored route sends what was unsent to the output of the same name, before anything newer
//     of its object. What the informer comes with once more of that object is not sent, up to the
//     version that was unsent, however many restarts there are before it comes. Once versions have
//     gone back, it is sent: it may be newer.
//   - What was unsent for an output that the pipeline does not have becomes dead letters, and so
//     does what waited for one that was removed before; its successor gets nothing before that.
//   - Rules go on: For does not begin again, and what was reported is not reported again.
//   - A report is sent once Await has returned, and as long as that fails, it waits.
//   - If the process dies after that, an output that knows of a violation gets its end, and one that
//     knows of the end gets the next violation, whatever has become of the object by then.
//   - An object that was selected stays so until the select is asked again.
//   - With Keep and several outputs, an event goes into all its outboxes at once, beyond their room
//     if need be, and the worker waits for room after that.
//   - With Keep, what waits for room in the only outbox when ctx is done goes into it. So what was
//     handled is not handled again, and no output gets it twice.
//   - EndAbsent resolves the violations of objects that there are no more, and what was selected of
//     them is deleted, with its name alone. An object that comes back meanwhile is left alone.
//   - A cut of a route in which nothing has happened is empty, and allocates nothing. The first one
//     after Restore has the versions of what was unsent.
//   - A damaged cut is refused.
//
// # Design decisions
//
// A select that reads the object alone remembers nothing: the two states of an update show what
// enters and leaves. One that reads the clock or other objects would judge the old state by what
// is true now, so its members are remembered, at about 100 bytes each.
//
// A filter that fails ends its event as a dead letter: it would fail again, unless it reads other
// objects. A select that fails keeps its last result, a good guess until there is a better one.
//
// Rules with for come again as an event of their object (Delivery.Again): lanes, retries and
// order are those of any event.
//
// A replay goes through the object's lane, one letter at a time: no letter follows something
// newer of its object, and it meets the select, filter and handler that were mended.
//
// A handler that keeps crashing pauses its listener: events wait in the buffer, where giving up
// each in turn would make dead letters of all. The crash of a batch counts against none of its
// events, since it does not show which is bad.
//
// Without a handler a worker takes 32 events at once: to a pipe, that takes 8.5 us for each event
// of 10 KB instead of 14 (bench/matched).
package route
