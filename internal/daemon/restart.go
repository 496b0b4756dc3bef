package daemon

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// wanted returns the setup that the listener works with, or is to work with.
func (l *listener) wanted() *setup {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next != nil {
		return l.next
	}
	return l.setup()
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

// change has the listener begin again with another setup, as soon as what that looks up is there
// and its informers have listed; until then it goes on as it was. It reports false if the listener
// has not begun, which it must not any more then: another one takes its place, and would tell the
// same. Once may be closed when it has begun again, if it need not wait for the API server.
func (l *listener) change(s *shard, to *setup) (changed bool, once <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun {
		l.gone = true
		return false, nil
	}
	to.hold()
	now, before := l.now.Load(), l.next
	l.next = to
	if before != nil { // it is no longer wanted
		s.binder.cancel(l)
		s.release(before, to, now)
	}
	if to.bound.Load() == nil {
		s.binder.add(l, to)
		return true, nil
	}
	l.health.Bind(slices.Concat(l.events, to.caches.registrations()))
	ended := s.bound(l, to)
	if to.caches != now.caches || now.informer() != to.informer() {
		return true, nil
	}
	return true, ended
}

// informer identifies the informer of the listener's events.
func (s *setup) informer() string { return plan.Digest(s.Config.Informer()) }

// task has a goroutine do something for a listener. It must end soon once the listener's life has
// ended and its route is drained.
func (s *shard) task(l *listener, do func()) {
	l.tasks.Add(1)
	s.listening.Go(func() {
		defer l.tasks.Done()
		do()
	})
}

// bound begins a listener that is bound, or begins it again. It returns what is closed when that
// has ended.
func (s *shard) bound(l *listener, to *setup) <-chan struct{} {
	s.lookAtFields(to)
	ended := make(chan struct{})
	s.task(l, func() {
		defer close(ended)
		if !l.hasBegun() {
			s.resumed(l)
			l.start(l.life, s.keeper, s.log)
			return
		}
		if err := s.restart(l, to); err != nil {
			s.log.Error("listener failed", "listener", l.name, "error", err)
			l.health.Fail(err)
		}
	})
	return ended
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

// restart has a listener begin again with a setup that is bound, once what that needs is there.
func (s *shard) restart(l *listener, to *setup) error {
	l.restarting.Lock()
	defer l.restarting.Unlock()
	ctx, cancel := l.until(to)
	defer cancel()
	if informer.WaitForSync(ctx, to.caches.registrations()...) != nil {
		return nil
	}
	if l.setup().Config.Select.Text != to.Config.Select.Text {
		l.awaitRescanned(ctx)
	}
	var x *informer.Exchange
	if l.setup().informer() != to.informer() {
		inf, found := to.Config.Informer(), to.bound.Load().found
		err := found.CheckNamespaces(inf.Namespaces)
		if err == nil {
			x, err = s.factory.Exchange(l.subscription, l.registrations(), s.watched(to, found))
		}
		if err != nil {
			return err
		}
		defer x.Cancel()
		l.health.Bind(slices.Concat(x.Registrations(), to.caches.registrations()))
		if x.Wait(ctx) != nil {
			return nil
		}
	}
	for attempt := 1; ; attempt++ {
		done, err := s.tryRestart(l, to, x)
		switch {
		case ctx.Err() != nil && err != nil:
			return nil
		case done || err != nil:
			return err
		}
		if backoff.Sleep(ctx, restartBackoff.Delay(attempt)) != nil {
			return nil
		}
	}
}

// awaitRescanned waits until the listener that goes on after a restart of informerd has come to all
// objects once. Until then, the route remembers of some that outputs have them in a state from
// before the restart, and with another select it would take that for the present one.
func (l *listener) awaitRescanned(ctx context.Context) {
	for since := time.Now(); l.lagsBehind(time.Since(since)); {
		if backoff.Sleep(ctx, lookEach) != nil {
			return
		}
	}
}

// beginsWithin is how long a listener is waited for that has not begun, as the reload may be what
// it needs for that. One that has begun is waited for as its informers are, for openFor.
const beginsWithin = 2 * time.Second

// lagsBehind reports whether a reload that has waited for some time waits on.
func (l *listener) lagsBehind(waited time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.saved != nil {
		return waited < beginsWithin
	}
	return l.wentOn != nil && waited < openFor &&
		(l.behind || l.before == nil && l.subscription.Rescanning())
}

// restartBackoff is the range of the delays between attempts to take other informers, which may be
// behind those that the listener has.
var restartBackoff = backoff.Backoff{Min: 5 * time.Millisecond, Max: time.Second}

// tryRestart exchanges the setup of a listener while nothing works on its events. What waits in its
// buffer and for its outputs stays, and so does what its rules and its select remember. x has its
// other informers, nil if they are the same.
//
// What is decided before the buffer changes first, so that nothing is refused that the new
// expressions let through. What was decided about objects that are stored is decided again if the
// select or the rules have changed.
func (s *shard) tryRestart(l *listener, to *setup, x *informer.Exchange) (done bool,
	err error) {
	defer l.route.Pause()()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next != to || l.gone {
		return true, nil
	}
	from := l.setup()
	before, beforeText := l.before, l.beforeText
	if from.Config.Select.Text != to.Config.Select.Text &&
		(before == nil || l.saved == nil && !l.subscription.Rescanning()) {
		before, beforeText = &route.Selection{Select: from.Select}, from.Config.Select.Text
	}
	buffered := to.subscriptionConfig()
	if before != nil {
		// The route remembers what is selected, so it has to see every event.
		buffered = seesAll(buffered)
	}
	rescan := from.selectsOtherwise(to)
	if x == nil {
		done, err = true, l.subscription.Reconfigure(buffered)
	} else {
		done, err = x.Try(buffered, rescan)
	}
	if !done || err != nil {
		return false, err
	}
	if rescan {
		l.subscription.RescanLater()
	}
	if x != nil {
		l.events = x.Registrations()
		s.log.Info("listening", "listener", l.name, "resource", to.bound.Load().found.String(),
			"namespaces", to.Config.Informer().Namespaces)
	}
	if n := len(to.Before.Conditions); before != nil && n > 0 {
		s.log.Info("a reload has changed the select, so events are decided after the buffer until a restart",
			"listener", l.name, "conditions", n)
	}
	if book := from.book(); book != nil {
		to.remembered.Store(book)
	}
	l.before, l.beforeText = before, beforeText
	l.now.Store(to)
	l.next = nil
	l.route.Tune(to.tuning())
	err = l.route.Use(l.pipeline())
	s.release(from, to)
	s.lookAtFields(to)
	l.rescanDue(s)
	return true, err
}

// rescanDue begins the rescan that a restart has noted, or begins it again. After a restart lookAgain
// does so. The caller holds mu.
func (l *listener) rescanDue(s *shard) {
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
	return slices.ContainsFunc([]string{"select", "rules", "informers"},
		func(name string) bool { return before[name] != after[name] })
}

// release closes what a setup has and others do not, and lets go of its outputs.
func (s *shard) release(from *setup, others ...*setup) {
	s.unload(from, others...)
	s.letGo(&s.listening, from.outputs...)
}

// unload closes the handler and the caches that a setup has and others do not.
func (s *shard) unload(from *setup, others ...*setup) {
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
		if err := handler.handler.Close(context.Background()); err != nil {
			s.log.Warn("cannot close the handler", "listener", from.Config.Name, "error", err)
		}
	}
	if caches != nil {
		caches.remove()
	}
}

// retire ends a listener: it finishes what it has, for as long as at the end.
func (s *shard) retire(ctx context.Context, l *listener) {
	l.remove()
	l.leave()
	grace := s.grace()
	s.listening.Go(func() {
		defer close(l.ended)
		s.binder.remove(l)
		draining := context.WithoutCancel(ctx)
		until := time.Now().Add(grace)
		l.endViolations(draining, until, s.log)
		_ = l.route.Leave(draining, time.Until(until)) // logResults reports the rest
		l.tasks.Wait()                                 // a route that had just begun is drained as well
		l.unbind()
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

// endViolations ends what the rules of a listener have reported that is removed, as many as
// can be until a time.
func (l *listener) endViolations(ctx context.Context, until time.Time, log *slog.Logger) {
	if !l.hasBegun() || l.setup().book() == nil {
		return
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	err := l.route.EndViolations(ctx, func(key event.Key) *object.Object {
		return cmp.Or(storedIn(l.registrations(), key.Namespace, key.Name), l.had[key])
	})
	if err != nil {
		log.Warn("violations of a listener that is removed stay open at its outputs", "listener", l.name,
			"error", err)
	}
}

// letGo notes that somebody uses outputs no more, and has goroutines close those that nobody uses.
func (s *supervisor) letGo(goroutines *sync.WaitGroup, outputs ...*output) {
	for _, out := range outputs {
		if !out.letGo() {
			continue
		}
		grace := s.closeGrace()
		goroutines.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), grace)
			defer cancel()
			if err := out.close(ctx); err != nil {
				s.log.Warn("an output could not be closed in time", "output", out.name, "error",
					err)
			}
		})
	}
}
