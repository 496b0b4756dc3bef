// Package sharedstate keeps in JetStream what replicas hand on to each other: what handlers store,
// dead letters, and secrets that all replicas have to know. A [State] is a connection, and a [Hold]
// is what the replica has that works on a part, such as a shard.
//
//	KV_<bucket>        $KV.<bucket>.p<part>.fence            the epoch, and who has the part
//	                   $KV.<bucket>.p<part>.t<table>.k<key>  a value, or that it is gone
//	                   $KV.<bucket>.p<part>.t<table>.mark    that the table was loaded
//	                   $KV.<bucket>.s<name>                  a secret
//	<bucket>-letters   <bucket>-letters.p<part>.fence        as above
//	                   <bucket>-letters.p<part>.t.k<id>      a letter, or that it is gone
//	                   <bucket>-letters.p<part>.t.mark
//
// # Promises
//
//   - There are these two streams, however many parts and tables there are. Open makes what is
//     missing, and leaves alone what is there; it returns an error if that does not fit.
//   - Of several holds of a part, the one that came last has it: once Hold has returned, the server
//     refuses whatever earlier holds of the part write, and nothing that they have sent can come
//     later. They get ErrStale. A Hold of a lower epoch than the last one gets it, too.
//   - What Commit, PutLetter and DeleteLetter have confirmed is on the disks of a majority of the
//     stream's replicas, as far as the servers sync them (sync_interval: always).
//   - What they have not confirmed may have been written, or may be until the next write of the
//     same hold to the same stream is confirmed; never after that. Repeat it.
//   - Commit makes at most 500 changes and 512 KiB visible at once: a larger one is several of
//     these in turn, and an error can leave the first of them. One change is never cut in two.
//   - Load and Letters return at least all that was confirmed before they were called, by whomever.
//     They are writes, too: they need a majority, and get ErrStale.
//   - Letters yields the oldest letter first, by its last PutLetter, and has at most 1 MiB and one
//     letter in memory, besides the ids. What is put or deleted meanwhile may be left out.
//   - A value leaves the server soon after its time is over; Load may still return it.
//   - Parts, tables, keys, names and ids are any bytes, the empty one included; together they are
//     bounded by what a subject may be.
//   - Nothing waits longer than its context, nor longer than 5 s for one answer. While there is no
//     connection, calls fail at once. The connection is made again without end. Why Open waits is
//     logged.
//   - Writes of a hold that come at the same time share a batch. One batch of a hold and stream is
//     under way at a time.
//   - Close ends the calls under way and waits for them; no goroutine is left.
//   - No value and no letter is logged, or is part of an error.
//
// # Design decisions
//
// Each write has the sequence of the hold's fence as Nats-Expected-Last-Subject-Sequence, with the
// fence's subject. The leader of a stream checks it in the order in which it proposes messages,
// refuses what comes while the fence itself is under way, and answers as a new leader only when it
// has applied what the leader before it proposed. It also refuses a second message with the same
// fence while one is under way, so writes cannot be pipelined one by one: they are atomic batches
// (nats-server 2.12).
//
// A refusal says nothing for certain, since it is also the answer to a write that another one is in
// the way of. So the hold looks who has the fence, writes it again, and sends the batch again.
//
// A write that was not answered can still be on its way, and would come after a later one. So the
// hold writes its fence again before it writes anything else: what had the old fence is refused.
//
// Direct gets are answered by any replica, which may lag behind. So Load writes a mark into the
// table, and reads in the order of the stream until it sees the mark: a replica that has it has all
// before it. What an earlier answer had too old comes again behind that. Letters has not all in
// memory, and reads twice: first which letters there are.
//
// Server-side expiry is for what nobody loads any more. That a key is gone is remembered for a
// minute; the value itself has gone with that message already.
package sharedstate
