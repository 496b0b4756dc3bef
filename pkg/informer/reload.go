package informer

import (
	"fmt"
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Reconfigure changes all but the name and Track of what the subscription asks for. Everything that
// waits stays, in its order, with its retries, its recalls and its Progress. Events that come after
// Reconfigure has returned are judged by the new On and Conditions; for what the old ones have
// refused, or let pass, see [Subscription.Rescan]. A new resync period begins now. If it fails,
// nothing has changed: the folder and the limit of a spill file that is used stay as they are.
func (s *Subscription) Reconfigure(cfg SubscriptionConfig) error {
	cfg, err := s.checked(cfg)
	if err != nil {
		return err
	}
	s.mu.Lock()
	err = s.configure(cfg)
	s.mu.Unlock()
	if err == nil {
		s.reconfigured()
	}
	return err
}

// checked returns a configuration that is to be the subscription's.
func (s *Subscription) checked(cfg SubscriptionConfig) (SubscriptionConfig, error) {
	cfg.Name, cfg.Track = s.name, s.tracks
	return cfg.checked()
}

// configure makes a configuration the subscription's; its registrations use it after reconfigured.
// The caller holds mu.
func (s *Subscription) configure(cfg SubscriptionConfig) error {
	if err := s.buf.Reconfigure(cfg.buffer()); err != nil {
		return fmt.Errorf("subscription %q: %w", s.name, err)
	}
	s.cfg, s.matcher = cfg, matcher{}
	s.conditions.Store(cfg.conditions())
	for _, reg := range s.regs {
		reg.Transitions = cfg.Transitions
	}
	s.useDisk()
	return nil
}

// reconfigured has the registrations use the present configuration.
func (s *Subscription) reconfigured() {
	for _, reg := range s.registrations() {
		reg.proc.reconfigure(reg)
	}
	s.wake.set()
	s.room.set()
}

// reconfigure has a registration use its subscription's present conditions.
func (p *processor) reconfigure(reg *registration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.use(reg, reg.subscription.conditions.Load(), time.Now())
	p.refresh()
	p.joined.set()
}

// Rescan has each object that is stored now delivered once more, as a Resync with Recalled set,
// whatever On and Conditions are. Objects come in the background, as with a resync: when nothing
// else is to do, each in its current state, and after its own events. One that is gone by then does
// not come. A second Rescan begins again, and one after Stop comes to none.
func (s *Subscription) Rescan() {
	for _, reg := range s.registrations() {
		reg.proc.mu.Lock()
		reg.proc.rescan(reg)
		reg.proc.mu.Unlock()
	}
	s.mu.Lock()
	s.owes, s.cutShort = false, s.cutShort || s.stopped // a listener may begin after the stop
	s.wake.set()
	s.mu.Unlock()
}

// RescanLater notes that a Rescan follows. Until then, Rescanning reports true, resyncs wait, and
// an Exchange deals with a rescan that has not come to any object: those that leave with it are
// never scanned.
func (s *Subscription) RescanLater() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owes = true
}

// Rescanning reports whether a rescan has not come to all objects yet, or had not when the
// subscription was stopped.
func (s *Subscription) Rescanning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rescanning()
}

// rescanning is Rescanning for a caller that holds mu.
func (s *Subscription) rescanning() bool {
	return s.cutShort || s.owes || len(s.later) > 0 ||
		slices.ContainsFunc(s.resyncs, func(r *resync) bool { return r.again })
}

// rescan begins a rescan with what is stored. The caller holds mu.
func (p *processor) rescan(reg *registration) {
	if reg.rescans = reg.awaitsCut; reg.awaitsCut {
		return // once it begins, since it gets only the objects that its conditions allow then
	}
	p.resyncs = true // from now on, the store says what is being applied
	s := reg.subscription
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rescan(reg, reg.store.Snapshot())
}

// rescan begins to hand out the objects of a snapshot before any resync. The caller holds mu.
func (s *Subscription) rescan(from *registration, stored store.Snapshot) {
	if s.stopped || from.Removed {
		return
	}
	s.endRescan(from)
	if stored.Len() > 0 {
		r := &resync{from: from, walk: stored.Walk(), left: stored.Len(), again: true}
		s.resyncs = slices.Insert(s.resyncs, 0, r)
		s.wake.set()
	}
}

// endRescan forgets the rescan of a registration, and reports whether there was one. The caller
// holds mu.
func (s *Subscription) endRescan(from *registration) (ended bool) {
	s.resyncs = slices.DeleteFunc(s.resyncs, func(r *resync) bool {
		ended = ended || r.again && r.from == from
		return r.again && r.from == from
	})
	for key, o := range s.later {
		if o.from == from {
			delete(s.later, key)
			ended = true
		}
	}
	return ended
}

// laterObject is an object that was busy when a rescan came to it.
type laterObject struct {
	from   *registration
	object *object.Object
}

// comeLater has a rescan come to an object again when it is not busy any more. The caller holds mu.
func (s *Subscription) comeLater(from *registration, o *object.Object) {
	if s.later == nil {
		s.later = map[event.Key]laterObject{}
	}
	s.later[o.Key()] = laterObject{from, o}
}

// resume has a rescan come to an object that is not busy any more. The caller holds mu.
func (s *Subscription) resume(key event.Key) {
	o, ok := s.later[key]
	if !ok || s.buf.Busy(key) {
		return
	}
	delete(s.later, key)
	i := slices.IndexFunc(s.resyncs, func(r *resync) bool { return r.again && r.from == o.from })
	if i < 0 {
		i = 0
		s.resyncs = slices.Insert(s.resyncs, 0, &resync{from: o.from, again: true})
	}
	s.resyncs[i].more.Push(o.object)
	s.resyncs[i].left++
}
