// Package keeper keeps what a daemon needs to go on after a restart where it has ended: the objects
// of informers with their version, what each listener has finished of them, and what its route has
// not. [Open] reads it, and [Keeper.Run] has it follow what changes.
//
//	informers ──Factory.Cut──┐
//	routes ─────Cut──────────┤──> one cut ──> checkpoint.Store ──restart──> Stored, Listener
//	handlers' kv ──Flush─────┘    (blocks)
//
// # What a cut is
//
//   - A cut has what has changed since the one before. What listeners have finished is taken first,
//     then what their routes have not sent, and handlers' values are written last: so after a
//     restart an event comes again or is still unsent, and never neither.
//   - A cut counts as a whole, or not at all if a crash has cut it off.
//   - There is a cut after each Interval in which something has changed, and when somebody waits
//     for one. If only the versions of informers have, there is one in [VersionInterval].
//   - Cuts are made and written by a goroutine of their own; the informers stand still for
//     microseconds.
//   - Nothing of an informer is delivered to a listener before a cut that has both has counted: so
//     whatever was delivered, the next process knows that it may have been.
//
// # Restarts
//
//   - What was open when the process before ended waits until it is asked for, by its informer or
//     its listener, and is kept until then, whatever other cuts and restarts there are.
//   - Each informer says whether its process was killed, or has ended in order after its last cut.
//   - A listener that is not about an informer any more, see [Keeper.Bound], has no part in it.
//   - A listener that there is no more, see [Keeper.Forget], is forgotten with all that it had.
//
// # Failures
//
//   - Run returns the first error of the disk, and so does every Await. Nothing is committed after
//     that.
//   - With Continue, Run logs that error and goes on, and Await returns nil. What is on disk stays
//     as it was: the next process goes on there, as if this one had been killed then.
//   - A snapshot that cannot be written is logged, and tried again later; cuts go on.
//   - Damage, another format and a folder that another process uses are errors of Open, as those of
//     package checkpoint.
//   - What Open reads from damaged files in spite of that is what one of the cuts has left, never
//     anything else. So what came since comes again.
//   - It is the last cut, unless the damage looks as if a kill had torn that: the end of the last
//     log is missing, or the last cut is damaged. A page of 4 KiB may have several of the last cuts.
//   - After a Run that has returned nil, a bit or a page that is damaged is noticed, or it is the
//     last cut.
//
// # Design decisions
//
// What nobody has asked for yet is written into each snapshot: a definition that is away can
// delay a listener over many restarts, and the first rotation would lose its state.
//
// A rotation takes the cut for the old log and the whole for the snapshot under one lock of each
// informer (CutAndWhole). Whole alone would leave what changed since the last cut out of the old
// log, Cut and then Whole what changes between the two.
//
// Reports of rules wait for a commit: their ids have the time at which a violation began, which
// only the book knows. A violation that was reported before a crash and judged again after it
// would have another id.
package keeper
