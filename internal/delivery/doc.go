// Package delivery is the way out of a listener: from the messages that came of an event to the
// outputs. An [Outbox] has what one output has not taken yet of one listener, and [Outbox.Run]
// sends it. An [Output] is a sink as all its listeners share it, with a circuit breaker.
//
//	worker ──Offer──► Outbox ──► sender ──► breaker ──► Sink.Write ──► taken
//	                  (bounded,    ▲                        │
//	                   lanes by    └── retry, full jitter ──┤ transient
//	                   object)                              └─────────► dead letter, if permanent
//
// # How an entry ends
//
//   - What came of an event for one output is an [Entry]. It ends delivered, as a dead letter,
//     dropped or merged, and is counted as that; until then it is waiting.
//   - Offered is the sum of Delivered, DeadLettered, Dropped, Merged and Waiting, at any time.
//   - A dead letter is stored before its entry ends. If it cannot be stored, the entry waits.
//   - An entry is dropped only with overflow drop, and merged only if the outbox is full.
//   - What waits when an outbox is retired, or given up, becomes dead letters, reports of rules as
//     well; and so does what is offered to one that was given up.
//
// # How late it is
//
//   - What waits is as old as its event: since that arrived or, if it did not, came to the listener.
//     After a restart it is as old as it would be without one.
//   - An entry has a lag if its event arrived and the output has taken what there was of it, what
//     rules report included. What rules report is counted apart from entries.
//
// # Order
//
//   - Messages of one object reach the output one after the other, retries included.
//   - An object that fails holds up itself, and neither other objects nor other outputs.
//   - A message that was made is delivered before anything newer of its object.
//   - Of an entry, what rules report comes first, then what a handler made, in its order.
//
// # Failures
//
//   - What failed is tried again without end, or until its turn comes when GiveUpAfter has passed
//     since it was offered. What a sender waits with for a paused output is given up at that time,
//     and the rest in its turn, some minutes later at most.
//   - The delay is random, of at most MinBackoff after the first failure, and twice as much after
//     each further one, up to MaxBackoff. It is as long as the receiver asked for.
//   - What the receiver refuses permanently is a dead letter at once; the rest of its entry goes
//     on.
//   - After [FailuresBeforePause] writes in a row of which nothing was taken, the output is paused
//     for all listeners: nobody tries but one, with one entry, when the pause is over. What goes to
//     the API servers of several clusters is paused for each of them alone.
//   - The one entry is one that was tried least. So objects that always fail hold up others for a
//     few pauses at most.
//   - What is put back because of a pause, another output or the end of Run has not failed: it is
//     sent at once when it can be, and its attempts stay as they were.
//   - With another output, nothing waits for a delay that the one before was given.
//   - A sink that crashes fails for the messages alone with which it crashes each by itself. After
//     [CrashesBeforeLetter] crashes such a message is a dead letter.
//   - A receiver that asks for a delay pauses the output for that long. What has more messages to
//     send then goes on when the pause is over.
//
// # What rules report
//
//   - A report counts as told when the output has taken it, see [Settler].
//   - A report that is not owed any more is not sent.
//   - A report that is merged away is owed again.
//   - What is owed is made as the entry's own [Maker] makes it: of an object, no message made by an
//     earlier configuration follows one of a later.
//
// # Full outboxes
//
//   - With several outputs, an object whose entry has no room is marked, as in package informer:
//     later entries of it are merged, and the last one is sent, with missed set. It is resumed if one
//     of them was.
//   - What was merged is one event from the first old state to the last new one. What a handler or
//     an expression made of the last event is sent as it is.
//
// # Memory
//
//   - What waits takes at most 320 bytes for each event and output. Its objects, which the outputs
//     share, and what was made of it come on top. With Keep it takes twice as much.
//
// # Restarts
//
//   - With Keep, [Outbox.Cut] has what has changed of what is unsent, and a [Backlog] adds up cuts.
//   - A restored outbox sends each object's messages in their order, before anything newer of it.
//   - What was made is sent as it was made, and what was sent of an entry is not sent again.
//   - Attempts, and the time since an entry was offered, go on. No entry lacks room.
//   - Rules' reports are not kept: the entry asks its Maker for those that are owed again, of the
//     last event if several were merged.
//   - A replay is not kept: its letter still is.
//   - What has ended after the last cut is sent again, with the same ids.
//   - [Outbox.Force] takes what there is no room for, in its order.
//   - A rule's report is written once an Await has returned that began after rules had noted it. As
//     long as that fails, the write is put off, and nothing has failed.
//   - A cut of another version, or a damaged one, is refused, and changes nothing.
//
// # Running and stopping
//
//   - Run has one goroutine until something is offered, and then at most as many as the sink takes
//     writes at once.
//   - Run returns when Stop was called and all is delivered, or when ctx is done.
//   - What a sender has when ctx is done goes back to the outbox, and has not failed.
//   - When an outbox gets another output, writes under way end at the one before, and what comes
//     later goes to the new one. What the one before is closed on, see [Output.Retire], has not
//     failed.
//
// # Design decisions
//
// An outbox is an [informer.Subscription] that no informer feeds: it needs the same bound, lanes,
// retries and marks. A worker that wrote itself would wait for the slowest output.
//
// Events are merged behind the filter: before it, `changed` and `became` would miss states that
// another output should have.
//
// Delays are random from 0: what failed together comes back evenly. The output's pause keeps
// small delays from becoming a busy loop.
//
// An outbox that is kept for cuts notes each entry when it is offered and when it ends. A cut
// five times a second must not look at ten thousand entries that have not changed.
//
// A restored outbox does not take what it has of an object, or older: cuts of the informer and of
// outboxes follow each other, and what was handed over between them would come from both.
package delivery
