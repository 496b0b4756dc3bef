// Package ledger notes for each object of a listener up to which version its events have come to an
// end, and to which: that is what an audit compares with the cluster. It is plain data with a lock:
// no channel, no goroutine.
//
// # Rules
//
//   - Only ends are noted, where they happen. What is under way is asked of those who have it, so
//     that an event which nobody has and nobody ended shows.
//   - The latest end of an object counts, and of several outputs the worst one.
//   - An event is under way to its outputs from [Ledger.Pass] until [Ledger.End] of each.
//   - An end that comes after a later state was passed on is not noted.
//   - A resync or a recall that leads nowhere changes nothing.
//   - A delete that has come to an end takes its object out. If it came to that before the buffer,
//     while older events of the object may be in it, those are not noted any more.
//   - A dead letter that is delivered by a replay counts as delivered.
//   - An object takes about 20 bytes, and what has gone is given back.
//
// Objects are known by the hashes of their keys: two of them are mistaken for each other once in
// four billion audits of 100,000 objects.
package ledger
