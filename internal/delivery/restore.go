package delivery

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Restore puts in what an earlier outbox of the listener and output had not sent, each object's in
// its order. There is room for all of it, whatever the capacity. By makes what is made when it is
// sent, and is asked for the reports that the entries had. The backlog must not be used afterwards.
// Call Restore before anything is offered, and before Run.
func (o *Outbox) Restore(l *Backlog, by *Maker) error {
	numbers := slices.Sorted(maps.Keys(l.entries))
	capacity := int(o.capacity.Load())
	if more := len(numbers); more > capacity {
		err := o.queue.Reconfigure(informer.SubscriptionConfig{Capacity: more,
			Overflow: o.cfg.Overflow})
		if err != nil {
			return o.wrapped(err)
		}
	}
	offered := make([]informer.Entry, len(numbers))
	for i, number := range numbers {
		e := l.entries[number]
		offered[i] = informer.Entry{Event: e.event, Progress: e.pending(by),
			MaybeDelivered: true, Since: event.At(e.observed), Attempt: int(e.attempts)}
		if e.later != nil {
			offered[i].Event = *e.later
		}
	}
	o.keeping.restore(l, numbers, offered)
	o.count(offered, 1)
	o.before.restore(offered)
	for i, number := range numbers { // they were offered before
		offered[i].Progress.(*Pending).offered = l.entries[number].offered
	}
	if _, err := o.queue.OfferAll(offered); err != nil {
		return o.wrapped(err)
	}
	return o.Resize(capacity, o.cfg.Overflow)
}

// Force takes an entry beyond the capacity, for a route that has no time to wait. Its error says
// that the outbox has stopped; then it did not take it.
func (o *Outbox) Force(e informer.Entry) error {
	o.sizing.Lock()
	defer o.sizing.Unlock()
	one, capacity := []informer.Entry{e}, int(o.capacity.Load())
	for size := capacity; ; {
		taken, err := o.OfferAll(one)
		if taken > 0 || err != nil {
			if size > capacity {
				err = cmp.Or(err, o.reconfigure(capacity))
			}
			return err
		}
		// only an outbox for whose room others wait does not take it; they may take this one, too
		size = max(size, o.queue.Waiting()) + 1
		if err := o.reconfigure(size); err != nil {
			return err
		}
	}
}

// reconfigure changes how many entries there is room for, in an outbox for whose room others wait.
func (o *Outbox) reconfigure(capacity int) error {
	return o.wrapped(o.queue.Reconfigure(informer.SubscriptionConfig{Capacity: capacity,
		Overflow: informer.OverflowBlock}))
}

// before has since when reports wait that were restored, by object, until what rules report of the
// object is offered. After a restart all objects are judged again, and whoever comes first, the
// restored entry or that, sends what is owed.
type before struct {
	any atomic.Bool

	mu    sync.Mutex // guards what follows
	since map[event.Key]event.Instant
}

// restore notes the reports among what was restored.
func (b *before) restore(offered []informer.Entry) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range offered {
		if !o.Progress.(*Pending).released {
			continue
		}
		if b.since == nil {
			b.since = map[event.Key]event.Instant{}
		}
		key := o.Event.Object.Key()
		b.since[key] = o.Since.Earlier(b.since[key])
	}
	b.any.Store(b.since != nil)
}

// comes has reports wait since they did before the restart, of which nothing has a lag.
func (b *before) comes(o *informer.Entry, p *Pending) {
	if p.Wanted || !b.any.Load() {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key := o.Event.Object.Key()
	if since, ok := b.since[key]; ok {
		o.Since, p.event.Arrived = since.Earlier(o.Since), 0
		delete(b.since, key)
		b.any.Store(len(b.since) > 0)
	}
}

// restore keeps what cuts have already.
func (k *keeping) restore(l *Backlog, numbers []uint64, offered []informer.Entry) {
	if !k.on {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(numbers) > 0 {
		k.number = numbers[len(numbers)-1]
		k.cut = k.number
	}
	for i, number := range numbers {
		p := offered[i].Progress.(*Pending)
		p.kept = l.entries[number]
		k.entries.add(p.kept)
	}
}

// pending returns the entry of an outbox. It shares no memory with the kept one that changes.
func (e *kept) pending(by *Maker) *Pending {
	p := &Pending{By: by, Observed: e.observed, offered: e.offered, event: e.event,
		sent: e.sent, Wanted: e.wanted, released: e.reports, before: e.later != nil}
	for i := range e.messages {
		e.messages[i].Origin = by.Builder.Origin()
	}
	if e.messages == nil && e.failed == nil && !e.refused && e.later == nil {
		return p
	}
	p.Extra = &Extra{Messages: e.messages, Failed: e.failed, later: e.later, earlier: by}
	if e.refused {
		p.refused = errEarlier
	}
	return p
}

// errEarlier is why some of an entry is a dead letter, which says more.
var errEarlier = errors.New("it was given up before a restart")
