// Package replica lets one of several daemons deliver, and another one go on where that has ended.
//
//	leader   ──keeper──> segments ──> Record, next to the Lease
//	standby  ──watch──> objects and their history ──elected──> what is stored and told ──> leader
//
// # What a successor knows
//
//   - The leader publishes, for each listener, how far it has come with each informer, what it has
//     not finished of that, and what its route has not sent: every [keeper.PublishInterval], within
//     [keeper.PublishSoon] when a rule has something to report, and when it stops.
//   - A standby watches what the listeners watch, and keeps what each object was since the oldest
//     version that a listener has come to. So it knows what a listener knows of an object, and
//     hands it the difference, as after a restart with a checkpoint.
//   - A standby begins with the objects as they were at that version, which API servers have for
//     about five minutes; if it began before there was such a version, it begins again. If they
//     have not, it begins with those that there are: objects that were changed since come as add,
//     and deletes of the time between are missed. The log says so.
//   - It keeps at most 16 states of an object.
//
// # Shards
//
// Nobody stands by for a shard. Whoever holds one has claimed it already, and calls [TakeOver] for
// the keeper of what its last owner has published. Nothing is warm then: the objects are listed as
// they were at that version, and what was changed since follows. The promises are the same.
//
// # Promises
//
//   - Nothing is lost. What the leader has done after it published last comes again, with the same
//     ids; after an orderly stop nothing does.
//   - A leader delivers nothing to a listener that it has not published as beginning.
//   - No older state comes after a newer one: a successor waits until it has seen all that the
//     leader had when it published.
//   - A listener of which there is too much to publish, see [lease.MaxRecord], keeps what was
//     published of it before. More of it comes again then, and the log says so.
//   - Only the leader delivers: it asks before each attempt, and two can overlap by no more than
//     attempts that were under way.
//
// # Why a take-over is a restart
//
// A standby that ran its listeners would have to follow the leader in everything that handlers
// and rules know. One that keeps the objects and what each listener has finished hands both to
// the code that goes on after a restart, which has the promises and the tests. The leader writes
// to a ConfigMap: standbys may not reach it, and what it wrote must outlast all of them.
package replica
