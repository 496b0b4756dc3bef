// Package lease elects one of several replicas by a Lease of the API server, or divides shards among
// them by several, and keeps what a leader, or the holder of a shard, writes down for its successor
// in a ConfigMap next to that.
//
//   - At most one candidate holds the Lease. A leader asks [Candidate.Check] before it does anything
//     that others see: it fails from RenewDeadline after the last renewal on, before the Lease ends.
//     [Candidate.Lost] is closed at that moment, whatever the API server answers by then.
//   - Time is that of this machine's monotonic clock. Neither a clock that is set nor the clocks
//     of others matter.
//   - [Candidate.Run] blocks until its context is done, and then hands the Lease over: others who
//     watch it need not wait for its end. It returns ErrLost if it cannot be renewed.
//   - Whoever has lost the Lease leaves it to the one that has it by now.
//   - A [Record] is written by the leader alone: a write fails once another one has claimed it. What
//     is final in it is so for the one that claims it next, and for no other.
//   - The Lease and the ConfigMap that are made here have the owners of [Config], and go with them.
//     Those that exist already keep their metadata.
//
// # Shares
//
// [Shares] divides work into shards. Each replica announces itself by a Lease that it renews as a
// leader does, NAME-replica-HASH. The Lease of a shard, NAME-shard-I, says who has it, and is
// written when it changes hands alone. Replicas find all of them by a label, and ask for no times in
// them.
//
//   - At most one replica holds a shard. Whoever works on one asks [Shares.Check] before it does
//     anything that others see. It fails for all shards of a replica, from RenewDeadline after the
//     last renewal of its own Lease on, and for good. Others take them when that Lease was as it is
//     for its duration, by a list that they asked for after it: what was renewed until then was
//     renewed too late for its holder.
//   - A shard whose holder was killed is another one's at most a second after Duration, if the API
//     server answers, and one that is handed over within half a second of that.
//   - Each replica has at most its part of the shards, rounded up, and none is free while one may
//     have more. So one may have none if others have all with their parts. Nothing moves but the
//     surplus of a replica, and what another one has left.
//   - The epoch of a shard grows with each claim, and begins with 1. It can grow by more than one,
//     if it was not known whether a claim was successful.
//   - Replicas ask the API server for a renewal and a list from time to time, however many shards
//     there are. What changes hands costs a write, and each end of a hold at most another list.
//   - Replicas that know of different numbers of shards take none while both are alive.
//   - Nothing helps against somebody else who writes to these Leases or deletes them: the holder of
//     a shard notices that when it looks next.
package lease
