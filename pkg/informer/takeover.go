package informer

import (
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/diff"
	"github.com/informerd/informerd/pkg/informer/internal/told"
	"github.com/informerd/informerd/pkg/informer/object"
)

// switchOver exchanges the registrations. All locks are held.
func (x *exchange) switchOver(c *diff.Comparison) {
	s, rescans, floors := x.s, false, c.Floors()
	refused := map[uint64]uint64{}
	for _, m := range x.old {
		m.reg.column.Refused(refused)
		reg := m.reg
		rescans = s.endRescan(reg) || reg.rescans || rescans
		s.resyncs = slices.DeleteFunc(s.resyncs, func(r *resync) bool { return r.from == reg })
		s.regs = slices.DeleteFunc(s.regs, func(r *registration) bool { return r == reg })
		reg.proc.drop(reg)
		reg.deletes = nil
	}
	for _, m := range x.fresh {
		reg := m.reg
		reg.Transitions = s.cfg.Transitions
		s.regs = append(s.regs, reg)
		reg.floors.Store(floors)
		reg.held = reg.proc.keeps && s.tracks && len(x.knowing) == 0
		reg.proc.admit(reg, time.Now())
	}
	for _, m := range x.old {
		m.reg.told.MoveTo(x.heir)
	}
	s.retire(x.old, x.fresh)
	added := make([][]*object.Object, len(x.fresh))
	put := func(e *buffer.Entry, list *told.Set) {
		if !s.put(e, list, false) {
			refused[e.Object.Key().Hash()] = diff.ParseVersion(e.Object.ResourceVersion())
		}
	}
	c.Each(func(from int, was *object.Object, to int, is *object.Object) {
		if was != nil && (is == nil || is.UID() != was.UID()) {
			// A rescan that has not come to the object would have told that it does not fulfil the
			// conditions any more.
			s.put(&buffer.Entry{Event: event.Event{Op: event.Delete, Object: was,
				FinalStateUnknown: true}, Known: was, From: &x.knowing[from].Origin},
				x.heir(was.Key()), rescans || s.owes)
			was = nil
		}
		switch {
		case is == nil || x.fresh[to].reg.held:
		case was != nil:
			put(&buffer.Entry{Event: event.Event{Op: event.Update, Object: is, Old: was},
				From: &x.fresh[to].reg.Origin}, x.fresh[to].reg.told)
		default:
			e := &buffer.Entry{Event: event.Event{Op: event.Add, Object: is, Initial: true},
				From: &x.fresh[to].reg.Origin, Initials: 1}
			if s.buf.Behind(is.Key()) || !s.ownMatcher().Allows(e) {
				put(e, x.fresh[to].reg.told)
			} else {
				added[to] = append(added[to], is)
			}
		}
	})
	for i, m := range x.fresh {
		reg := m.reg
		s.trackInitial(reg, added[i])
		reg.Initials += len(added[i])
		s.stats.Offered += uint64(len(added[i]))
		s.buf.Join(&reg.Origin, added[i])
		reg.column.RefuseAll(refused)
		if reg.rescans = rescans && reg.held; rescans && !reg.held {
			reg.proc.resyncs = true
			s.rescan(reg, reg.store.Snapshot())
		}
	}
	s.useDisk()
}

// put takes an event that its conditions allow, or any that On allows if unjudged, and lists it. It
// reports whether they did. The caller holds mu.
func (s *Subscription) put(e *buffer.Entry, list *told.Set, unjudged bool) (taken bool) {
	if !s.ownMatcher().Allows(e) && !(unjudged && s.cfg.On.Has(e.Op)) {
		s.refused.Add(1)
		if s.ledger != nil && e.Op == event.Delete {
			s.ledger.Ended(e.Object, !s.buf.Empty())
		}
		return false
	}
	if list != nil {
		s.count(e)
		list.Offered(&e.Event, e.KnownBefore(), e.Number, s.delivers(e))
	}
	if !s.cfg.Transitions {
		e.Known = nil
	}
	s.buf.Put(*e)
	e.From.Initials += e.Initials
	s.stats.Offered++
	return true
}

// retired is what waits of a registration that was exchanged.
type retired struct {
	origin *buffer.Origin
	heirs  []member
}

// retire keeps what waits of old registrations. What is stored of its objects is with their heirs.
// The caller holds mu.
func (s *Subscription) retire(old, heirs []member) {
	if s.buf.Empty() && len(s.recalls) == 0 {
		s.retired = nil
	}
	for _, m := range old {
		m.reg.Stored = func(key event.Key) *object.Object {
			for _, heir := range heirs {
				if o := heir.reg.Stored(key); o != nil {
					return o
				}
			}
			return nil
		}
		s.retired = append(s.retired, retired{&m.reg.Origin, heirs})
	}
}

// forgetRetired forgets what waits of retired registrations whose heirs are all removed. The caller
// holds mu.
func (s *Subscription) forgetRetired() {
	for i := len(s.retired) - 1; i >= 0; i-- { // heirs that have retired come later
		r := s.retired[i]
		if len(r.heirs) > 0 && !slices.ContainsFunc(r.heirs, func(heir member) bool {
			return !heir.reg.Removed
		}) {
			r.origin.Removed = true
			s.forget(r.origin)
			s.retired = slices.Delete(s.retired, i, i+1)
		}
	}
}
