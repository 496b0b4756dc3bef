// Package buffer holds the events of one subscription until a worker takes them. It is plain data:
// no lock, no channel, no goroutine. Whoever owns a Buffer locks it, and runs its DiskJobs without
// that lock.
//
// # The way of an event
//
//	               ring: at most capacity
//	Offer ────────► entries, in order ─────► Take ──► with a worker ──► Done
//	  │              ▲           object busy │  ▲            │
//	  │ no room      │                       ▼  │            ▼
//	  │              │                      lanes ◄──────── Park ... Unpark
//	  │              │ promote: 1. backlog, 2. spill, 3. marks
//	  ├─► spill ─────┤
//	  ├─► marks ─────┤
//	Join ► backlog ──┘
//	Recall ► recalled ─────────────────────► Take
//
// The order among objects is that of their first event. Events of one object are handed out one
// after the other, see package lanes. What comes from lanes, such as retries, takes turns with the
// rest.
//
// The invariant: of each object, a worker gets a subsequence of its true states, in order, which
// ends with the last one or with the object's deletion.
//
// # Marks
//
// A mark is what an object still has to say when there was no room for its events:
//
//	offered    add 1 │ update 2 │ update 3        delete 4 │ add 5 (another object) │ update 6
//	mark       add 3, two missed                  before: delete 4, latest: add 6, one missed
//
// # Bounds
//
//   - Capacity entries count against the capacity, and as many again wait behind parked ones.
//   - Of each object there is at most one parked entry, one recalled one, one pointer in the
//     backlog, one mark behind the ring and one behind its lane.
//   - What waits for the disk is bounded in number and in bytes, see MaxUnwritten.
//   - A mark refers to objects that the store holds anyway, to the last state of deleted ones, and
//     to the last state that fitted the subscription's conditions; the backlog, to first states.
//
// # Design decisions
//
// A full buffer marks an object and drops nothing: a listener that never gets the next state
// stays wrong. New events wait behind the marks, even if there is room: a busy object could
// otherwise overtake a marked one without end.
//
// A goroutine of the subscription writes and reads the spill file, without a lock: a disk that
// hangs stopped the informer and all its listeners. The file is unlinked while it is in use, so
// that nothing is left behind whatever ends the process.
//
// client-go's workqueue is not used: it keeps keys, where lanes keep events in order, and would
// need three goroutines for each listener.
package buffer
