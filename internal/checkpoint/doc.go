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
package checkpoint
