// Package kv holds small values for handlers: a table for each listener of each shard, in memory,
// and on request in a file or another [Backing] as well.
//
// What is promised:
//   - Stores of the same listener and shard share one table for as long as one of them is open, so
//     that a handler finds what the one before it left, also while both are there. Each writes
//     within its own limits.
//   - A value is gone when its time is over, whether it was asked for or not, and then takes no
//     room of the limits.
//   - A write that would leave more keys or bytes than allowed changes nothing, and returns
//     ErrQuota. What is there already is never thrown away for being too much, whether the limits
//     are lower now.
//   - Reading does not allocate, nor does writing a value that is there already.
//   - What is kept is read when a table's first store is opened, and written when its last one is
//     closed, which forgets the table.
//   - The file is written a second after a change, too, all tables in one transaction. If writing
//     fails, it is reported and tried again, each time after a longer pause, and nothing is
//     forgotten meanwhile.
//   - Stores.Flush writes at once what was stored before in a shard, and touches the file or the
//     backing only if there is something to write.
//   - The file is read as a whole before it is used: one with damaged values is an error, and is
//     left as it is. It is readable for its owner only, and one process at a time uses it.
//   - All is safe for concurrent use.
//
// Of a backing that is not the file:
//   - It is written by Flush and by the end of a table alone, all tables of the shard in one
//     Commit, within 10 s. Whoever makes progress known that rests on what was stored calls Flush
//     before.
//   - While it is away, reads and writes go on in memory, with the same limits; only opening a
//     table needs it. Flush fails, nothing is forgotten, and the next Flush or end of a table tries
//     all of it again.
//   - A table that could not be written when its last store was closed is there for the next store
//     with the same backing. With another backing, as when the shard comes back, all is read from
//     that: what the one before did not take is given up, and no Flush is about it any more.
package kv
