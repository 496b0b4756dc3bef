package daemon

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/informer"
)

// wanted returns the setup that the listener works with, or is to work with.
func (l *listener) wanted() *setup {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.target
}

// setups returns what the listener has: the setup that it works with, and before it the one that it
// is to work with, if that is another one.
func (l *listener) setups() []*setup {
	now, wanted := l.setup(), l.wanted()
	if now == wanted {
		return []*setup{now}
	}
	return []*setup{wanted, now}
}

// change makes a setup the one that the listener works with: at once, or when what it looks up is
// there. It reports false if the listener has not begun, which it must not any more then: another
// one takes its place, and would tell the same.
func (l *listener) change(s *supervisor, to *setup) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun {
		l.gone = true
		return false
	}
	now, before := l.now.Load(), l.target
	if book := before.book(); book != nil {
		to.remembered.Store(book)
	}
	to.hold()
	l.target = to
	if before != now { // it is no longer wanted
		s.binder.cancel(l)
		s.release(before, to, now)
	}
	switch {
	case to.bound.Load() == nil:
		s.binder.add(l, to)
	case to.caches == now.caches:
		l.health.Bind(slices.Concat(l.events, to.caches.registrations()))
		l.swap(s, to)
	default: // the one before has not been complete so far
		l.health.Bind(slices.Concat(l.events, to.caches.registrations()))
		s.bound(l, to)
	}
	return true
}

// task has a goroutine do something for a listener. It must end soon once the listener's life has
// ended and its route is drained.
func (s *supervisor) task(l *listener, do func()) {
	l.tasks.Add(1)
	s.listening.Go(func() {
		defer l.tasks.Done()
		do()
	})
}

// bound begins a listener that is bound, or exchanges its setup once the caches are complete.
func (s *supervisor) bound(l *listener, to *setup) {
	s.fields.Look()
	s.task(l, func() {
		if !l.hasBegun() {
			s.resumed(l)
			l.start(l.life, s.runtime)
			return
		}
		ctx, cancel := l.until(to)
		defer cancel()
		if informer.WaitForSync(ctx, to.caches.registrations()...) != nil {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.target == to && !l.gone {
			l.swap(s, to)
		}
	})
}

func (l *listener) hasBegun() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun
}

// until returns a context that ends when a setup is no longer wanted, or the listener ends.
func (l *listener) until(to *setup) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(l.life)
	context.AfterFunc(to.life, cancel)
	return ctx, cancel
}

// swap makes a setup that is bound the one that the listener works with. The caller holds mu.
//
// What is decided before the buffer changes first, so that nothing is refused that the new
// expressions let through. What was decided about objects that are stored is decided again if the
// select or the rules have changed.
func (l *listener) swap(s *supervisor, to *setup) {
	from := l.now.Swap(to)
	if from.Config.Select.Text != to.Config.Select.Text &&
		(l.before == nil || !l.subscription.Rescanning()) {
		l.before, l.beforeText = &route.Selection{Select: from.Select}, from.Config.Select.Text
	}
	buffered := to.subscriptionConfig()
	if l.before != nil {
		// The route remembers what is selected, so it has to see every event.
		if len(buffered.Conditions) > 0 {
			s.log.Info("a reload has changed the select, so events are decided after the buffer until a restart",
				"listener", l.name, "conditions", len(buffered.Conditions))
		}
		buffered = seesAll(buffered)
	}
	err := l.subscription.Reconfigure(buffered)
	if err == nil {
		l.route.Tune(to.tuning())
		err = l.route.Use(l.pipeline())
	}
	if err != nil { // what may be wrong was checked
		s.log.Error("listener failed", "listener", l.name, "error", err)
		l.now.Store(from)
		return
	}
	if from.selectsOtherwise(to) {
		l.subscription.RescanLater()
	}
	s.release(from, to)
	s.fields.Look()
	s.cluster.rights.Need(l.name, to.needs())
	if l.tiedTo == plan.Digest(to.Config.Informer()) {
		l.rescanDue(s)
		return
	}
	// An object that neither the old select and scope have nor the new ones is not told of: the
	// objects are asked about once those that are out of the new scope have left.
	s.task(l, func() { s.exchange(l, to) })
}

// rescanDue begins the rescan that swap has noted, or begins it again. After a restart lookAgain
// does so. The caller holds mu.
func (l *listener) rescanDue(s *supervisor) {
	if l.behind || !l.subscription.Rescanning() {
		return
	}
	l.subscription.Rescan()
	s.task(l, func() { l.endUnscanned(l.life, s.log) })
}

