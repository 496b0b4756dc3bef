package informer

import (
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/fifo"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// resync hands out the stored objects once more to one registration, one by one, as its workers ask
// for events. It walks a snapshot: it takes no memory for each object, no room in the buffer, and
// never makes an event wait.
type resync struct {
	from *registration
	walk store.Walk
	left int // objects that the walk has not come to
	// open is an object that the walk has come to, while a change of it is being applied.
	open *object.Object

	// again: it is a rescan, which leaves out nothing that is stored. more are objects that were
	// busy when the walk came to them.
	again bool
	more  fifo.Queue[*object.Object]
}

// maxResyncScan is how many objects a worker may skip at a time. Then it releases the
// subscription's lock, for which the informer may be waiting.
const maxResyncScan = 256

// next returns the next object of the walk. The caller knows that there is one.
func (r *resync) next() (o *object.Object) {
	r.left--
	if o, r.open = r.open, nil; o != nil {
		return o
	}
	if o, ok := r.more.Pop(); ok {
		return o
	}
	return r.walk.Next()
}

// beginResync begins a resync, unless the registration's last one is still under way. That one
// continues, so that the objects at its end get their turn, however slow the workers are.
func (s *Subscription) beginResync(r *resync) (begun bool) {
	if slices.ContainsFunc(s.resyncs, func(other *resync) bool {
		return other.from == r.from && !other.again
	}) {
		return false
	}
	s.resyncs = append(s.resyncs, r)
	return true
}

// resyncable returns how many objects nextResync may find. It is 0 while there is anything else to
// do: an event never waits for a resync, nor does the informer.
func (s *Subscription) resyncable() int {
	if len(s.resyncs) == 0 || s.owes || !s.buf.Idle() || s.resyncs[0].from.postponed > 0 {
		return 0
	}
	return s.resyncs[0].left
}

// nextResync returns the next object of the resync under way that has nothing else to report. It
// looks at maxResyncScan objects at most, and reports whether it found one.
func (s *Subscription) nextResync() (buffer.Entry, bool) {
	for range maxResyncScan {
		if s.resyncable() == 0 {
			break
		}
		r := s.resyncs[0]
		e := buffer.Entry{From: &r.from.Origin, Recalled: r.again}
		// One that a worker has, or that waits for a retry, has more to report.
		if o := r.next(); !s.buf.Busy(o.Key()) {
			e.Event = event.Event{Op: event.Resync, Object: r.current(o)}
		} else if r.again {
			s.comeLater(r.from, o)
		}
		if r.open != nil {
			return buffer.Entry{}, false
		}
		if r.left == 0 {
			s.resyncs = slices.Delete(s.resyncs, 0, 1)
			if !r.again {
				r.from.resyncing = time.Time{}
			}
		}
		if e.Object == nil {
			continue
		}
		switch {
		case r.again:
			s.stats.Recalled++
		case s.ownMatcher().allows(&e):
			s.resynced++
		default:
			s.refused.Add(1)
			continue
		}
		s.buf.HandOut(&e)
		return e, true
	}
	return buffer.Entry{}, false
}

// ownMatcher returns the matcher of resyncs and recalls, which shares its fields with nobody. The
// caller holds mu.
func (s *Subscription) ownMatcher() *matcher {
	if !s.matcher.made() {
		s.matcher = s.conditions.Load().matcher(&condition.Fields{})
	}
	return &s.matcher
}

// current returns the stored state of an object of the snapshot, nil if the subscription has got
// another one since, or is about to. The buffer's ring is empty and the subscription's lock is
// held, so an event of an object without a lane has been done, was refused by the subscription's
// conditions, or is about to be offered.
func (r *resync) current(o *object.Object) *object.Object {
	current := r.from.store.Get(o.Key())
	on := r.from.subscription.cfg.On
	switch {
	case current != nil && !r.from.minVersions.Load().Above(current, false):
		return nil
	case current == o || r.again && current != nil && !r.from.store.IsApplying(o.Key()):
		return current // of a rescan, whatever was refused since
	case r.again && current != nil:
		r.open = o
		r.left++
		return nil
	case current == nil || current.UID() != o.UID() || on.Has(event.Update) &&
		!object.SameState(current, o):
		return nil
	case on.Has(event.Add) && r.from.store.IsApplying(o.Key()):
		// It may have been deleted and added again with the same UID. In a moment that is known.
		r.open = o
		r.left++
		return nil
	default:
		return current // the updates since were refused, or its form has changed
	}
}

// resync begins to hand out the objects of a snapshot of a registration's store.
func (s *Subscription) resync(from *registration, stored store.Snapshot, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || from.Removed || stored.Len() == 0 {
		return
	}
	if !s.beginResync(&resync{from: from, walk: stored.Walk(), left: stored.Len()}) {
		s.stats.ResyncsSkipped++
		return
	}
	from.resyncing = now
}

// due returns when the next resync is due, for whoever goes on after a restart: one that has not
// come to its end is due again. Zero means never. The caller holds both locks.
func (reg *registration) due() time.Time {
	if reg.conditions.resync <= 0 {
		return time.Time{}
	}
	if !reg.resyncing.IsZero() {
		return reg.resyncing
	}
	return reg.nextResync
}

// resumeResync sets when the first resync comes after a restart. A clock that was set back does not
// put it off. The caller holds mu.
func (p *processor) resumeResync(reg *registration) {
	due, known := p.changes.dues[reg.subscription.name]
	if known && due.Before(reg.nextResync) {
		reg.nextResync = due
	}
	delete(p.changes.dues, reg.subscription.name)
}
