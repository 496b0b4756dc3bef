package informer

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/diff"
	"github.com/informerd/informerd/pkg/informer/internal/unfinished"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Target is what a subscription is to be tied to.
type Target struct {
	Resource Resource
	Scope    Scope
	Shape    Shape
}

const (
	// exchangeAge is after how long a delete is forgotten while a new informer cannot list.
	exchangeAge = 5 * time.Minute
	// catchUps is how often a new informer may be waited for while the old ones stand still.
	catchUps    = 50
	catchUpTime = 10 * time.Millisecond
)

// Exchange is the replacement of a subscription's registrations by others. Factory.Exchange makes
// one, Wait and Try do it, and Cancel ends it.
//
// It takes more than to restore what a restart would find: the old and the new informers watch the
// API server each for itself, and a new one may be behind. So Try compares them only once none is
// behind in what both have; deletes that old ones have seen are noted until then; and of what has
// left with an old one, states from before that are not delivered again (minVersions).
type Exchange struct {
	factory    *Factory
	s          *Subscription
	to         []*Registration // in the order of the targets
	gone, came []*Registration
	old, fresh []member
	was        []diff.Old      // of old
	knowing    []*registration // those of old that are not held
}

// member is an informer, and the subscription's registration with it.
type member struct {
	inf *informer
	reg *registration
	// late, of a fresh one: it had not synced when the exchange began.
	late bool
}

// Exchange begins to replace registrations of a subscription. An old one that fits a target stays;
// the informers of the other targets run from here on. No other call may exchange or remove the old
// registrations before Cancel was called.
func (f *Factory) Exchange(s *Subscription, old []*Registration, to []Target) (*Exchange, error) {
	x := &Exchange{factory: f, s: s, to: make([]*Registration, len(to)), gone: slices.Clone(old)}
	for i, target := range to {
		key := target.ID()
		fits := func(r *Registration) bool { return r.shared.key == key }
		if at := slices.IndexFunc(x.gone, fits); at >= 0 {
			x.to[i] = x.gone[at]
			x.gone = slices.Delete(x.gone, at, at+1)
			continue
		}
		if slices.ContainsFunc(to[:i], func(t Target) bool { return t.ID() == key }) {
			x.Cancel()
			return nil, fmt.Errorf("subscription %q: two informers of %s with the same scope",
				s.name, target.Resource)
		}
		sh, err := f.hold(target)
		if err != nil {
			x.Cancel()
			return nil, err
		}
		f.launch(sh)
		inf := sh.informer
		x.to[i] = &Registration{factory: f, shared: sh,
			reg: newRegistration(s, inf.store, inf.proc)}
		x.came = append(x.came, x.to[i])
		x.fresh = append(x.fresh, member{inf: inf, reg: x.to[i].reg, late: !inf.queue.HasSynced()})
	}
	for _, r := range x.gone {
		x.old = append(x.old, member{inf: r.shared.informer, reg: r.reg})
	}
	x.begin()
	return x, nil
}

// begin has the old registrations note deletes.
func (x *Exchange) begin() {
	x.was = make([]diff.Old, len(x.old))
	within := make([]func(*object.Object) bool, len(x.fresh))
	for i, m := range x.fresh {
		within[i] = m.inf.within()
	}
	expected := func(o *object.Object) bool {
		return slices.ContainsFunc(within, func(w func(*object.Object) bool) bool { return w(o) })
	}
	for i, m := range x.old {
		x.was[i] = diff.Old{Store: m.inf.store, Within: m.inf.within(),
			Deletes: &diff.Deletes{Expected: expected}}
		m.reg.proc.mu.Lock()
		m.reg.deletes = x.was[i].Deletes
		x.was[i].Begun = object.ParseVersion(m.inf.reflector.Status().ResourceVersion)
		m.reg.proc.mu.Unlock()
	}
}

// Registrations returns those that the subscription has after the exchange, in the order of the
// targets.
func (x *Exchange) Registrations() []*Registration { return x.to }

