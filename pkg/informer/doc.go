// Package informer keeps copies of Kubernetes resources as JSON bytes and notifies subscriptions of
// each change. It behaves as client-go's shared informer with the delta queue of its classic
// design, and differs where this page says so. A [Factory] owns the informers; a [Subscription] is
// the end that consumers pull from.
//
//	client, err := informer.NewClient(restConfig)
//	factory := informer.NewFactory(client, logger)
//	config := informer.SubscriptionConfig{Resync: 5 * time.Minute}
//	subscription, err := informer.NewSubscription(config)
//	_, err = factory.Subscribe(pods, informer.Scope{}, informer.Shape{}, subscription)
//	go subscription.Run(ctx, handler)
//	err = factory.Run(ctx)
//
// The folder examples has whole programs.
//
// # The way of a change
//
//	API server ─► reflector ─► deltaQueue ─► controller ─► processor ─► Subscription ─► workers
//	              (goroutine)  (bounded)     (goroutine)                (bounded)
//	                                         │
//	                                         └─► store ─► Lister
//
// Step by step:
//
//  1. The reflector reads a frame from its watch and parses it into an object.Object.
//  2. It queues a delta under the object's key. If the queue is full, it stops reading.
//  3. The controller takes all deltas of the key that waits longest. If nothing is queued and the
//     controller is idle, the reflector's goroutine does the controller's work itself.
//  4. For each delta, it compares with the store, changes the store, and has the processor
//     distribute the event.
//  5. The processor offers the event to each subscription that wants it, which takes it into its
//     buffer or marks the object.
//  6. A worker gets it from [Subscription.Next], and calls Done, Retry or Again.
//
// A new list goes the same way: a delta for each item, and a delete for each object that is gone.
// The first list does not: the reflector's goroutine puts it into the store and hands it to the
// subscriptions, many objects at a time. Nor does a resync: the controller's timer hands the
// subscription a snapshot of the store.
//
// # Order
//
//   - The events of one object come in the order in which they happened, retries included.
//   - Events of one object are never with two workers, nor twice with one that has taken several.
//   - Objects come in the order of their first event; nothing is promised across objects.
//   - Two subscriptions are independent.
//
// # What a subscription sees
//
//   - Of each object, it sees a subsequence of the true states, up to the last one or the end.
//   - While its buffer has room, it sees every state that the API server sent.
//   - When the buffer is full, an object comes once in its current state; Missed counts the rest.
//   - The first list comes as adds with Initial set, as does what is stored when it joins late.
//   - A delete that was missed comes with FinalStateUnknown and the last known state.
//   - An object that was deleted and created again unseen is a delete and an add, never an update.
//   - A resync comes as [event.Resync] after the subscription's own period, never as an update.
//   - An event never waits for a resync; a resync takes no room in the buffer.
//
// With [OverflowDrop], the last state may be dropped. What the conditions refuse is left out of all
// this, see below. If a resync is still under way when the next one is due, it continues and the
// next is skipped, see [SubscriptionStats].ResyncsSkipped. An object that a new list does not
// change is a Resync for subscriptions that were part of the last resync, and nothing for others.
//
// # Memory
//
//   - The store holds an object as its difference to a similar one, if there is one.
//   - Other objects are compressed once nobody has changed them for 15 to 30 seconds.
//   - Events carry objects as they are stored; what nobody looks at is never unpacked.
//   - The memory of a stalled subscription is bounded: its buffer, and a mark for each object.
//
// A pod of 10 KB in a Deployment with replicas takes about 1 KB. Compressed objects take a half to
// a tenth of their text; package object says what that means for readers. The controller compresses
// when it is idle, in steps of a millisecond and for a tenth of its time at most. [Factory].OnFreed
// can have the garbage collected that this leaves.
//
// # Shards
//
//   - The informers of all shards of a [Scope] together have each object once.
//   - What is foreign costs little more than to read and drop its bytes, whatever the server sends.
//   - An API server that can is asked to select the objects of the shard itself, if that is one
//     ByObject. It may begin and cease to do so at any time; nothing is lost, and no list comes.
//   - A watch goes on behind foreign events as well.
//
// All processes hash alike, so nothing else has to be agreed on but Count and ShardKey. If a list
// says that the server has selected another shard than it was asked for, which it never should, the
// informer lists again, and asks for all objects from then on. A foreign object is not checked
// behind the head of its metadata. An object that is made again may be in another shard ByObject;
// what a subscription to both gets of it is in no order.
//
// # Conditions
//
//   - A refused event is counted in [SubscriptionStats] and takes no lock and no memory.
//   - Each event is judged by its own op and object, a delete by the last known state.
//   - Old is the state before, whether or not the subscription got that one.
//   - Refused events are not counted in Missed, and HasSynced does not wait for them.
//   - A condition on the old state compares with the informer's one, even if events are merged.
//   - Of each object, the last event that the conditions allow is never lost.
//
// The fields that all subscriptions ask for are read once for an event, so that an informer can
// have hundreds of subscriptions of which each wants little. The first condition on a field costs
// what a filter on that field would; further ones cost some 20 ns each. See package condition.
//
// An object that stops fulfilling the conditions is not reported any more, not even its end. With
// Transitions, it is: an update is also judged as an add of the new state and as a delete of the
// old one, and a delete as one of the state before, which is then in Delivery.Before.
//
// # Asking for an object again
//
//   - Delivery.Again has the object delivered again after a while, as a Resync with Recalled set.
//   - An event of the object that comes before that takes its place.
//   - It keeps the order and takes no room in the buffer.
//   - It does not come if the object is gone by then, or the subscription stopped.
//
// With Transitions, an end that the conditions have refused comes in its place, as a Delete with
// Recalled set.
//
// # Retries
//
//   - An event given back with Delivery.Retry holds up its own object and no other.
//   - A handler's panic is an error of that event.
//
// Waiting events have room of their own: one for each object, and behind them as many as the
// capacity. What exceeds that is merged into a mark, one for each object. With [OverflowBlock]
// nothing is merged, and finally the informer waits.
//
// # Events offered by hand
//
//   - [Subscription.Offer] feeds a subscription that is not an informer's, with a Progress of each.
//   - Offer and OfferAll never wait. With OverflowBlock, or after Stop, they refuse and say so.
//   - Each Progress comes with a delivery, at its retries as well, or is forgotten, once.
//   - What is merged has the Progress of its last event.
//   - An event that waits for its retry keeps its Progress.
//   - [Subscription.OfferWait] returns when there is room.
//   - [Registration.Knows] is true of an object whose end the subscription was not offered yet.
//
// A [Progress] learns of its end.
//
// # Reloads
//
//   - [Subscription.Reconfigure]: what waits stays, with its order, retries and recalls.
//   - [Subscription.Rescan]: each stored object comes once more, whatever the conditions refused.
//   - A rescan comes after an object's own events, and takes no room in the buffer.
//   - [Factory.Exchange]: the old informers go on until the new ones have synced.
//   - An exchange delivers the difference alone, as deletes, adds and updates.
//   - Of each object, what came before an exchange, its difference, and what follows are in order.
//   - What waits stays through an exchange; its difference is neither dropped nor refused.
//
// New conditions hold for events that come after Reconfigure has returned. A rescan has Recalled
// set. An object that leaves the scope is a Delete with FinalStateUnknown, as its end was not seen;
// the conditions judge it as any delete. Exchange compares once the new informers are nowhere
// behind the old ones, for which it may have to wait for a bookmark of the API server.
//
// # Checkpoints
//
//   - [Factory].Cut has objects, their version and what subscriptions must learn, of one moment.
//   - What a subscription with Track has finished is in the next cut; a cut never has more.
//   - An informer with a [Stored] watches from its version; it lists only if that has expired, or if
//     the server is behind it. That is asked with a list of one object.
//   - A subscription in the Stored gets the difference between what it knows and what is stored.
//   - What it had finished before the last cut does not come again; what came after that does.
//   - No last state and no delete is lost, and the order is kept, whenever the process ends.
//   - What is not finished when a subscription is stopped or discarded counts as not finished.
//   - The delete also comes of what was delivered, not finished, and is gone after the restart.
//   - A subscription gets nothing of an informer before a cut that has both is kept.
//
// What the difference consists of has Resumed set, and is judged by the conditions as if it had
// happened now: an object that has another UID is a Delete and an Add, one that is gone is a Delete
// with FinalStateUnknown and the state that the subscription knows. What the conditions refused, or
// OverflowDrop gave up, counts as known; a state that they allowed, and nobody finished, is passed
// over if a later one was refused. A subscription that is not in the Stored begins with initial
// adds, once the list is complete and [Factory].Kept was called after a cut; what an exchange adds
// does not wait for that. The last cut of a process is taken once workers have ended, and before
// registrations are removed; whoever keeps cuts notes that this was the last one, or has Killed in
// the next Stored: then what may have been delivered counts as delivered, so that the delete of an
// object may come of which nothing else came. Only if the version has expired, the end of an object
// is missed that came and was delivered after the last cut, and is gone by the list. A resync comes
// when it would have come without the restart; one that was cut off begins again. Retries begin
// with their first attempt; Again and rescans are forgotten.
//
// # Full buffers
//
//   - A stalled subscription holds up neither the informer nor other subscriptions.
//   - [OverflowLatest], the default: the object is marked and delivered once in its current state.
//   - [OverflowBlock]: the informer waits, and with it its other subscriptions.
//   - [OverflowDrop]: the event is dropped and counted; the first list is not dropped.
//   - [OverflowSpill]: the event goes to a file and comes back in order.
//
// Events that do not fit into the spill file, or cannot be written, are as with OverflowLatest.
// Only the subscription's own workers wait for the disk. At most 4,096 events, and 16 MiB of them,
// wait to be written; what exceeds that is as with OverflowLatest.
//
// If the controller falls behind, the queue fills up to its bound, and then the reflector stops
// reading. Readers of the store never hold up its writer.
//
// # Errors
//
//   - The reflector never gives up; its delays double from 0.8 to 30 seconds, with jitter on top.
//   - While connections are refused it waits 4 seconds at most, jitter included.
//   - Lost connections and busy servers never lead to a new list; after them, the server is asked for
//     its version with a list of one object.
//   - A server that says when to come again is asked then, or after five minutes.
//   - Watches that keep ending are begun again once a second at most, after a burst of ten.
//   - A server that does not stream lists is asked for pages within 2 minutes.
//   - A list of which nothing comes for two minutes is given up.
//   - Malformed objects are skipped, counted and logged without their content.
//
// New lists are for versions that have expired, for streams that cannot be read, for servers that are
// behind what they had, and for every tenth watch in a row that the server fails at. Lost connections and busy answers add at most
// twelve delays to the time before pages are asked for.
//
// # Ownership
//
//   - Each informer has two goroutines, the reflector's and the controller's.
//   - [Factory.Run] returns when all of them have ended.
//   - Subscriptions have none: [Subscription.Next] and [Subscription.Run] are called by yours.
//   - Objects are immutable; everybody may keep them.
//
// Only a subscription with OverflowSpill has a goroutine while its file is written, read or closed.
// [Subscription.Discard] waits for that, two seconds at most, as does [DiscardAll] for any number
// of subscriptions. After that [SubscriptionStats].SpillError says that the disk does not answer.
package informer