// endUnscanned ends what the listener remembers of objects that were deleted before a rescan came
// to them: if only what there was before asks about an object, its end is refused before the
// buffer, and nobody would be told.
func (l *listener) endUnscanned(ctx context.Context, log *slog.Logger) {
	for l.subscription.Rescanning() {
		if backoff.Sleep(ctx, lookEach) != nil {
			return
		}
	}
	l.endGone(ctx, log)
}

// lookEach is how often it is looked whether a rescan is over.
const lookEach = 50 * time.Millisecond

// seesAll returns the configuration of a buffer before which nothing is decided.
func seesAll(c informer.SubscriptionConfig) informer.SubscriptionConfig {
	c.On, c.Conditions, c.Transitions = 0, nil, true
	return c
}

// selectsOtherwise reports whether another setup may select other objects, judge them otherwise, or
// has an output that is to get the violations that are open.
func (s *setup) selectsOtherwise(to *setup) bool {
	if len(to.Rules) > 0 && slices.ContainsFunc(to.Config.Outputs, func(name string) bool {
		return !slices.Contains(s.Config.Outputs, name)
	}) {
		return true
	}
	before, after := s.Members(), to.Members()
	for _, name := range []string{"select", "rules", "informers"} {
		if before[name] != after[name] {
			return true
		}
	}
	return false
}

// exchange ties the listener to the informers of its setup, instead of those that it has. The
// listener gets the difference.
func (s *supervisor) exchange(l *listener, to *setup) {
	l.exchanging.Lock()
	defer l.exchanging.Unlock()
	ctx, cancel := l.until(to)
	defer cancel()
	l.mu.Lock()
	wanted, old := l.now.Load() == to && !l.gone, l.events
	l.mu.Unlock()
	if !wanted {
		return
	}
	inf, found := to.Config.Informer(), to.bound.Load().found
	err := found.CheckNamespaces(inf.Namespaces)
	var events []*informer.Registration
	if err == nil {
		events, err = s.cluster.factory.Exchange(ctx, l.subscription, old,
			to.targets(found, inf, to.Shape))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case ctx.Err() != nil && err != nil:
		return
	case err != nil:
		s.log.Error("listener failed", "listener", l.name, "error", err)
		l.health.Fail(err)
		l.rescanDue(s)
		return
	}
	l.events, l.tiedTo = events, plan.Digest(inf)
	if now := l.now.Load(); l.tiedTo == plan.Digest(now.Config.Informer()) {
		l.rescanDue(s)
	} else { // a reload has gone back to the informers before, and found the listener tied to them
		s.task(l, func() { s.exchange(l, now) })
	}
	l.health.Bind(slices.Concat(events, to.caches.registrations()))
	s.log.Info("listening", "listener", l.name, "resource", found.String(), "namespaces",
		inf.Namespaces)
}

// release closes what a setup has and others do not.
func (s *supervisor) release(from *setup, others ...*setup) {
	from.unwanted()
	handler, caches := from.module, from.caches
	for _, other := range others {
		if other.module == handler {
			handler = nil
		}
		if other.caches == caches {
			caches = nil
		}
	}
	if handler != nil && handler.handler != nil {
		if err := handler.handler.Retire(context.Background()); err != nil {
			s.log.Warn("cannot close the handler", "listener", from.Config.Name, "error", err)
		}
	}
	if caches != nil {
		caches.remove()
	}
	s.letGo(from.outputs...)
}

// retire ends a listener: it finishes what it has, for as long as at the end.
func (s *supervisor) retire(ctx context.Context, l *listener) {
	l.remove()
	l.leave()
	grace := s.grace()
	s.listening.Go(func() {
		defer close(l.ended)
		s.binder.remove(l)
		draining := context.WithoutCancel(ctx)
		_ = l.route.Leave(draining, grace) // logResults reports the rest
		l.tasks.Wait()                     // a route that had just begun is drained as well
		l.unbind()
		s.cluster.rights.Need(l.name, nil)
		s.forget(draining, l)
		logResults(s.log, []*listener{l})
		had := l.setups()
		for i, one := range had {
			s.release(one, had[i+1:]...)
		}
		if l.after != nil { // who comes next waits for all that were before
			<-l.after
		}
	})
}

// letGo notes that somebody uses outputs no more, and closes those that nobody uses.
func (s *supervisor) letGo(outputs ...*output) {
	for _, out := range outputs {
		if !out.letGo() {
			continue
		}
		grace := s.closeGrace()
		s.listening.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), grace)
			defer cancel()
			if err := out.close(ctx); err != nil {
				s.log.Warn("an output could not be closed in time", "output", out.name, "error",
					err)
			}
		})
	}
}