// Wait waits until the new informers have synced. The old registrations go on. Its error is ctx's.
func (x *Exchange) Wait(ctx context.Context) error {
	age := time.NewTicker(exchangeAge)
	defer age.Stop()
	for _, m := range x.fresh {
		for !m.inf.queue.HasSynced() {
			select {
			case <-m.inf.queue.Synced:
			case <-age.C:
				x.age()
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// age bounds the memory of deletes while a new informer cannot list.
func (x *Exchange) age() {
	for i, m := range x.old {
		m.reg.proc.mu.Lock()
		x.was[i].Deletes.Age()
		m.reg.proc.mu.Unlock()
	}
}

// Cancel ends what the exchange holds, unless Try has done it.
func (x *Exchange) Cancel() {
	for _, m := range x.old {
		m.reg.proc.mu.Lock()
		m.reg.deletes = nil
		m.reg.proc.mu.Unlock()
	}
	for _, r := range x.came {
		x.factory.release(r.shared)
	}
	x.came = nil
}

// Try exchanges the registrations and what the subscription asks for, as Reconfigure does, if the
// new informers have synced and are nowhere behind the old ones. Then the subscription gets the
// difference, as cfg allows:
//
//   - an object that only the old ones have is a Delete with FinalStateUnknown;
//   - one that only the new ones have is an Add with Initial set;
//   - one that has another version is an Update; with another UID it is a Delete and an Add.
//
// An object with the same UID and version comes with neither, even if its Shape is another one.
// What waits in the subscription stays, retries and recalls included. A resync under way ends, a
// rescan begins again; with rescan, one follows, and objects that leave before it came to them are
// Deletes whatever the conditions are. If it is not done, nothing has changed.
//
// The informers stand still during the comparison, 2 to 5 us for each object.
func (x *Exchange) Try(cfg SubscriptionConfig, rescan bool) (done bool, err error) {
	if cfg, err = x.s.checked(cfg); err != nil {
		return false, err
	}
	for _, m := range x.fresh {
		if !m.inf.queue.HasSynced() {
			return false, nil
		}
	}
	if done, err = x.try(cfg, rescan); !done {
		return false, err
	}
	for _, r := range x.gone {
		r.once.Do(func() { x.factory.release(r.shared) })
	}
	x.came = nil
	x.s.reconfigured()
	return true, nil
}

// try exchanges the registrations if the new informers are nowhere behind. For a moment the old
// ones stand still, so that the new ones can catch up.
func (x *Exchange) try(cfg SubscriptionConfig, rescan bool) (done bool, err error) {
	x.factory.exchanging.Lock()
	defer x.factory.exchanging.Unlock()
	defer locked(x.old)()
	late := time.Now().Add(catchUpTime)
	for range catchUps {
		if done, err = x.takeOver(cfg, rescan); done || err != nil || time.Now().After(late) {
			break
		}
		runtime.Gosched()
	}
	return done, err
}

// locked locks the processors of members, and returns what unlocks them. Only an exchange holds
// several of them, one exchange at a time.
func locked(members []member) (unlock func()) {
	for _, m := range members {
		m.reg.proc.mu.Lock()
	}
	return func() {
		for _, m := range members {
			m.reg.proc.mu.Unlock()
		}
	}
}

// takeOver exchanges the registrations if it can. The old processors are locked.
func (x *Exchange) takeOver(cfg SubscriptionConfig, rescan bool) (done bool, err error) {
	defer locked(x.fresh)()
	now := make([]diff.New, len(x.fresh))
	for i, m := range x.fresh {
		now[i] = diff.New{Store: m.inf.store, Namespace: m.inf.scope.Namespace,
			Within: m.inf.within(), Applied: object.ParseVersion(m.inf.complete()), Fresh: m.late}
	}
	was := make([]diff.Old, 0, len(x.old))
	x.knowing = x.knowing[:0]
	for i, m := range x.old {
		if x.was[i].MinVersions = m.reg.minVersions.Load(); !m.reg.awaitsCut {
			was, x.knowing = append(was, x.was[i]), append(x.knowing, m.reg)
		}
	}
	c := diff.Compare(was, now)
	settled := c.Settled()
	x.s.mu.Lock()
	defer x.s.mu.Unlock()
	if x.s.stopped {
		return false, x.s.stoppedError()
	}
	// What an old informer has to offer again comes before what follows.
	if !settled || slices.ContainsFunc(x.old, func(m member) bool { return m.reg.postponed > 0 }) {
		return false, nil
	}
	if err := x.s.configure(cfg); err != nil {
		return false, err
	}
	x.s.owes = x.s.owes || rescan
	x.switchOver(c)
	return true, nil
}

// switchOver exchanges the registrations. All locks are held.
func (x *Exchange) switchOver(c *diff.Comparison) {
	s, rescans, minVersions := x.s, false, c.MinVersions()
	for _, m := range x.old {
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
		reg.minVersions.Store(minVersions)
		reg.awaitsCut = reg.proc.keeps && s.tracks && len(x.knowing) == 0
		reg.proc.admit(reg, time.Now())
	}
	for _, m := range x.old {
		m.reg.unfinished.MoveTo(x.heir)
	}
	s.retire(x.old, x.fresh)
	added := make([][]*object.Object, len(x.fresh))
	c.Each(func(from int, was *object.Object, to int, is *object.Object) {
		if was != nil && (is == nil || is.UID() != was.UID()) {
			// A rescan that has not come to the object would have told that it does not fulfil the
			// conditions any more.
			s.put(&buffer.Entry{Event: event.Event{Op: event.Delete, Object: was,
				FinalStateUnknown: true}, Before: was, From: &x.knowing[from].Origin},
				x.heir(was.Key()), rescans || s.owes)
			was = nil
		}
		switch {
		case is == nil || x.fresh[to].reg.awaitsCut:
		case was != nil:
			s.put(&buffer.Entry{Event: event.Event{Op: event.Update, Object: is, Old: was},
				From: &x.fresh[to].reg.Origin}, x.fresh[to].reg.unfinished, false)
		default:
			e := &buffer.Entry{Event: event.Event{Op: event.Add, Object: is, Initial: true},
				From: &x.fresh[to].reg.Origin, Initials: 1}
			if s.buf.Behind(is.Key()) || !s.ownMatcher().allows(e) {
				s.put(e, x.fresh[to].reg.unfinished, false)
			} else {
				added[to] = append(added[to], is)
			}
		}
	})
	for i, m := range x.fresh {
		reg := m.reg
		s.trackInitial(reg, added[i])
		reg.Initials += int32(len(added[i]))
		s.stats.Offered += uint64(len(added[i]))
		s.buf.Join(&reg.Origin, added[i])
		if reg.rescans = rescans && reg.awaitsCut; rescans && !reg.awaitsCut {
			reg.proc.resyncs = true
			s.rescan(reg, reg.store.Snapshot())
		}
	}
	s.useDisk()
}

// heir returns where an exchange moves what is listed of an object to, nil if there is no new
// informer. All locks are held.
func (x *Exchange) heir(key event.Key) *unfinished.Set {
	var heir *registration
	for _, m := range x.fresh {
		switch namespace := m.inf.scope.Namespace; {
		case m.inf.store.Get(key) != nil:
			return m.reg.unfinished
		case heir == nil || namespace == key.Namespace:
			heir = m.reg
		}
	}
	if heir == nil {
		return nil
	}
	return heir.unfinished
}

// put takes an event that its conditions allow, or any that On allows if unjudged, and lists it.
// The caller holds mu.
func (s *Subscription) put(e *buffer.Entry, list *unfinished.Set, unjudged bool) {
	if !s.ownMatcher().allows(e) && !(unjudged && s.cfg.On.Has(e.Op)) {
		s.refused.Add(1)
		return
	}
	if list != nil {
		s.count(e)
		list.Offered(&e.Event, e.KnownBefore(), e.Number, s.delivers(e))
	}
	if !s.cfg.Transitions {
		e.Before = nil
	}
	s.buf.Put(*e)
	e.From.Initials += e.Initials
	s.stats.Offered++
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

// ID returns the identity of the target's informer.
func (t Target) ID() InformerID { return InformerID{t.Resource, t.Scope, t.Shape.keeps()} }

// within returns what reports whether the scope surely has an object that is stored. What a field
// selector means is not known.
func (inf *informer) within() func(*object.Object) bool {
	within := diff.Within(inf.scope.Namespace, inf.scope.LabelSelector, inf.scope.FieldSelector)
	return func(o *object.Object) bool {
		return inf.scope.Shard.Has(o.Namespace(), o.Name(), o.UID()) && within(o)
	}
}
