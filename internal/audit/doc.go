// Package audit compares what the stream of a listener ended on with the objects in the cluster.
//
//   - The cluster is listed page by page, and each object's version compared with the ledger's.
//   - What the ledger does not have is waiting, if an informer's gate, the buffer, or an output's
//     has it; they are asked in the order of an event's way, so that one on its way is not missed.
//   - What nobody has is asked for again until the patience is over, and the cluster with it, since
//     that moves on: only what is not seen then was never seen.
//   - So is the end of an object that the ledger had before the list, and that is in none.
//   - Objects that the informer was not asked for are no part of it.
package audit
