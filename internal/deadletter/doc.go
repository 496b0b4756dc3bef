// Package deadletter keeps what could not be delivered: a [Store] of letters, in a file or in
// memory. A [Letter] is an event, or the message that was made of it, with the reason why it was
// given up. Letters are listed, replayed and dropped with the commands informerd dlq.
//
// # Promises
//
//   - Put returns nil once the letter is on disk. Any error means that the caller still has it.
//   - Callers of Put at the same time share one write to the disk.
//   - Letters are ordered by time, those of one object by their Put, also if the clock goes back.
//   - The letters take at most MaxBytes, and those of one namespace of a cluster at most
//     NamespaceBytes, counted exactly. Where there is no room, superseded letters give way, the oldest first, then older
//     ones of the same object, output and rule, which are counted as dropped; but no deletes.
//   - Without room, Put returns an error at once; or ErrDropped, as configured.
//   - Full is called when a letter has no room, at most once a minute.
//   - A letter that is larger than all of a namespace may be is refused with ErrTooLarge.
//   - A letter that is older than MaxAge is removed and counted as expired.
//   - A letter put in place of another one, as by a replay, has that one's place in the order, and
//     never waits for room.
//   - A letter is superseded once something newer of its object was delivered where the letter
//     would go. With Clusters, an object of the same names in another cluster is another one. That is remembered on disk soon afterwards, or when the store is closed.
//   - A listener without letters pays one atomic load for that.
//   - What a killed process leaves behind opens again, with every letter whose Put had returned.
//   - A damaged file is refused by Open, and left as it is.
//   - A full disk is an error of Put, and the store goes on.
//   - List notes which letters there are, and then holds up neither Put nor the disk.
//   - The file does not shrink: what letters have left in it is used again.
//   - With a mirror, Put of a letter of a part returns nil once the mirror has it, and Delete once the
//     mirror has it no more. If the mirror fails, they return an error, and only what is of the part
//     is as it was: that holds up and fails nothing else.
//   - What else is done with letters of a part, as that they are superseded, give way or expire, is
//     mirrored soon afterwards, again and again until that succeeds; the store keeps no more for
//     that than their IDs. Flush waits for it, and Close tries once more.
//   - Who takes a part over has, with Load, every letter whose Put returned nil, with its ID, and
//     none whose Delete did; after Flush and Unload also what was superseded, and nothing else. If
//     the last owner was killed, letters that had given way, had expired, or whose Put had just
//     failed may come back, a Delete that had just failed may have been done, and a letter to which
//     Load had just given another ID may be there twice.
//   - No object, message or error of a letter is ever logged.
//
// # Design decisions
//
// The file has a bucket with a value for each letter: a checksum, the time, the fields as JSON, and
// the texts as JSON. What the store has to know of all letters to find them is in memory. That a
// letter is superseded is in a bucket of its own, since letters may be large.
//
// bbolt's Batch waits 10 ms for more callers. A writer that takes everything since its last
// transaction needs no wait: one caller waits for one fsync, 64 share it (BenchmarkPut: 2,000 and
// 38,000 letters a second).
//
// An ID is the time in nanoseconds without its last ten bits, or the last ID and 1,024: a replay
// that fails puts its letter between, in the order of its object. The last ten bits are a hash of the
// part, as several replicas give IDs. Where that is not enough, a letter is given another ID by Load:
// deleting one by an ID would else remove two.
//
// Whether a mirror that failed has a letter is not known. So the next call for the part settles that
// alone, and what is put meanwhile waits or fails with it: what is to be settled never grows.
package deadletter
