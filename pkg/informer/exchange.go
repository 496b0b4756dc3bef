package informer

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer/internal/diff"
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

var exchangeDelays = backoff.Backoff{Min: 5 * time.Millisecond, Max: time.Second}

// exchange is one Factory.Exchange.
type exchange struct {
	s          *Subscription
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

// Exchange replaces registrations of a subscription by others, and returns those, in the order of
// to. An old one that fits a target stays. Until all new informers have synced, and are nowhere
// behind the old ones, the old registrations go on; Exchange waits for that. Then the subscription
// gets the difference, as its present On and Conditions allow:
//
//   - an object that only the old ones have is a Delete with FinalStateUnknown;
//   - one that only the new ones have is an Add with Initial set;
//   - one that has another version is an Update; with another UID it is a Delete and an Add.
//
// An object with the same UID and version comes with neither, even if its Shape is another one.
// What waits in the subscription stays, retries and recalls included. A resync under way ends, a
// rescan begins again. If Exchange fails, with ctx's error or ErrStopped, nothing has changed.
//
// The informers stand still during the comparison, 2 to 5 us for each object. No other call may
// exchange or remove the old registrations meanwhile.
func (f *Factory) Exchange(ctx context.Context, s *Subscription, old []*Registration,
	to []Target) ([]*Registration, error) {
	x := &exchange{s: s}
	regs := make([]*Registration, len(to))
	gone, came := slices.Clone(old), []*Registration(nil)
	undo := func() {
		x.end()
		for _, r := range came {
			f.release(r.shared)
		}
	}
	for i, target := range to {
		key := target.key()
		fits := func(r *Registration) bool { return r.shared.key == key }
		if at := slices.IndexFunc(gone, fits); at >= 0 {
			regs[i] = gone[at]
			gone = slices.Delete(gone, at, at+1)
			continue
		}
		if slices.ContainsFunc(to[:i], func(t Target) bool { return t.key() == key }) {
			undo()
			return nil, fmt.Errorf("subscription %q: two informers of %s with the same scope",
				s.name, target.Resource)
		}
		sh, err := f.hold(target)
		if err != nil {
			undo()
			return nil, err
		}
		f.launch(sh)
		inf := sh.informer
		regs[i] = &Registration{factory: f, shared: sh,
			reg: newRegistration(s, inf.store, inf.proc)}
		came = append(came, regs[i])
		x.fresh = append(x.fresh, member{inf, regs[i].reg, !inf.queue.HasSynced()})
	}
	for _, r := range gone {
		x.old = append(x.old, member{inf: r.shared.informer, reg: r.reg})
	}
	x.begin()
	if err := x.run(ctx, f); err != nil {
		undo()
		return nil, err
	}
	for _, r := range gone {
		r.once.Do(func() { f.release(r.shared) })
	}
	for _, m := range x.fresh {
		m.reg.proc.joined.set()
	}
	s.wake.set()
	return regs, nil
}

// begin has the old registrations note deletes.
func (x *exchange) begin() {
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
		x.was[i].Begun = diff.ParseVersion(m.inf.reflector.Status().ResourceVersion)
		m.reg.proc.mu.Unlock()
	}
}

// end has them note no more.
func (x *exchange) end() {
	for _, m := range x.old {
		m.reg.proc.mu.Lock()
		m.reg.deletes = nil
		m.reg.proc.mu.Unlock()
	}
}

// run waits until the new informers can take over, and has them do so.
func (x *exchange) run(ctx context.Context, f *Factory) error {
	age := time.NewTicker(exchangeAge)
	defer age.Stop()
	for _, m := range x.fresh {
		for !m.inf.queue.HasSynced() {
			select {
			case <-m.inf.queue.Synced:
			case <-age.C:
				x.age()
			case <-x.s.stopping:
				return x.s.stoppedError()
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	for attempt := 1; ; attempt++ {
		if done, err := x.try(f); done || err != nil {
			return err
		}
		if err := backoff.Sleep(ctx, exchangeDelays.Delay(attempt)); err != nil {
			return err
		}
	}
}

// age bounds the memory of deletes while a new informer cannot list.
func (x *exchange) age() {
	for i, m := range x.old {
		m.reg.proc.mu.Lock()
		x.was[i].Deletes.Age()
		m.reg.proc.mu.Unlock()
	}
}

// locked locks the processors of members, and returns what unlocks them. Only Exchange holds
// several of them, one Exchange at a time.
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

// try exchanges the registrations if the new informers are nowhere behind. For a moment the old
// ones stand still, so that the new ones can catch up.
func (x *exchange) try(f *Factory) (done bool, err error) {
	f.exchanging.Lock()
	defer f.exchanging.Unlock()
	defer locked(x.old)()
	late := time.Now().Add(catchUpTime)
	for range catchUps {
		if done, err = x.takeOver(); done || err != nil || time.Now().After(late) {
			break
		}
		runtime.Gosched()
	}
	return done, err
}

// takeOver exchanges the registrations if it can. The old processors are locked.
func (x *exchange) takeOver() (done bool, err error) {
	defer locked(x.fresh)()
	now := make([]diff.New, len(x.fresh))
	for i, m := range x.fresh {
		now[i] = diff.New{Store: m.inf.store, Namespace: m.inf.scope.Namespace,
			Within: m.inf.within(), Applied: diff.ParseVersion(m.inf.complete()), Fresh: m.late}
	}
	was := make([]diff.Old, 0, len(x.old))
	x.knowing = x.knowing[:0]
	for i, m := range x.old {
		if x.was[i].Floors = m.reg.floors.Load(); !m.reg.held {
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
	x.switchOver(c)
	return true, nil
}

// ID returns the identity of the target's informer.
func (t Target) ID() InformerID { return InformerID{t.Resource, t.Scope, t.Shape.keeps()} }

func (t Target) key() sharedKey { return sharedKey{t.Resource, t.Scope, t.Shape.keeps()} }

// within returns what reports whether the scope surely has an object that is stored. What a field
// selector means is not known.
func (inf *informer) within() func(*object.Object) bool {
	return diff.Within(inf.scope.Namespace, inf.scope.LabelSelector, inf.scope.FieldSelector)
}
