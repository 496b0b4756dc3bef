package informer

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// resync hands one registration what is stored once more, object by object, as its workers ask. It
// is a cursor over a snapshot: it takes no memory for each object, no room in the buffer, and never
// makes an event wait.
type resync struct {
	from *registration
	walk store.Walk
	left int // objects that the walk has not come to
	// open is an object that the cursor has come to, while its change is being applied.
	open *object.Object
}

// maxResyncScan is how many objects that are not handed out a worker passes over at a time. Then it
// lets go of the subscription's lock, for which the informer may be waiting.
const maxResyncScan = 256

// next moves the cursor and returns the object it was at. The caller knows that there is one.
func (r *resync) next() (o *object.Object) {
	r.left--
	if o, r.open = r.open, nil; o != nil {
		return o
	}
	return r.walk.Next()
}

// resync begins a resync, unless the registration's last one is still under way: that one goes on,
// so that the objects at its end get their turn, however slow the workers are.
func (b *buffer) resync(r *resync) (begun bool) {
	if slices.ContainsFunc(b.resyncs, func(other *resync) bool { return other.from == r.from }) {
		return false
	}
	b.resyncs = append(b.resyncs, r)
	return true
}

// resyncable is how many objects nextResync may find. It is 0 while there is anything else to do:
// an event never waits for a resync, nor does the informer.
func (b *buffer) resyncable() int {
	if len(b.resyncs) == 0 || b.held >= b.capacity || b.waiting() ||
		b.resyncs[0].from.postponed > 0 {
		return 0
	}
	return b.resyncs[0].left
}

// nextResync returns the next object of the resync under way that has nothing else to report. It
// finds none if there is none among so many.
func (b *buffer) nextResync() (entry, bool) {
	for range maxResyncScan {
		if b.resyncable() == 0 {
			break
		}
		r := b.resyncs[0]
		e := entry{from: r.from}
		// one that a worker has, or that waits for a retry, has more to report
		if o := r.next(); b.lanes[o.Key()] == nil {
			e.Event = event.Event{Op: event.Resync, Object: r.current(o)}
		}
		if r.open != nil {
			return entry{}, false
		}
		if r.left == 0 {
			b.resyncs = slices.Delete(b.resyncs, 0, 1)
		}
		if e.Object == nil {
			continue
		}
		l := r.from.subscription
		if !b.judges(l).allows(&e) {
			l.refused.Add(1)
			continue
		}
		b.lane(e.Object.Key())
		b.held++
		b.resynced++
		return e, true
	}
	return entry{}, false
}

// judges returns a judge of what comes from no informer: one that nobody else reads with.
func (b *buffer) judges(l *Subscription) *judge {
	if b.judge.list == nil {
		b.judge = l.conditions.judge(&condition.Fields{})
	}
	return &b.judge
}

// current returns the stored state of an object of the snapshot, nil if the subscription has heard
// of another one since, or is about to. With an empty ring, and the subscription's lock held, an
// event that is not in the lanes either has been done, or was refused by the subscription's
// conditions, or is on its way.
func (r *resync) current(o *object.Object) *object.Object {
	current := r.from.store.Get(o.Key())
	on := r.from.subscription.cfg.On
	switch {
	case current == o:
		return o
	case current == nil || current.UID() != o.UID() || on.Has(event.Update) &&
		!sameState(current, o):
		return nil
	case on.Has(event.Add) && r.from.store.IsApplying(o.Key()):
		// as it may have been deleted and added again with the same UID; in a moment that will be
		// known
		r.open = o
		r.left++
		return nil
	default:
		return current // the updates since were refused, or it has another form
	}
}

// resync hands out once more what the trees of a registration's store hold, n objects.
func (l *Subscription) resync(from *registration, stored store.Snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped || from.removed || stored.Len() == 0 {
		return
	}
	if !l.buf.resync(&resync{from: from, walk: stored.Walk(), left: stored.Len()}) {
		l.stats.ResyncsSkipped++
	}
}
