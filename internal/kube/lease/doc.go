// Package lease elects one of several replicas by a Lease of the API server, and keeps what the
// leader writes down for its successor in a ConfigMap next to that.
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
package lease
