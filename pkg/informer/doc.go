// Package informer keeps copies of Kubernetes resources as JSON bytes and tells subscriptions of
// each change. It behaves as client-go's shared informer with the delta queue of its classic
// design, and differs where this page says so.
//
// The way of a change is told on [Informer]; [Factory] owns the informers, [Subscription] is the
// consumers' end:
//
//	client, err := informer.NewClient(restConfig)
//	factory := informer.NewFactory(client, logger)
//	config := informer.SubscriptionConfig{Resync: 5 * time.Minute}
//	subscription, err := informer.NewSubscription(config)
//	_, err = factory.Subscribe(pods, informer.Scope{}, informer.Shape{}, subscription)
//	go subscription.Run(ctx, handler)
//	err = factory.Run(ctx)
//
// # Order
//
// A subscription sees the events of one object in the order in which they happened, retries
// included: an event that has to be repeated holds up its own object and no other. Objects come in
// the order in which they first had something to tell; nothing is promised across objects. Two
// subscriptions are independent. A worker may have several events at once, taken with
// [Subscription.More]; no two of them are of one object, nor is one of an object that another
// worker has.
//
// # What a subscription sees
//
//   - Of each object, a subsequence of its true states, ending with the last one or its deletion
//     (with OverflowDrop only if it was not dropped). While its buffer has room that is every state
//     the API server sent; when it is full, an object is delivered once in its current state, with
//     Missed telling how many events that stands for. What the subscription's conditions refuse is
//     left out of all this, see below.
//   - The first list, and what is stored when a later subscription joins, as adds with Initial set.
//   - Deletes that were missed, with FinalStateUnknown and the last known state. An object deleted
//     and created again while nobody looked is two events, a delete and an add, never an update.
//   - [event.Resync] after its own period, for every stored object that has nothing else to report;
//     never as an update, and never because of another subscription's period. It is handed out when
//     nothing else waits, and takes no room: an event never waits for a resync. What subscriptions
//     with an On refuse does not count as something to report. If a period is over before the last
//     resync is, that one goes on and the next is left out, see [SubscriptionStats].ResyncsSkipped.
//     An object that is unchanged in a new list is a Resync for subscriptions that have a period
//     and were part of the last resync, and nothing for others.
//
// # Memory
//
// The store holds objects as the difference to another one that is nearly the same, wherever there
// is one (see package object): of a pod of 10 KB in a Deployment with replicas, that is about 1 KB.
// Events carry them in that form; what a subscription does not look at is never unpacked.
//
// Other objects are compressed once nobody has changed them for 15 to 30 seconds
// ([Factory].ColdAfter), to a half of their text or a tenth, with what that does to readers in
// package object. The controller does it when it has nothing else to do, in steps of a millisecond
// and for a tenth of its time at most; no subscription hears of it. A lister, a resync, a
// subscription that joins late, and the Old of an update hand out such objects. What they took
// before is garbage, which [Factory].OnFreed can have collected.
//
// # Conditions
//
// What a subscription's On and Conditions refuse is counted in its [SubscriptionStats] and comes
// nowhere near its buffer: to ask takes no lock and no memory, so that an informer can have
// hundreds of subscriptions of which each wants little. The fields that the conditions of all its
// subscriptions ask for are read once for an event, in one walk over the object, and one over the
// state before if somebody asks for that; see package condition. The subscription gets what would
// be left if it threw the same events away behind its buffer:
//
//   - Each event is judged by its own op and object, a delete by the last known state. So an object
//     whose labels do not fit any more is heard of no more, not even its deletion.
//
//   - Old is the state before, whether or not the subscription got that one.
//
//   - What is refused is not counted in Missed, and HasSynced does not wait for it.
//
//   - With Transitions, an update is judged as an add of its object and as a delete of the state
//     before as well, and a delete as one of the state before, which is then in Delivery.Before: a
//     subscription that goes by both states of each event learns when an object stops fitting,
//     however many events were merged.
//
//   - A condition on the state before compares with the one that the informer had, also if this
//     subscription's buffer is full and merges events.
//
//   - The first condition on a field makes the informer read the object, which costs what a filter
//     on that field would; further ones cost some 20 ns each.
//
// Where the buffer is full it is told more than that: only what the conditions allow is merged into
// a mark. So each object ends with its last event that they allow, where to throw away behind the
// buffer would lose that if a later one had been merged with it. The mark holds on to a state which
// the store may not have any more, one for each object.
//
// # Coming again
//
// A worker that has to look at an object later, though nothing may happen to it, says so with
// Delivery.Again: the object comes as a Resync with Recalled set, in the state that worker had, if
// no event of it comes before. It keeps the order, is not bounded by the capacity (there is at most
// one for each object), and is gone when the subscription is stopped, or the object: also if the
// subscription does not hear of the object's end, which may have been dropped or refused. With
// Transitions, an end that the conditions have refused comes in its place, as a Delete with
// Recalled set.
//
// # Failing
//
// An event given back with Delivery.Retry waits, and with it all that comes of its object; other
// objects go on, however many wait. They have room of their own: one event for each object, and
// behind them as many as the capacity. What exceeds that is merged into a mark, one for each
// object. Only with OverflowBlock nothing is merged, and the informer waits in the end.
//
// # Blocking
//
// A stalled subscription holds up neither the informer nor other subscriptions, unless it asks for
// that, and its memory is bounded: its buffer, a mark for each object, and what it has yet to get
// of the first list or of what was stored when it joined, which takes no room of the buffer and is
// what nobody waits for. What happens to events for which it has no room is its choice:
//
//   - [OverflowLatest], the default: the object is marked and delivered once in its current
//     state.
//   - [OverflowBlock]: the informer waits, and with it its other subscriptions. They can still come
//     and go.
//   - [OverflowDrop]: the event is given up and counted, also that of an object which waits to be
//     handed out as it was in the first list. The first list itself is not dropped.
//   - [OverflowSpill]: the event goes to a file, and comes back in order; when the file is full, or
//     cannot be written, as OverflowLatest. Nobody waits for the disk but this subscription's
//     workers, for what is on it. At most 4,096 events, and 16 MiB of them, wait to be written: if
//     the disk is slower than that, or hangs, what exceeds it is as with OverflowLatest.
//
// If the controller falls behind, the queue before it fills up to its bound, and then the reflector
// stops reading until there is room. Readers of the store never hold up its writer.
//
// # Errors
//
// The reflector never gives up: it waits 0.8 to 30 seconds, doubling, and as much again at random,
// and tries again.
//
//   - While connections are refused it waits 4 seconds at most, jitter included: a server that is
//     back is found within that.
//   - A lost connection, a server that is away or busy, or a proxy in front of it never lead to a
//     new list: the watch goes on from its last version. New lists are for versions that have
//     expired, for streams that cannot be read, and for every tenth watch in a row that the server
//     fails at.
//   - A server that says when to come again is asked no sooner, but after five minutes at the
//     latest.
//   - Watches that keep ending are begun again once a second at most, after a burst of ten.
//   - A server that does not stream lists is asked for pages within 2 minutes, whatever it sends
//     instead. Lost connections and busy answers add at most twelve delays to that.
//   - A list of which nothing comes for two minutes is given up.
//
// What the server sends in place of an object is skipped, counted and logged without its content,
// many in one line. A handler's panic is an error of that event.
//
// # Ownership
//
// Each informer has two goroutines, the reflector's and the controller's; [Factory.Run] waits for
// them. Subscriptions have none: the goroutines that call [Subscription.Next] or [Subscription.Run]
// are the caller's. Only one with OverflowSpill has a goroutine while its file is written, read or
// closed, for which [Subscription.Discard] waits: for two seconds, as does [DiscardAll] for any
// number of subscriptions. After that [SubscriptionStats].SpillError says that the disk does not
// answer. Objects are immutable; everybody may keep them.
package informer
