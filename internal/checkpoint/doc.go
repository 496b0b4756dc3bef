// Package checkpoint keeps the state of a program on disk: a [Store] of blocks, in files of one
// folder. What a block means is its owner's business. A log takes one block after the other, each
// committed with one fsync. Once the log has grown, a snapshot of the whole state replaces it.
//
// # Promises
//
//   - Commit returns nil once its block is on disk. A crash at any time loses no such block.
//   - After a crash a block is there as a whole or not at all, and blocks are in their order.
//   - A rotation changes nothing that loads: it is the old snapshot with all logs, or the new
//     snapshot with the new log.
//   - After an error of Commit the store refuses everything with ErrFailed: what is on disk is
//     unknown, and nothing is ever committed on top of it.
//   - A snapshot that cannot be written does no harm; commits go on.
//   - The end of the last log that a crash has torn is cut off: no Commit has returned for it.
//   - Damage anywhere else is refused with ErrDamaged, which names the file and the place.
//   - What loads from a damaged folder is a prefix of what was committed.
//   - Files of another format are refused with ErrVersion.
//   - A refused Open or Load leaves every file as it is.
//   - One process at a time uses a folder; others get ErrLocked. A killed process holds no lock.
//   - Files are readable for their owner only, and so is the folder if Open makes it.
//
// # Files
//
// Generations count rotations. Generation 1 begins with nothing:
//
//	log-0000000000000001          everything since the first commit
//
// While generation 2 is made of it, there are three files, and a crash loads the logs 1 and 2:
//
//	log-0000000000000001
//	snapshot-0000000000000002.tmp everything before log 2, not complete
//	log-0000000000000002          commits since the rotation began
//
// Then the snapshot is synced and renamed, and log 1 is removed. A log is renamed as well once its
// head is on disk, so a file with a final name always has a head. See format.go for what is in the
// files, and read.go for what a torn end is.
//
// # Why a log and not a database
//
// It is read once, from front to back, and written every 200 ms by one goroutine; nobody asks for
// a key. Cuts of objects of 1 KB out of 50,000, fsync included, p99 in brackets: 10 objects 1.3
// ms (5 ms), 100 2.5 ms (9), 1,000 6.5 ms (18); bbolt 4.5 ms (10), 17 ms (58), 38 ms (62). Pebble
// 1.1.5 merges files while cuts go on: on a busy machine 0.29 ms (2.8), 1.6 ms (26), 35 ms
// (1,018), where the log took 0.27 ms (0.5), 0.47 ms (7), 6.0 ms (72). A snapshot writes about as
// much as has changed since the last one.
package checkpoint
