package daemon

import (
	"context"

	"github.com/informerd/informerd/pkg/informer"
)

// wanted returns the setup that the listener works with, or is to work with.
func (l *listener) wanted() *setup {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.target
}

// change makes a setup the one that the listener works with: at once, or when what it looks up is
// there. It reports false, and changes nothing, if the listener has not begun.
func (l *listener) change(s *supervisor, to *setup) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun {
		return false
	}
	if before := l.target; before != l.now.Load() { // it is no longer wanted
		s.binder.cancel(l)
		s.release(before, to, l.now.Load())
	}
	l.target = to
	if to.messages == nil {
		s.binder.add(l, to)
		return true
	}
	l.swap(s, to)
	return true
}

// bound begins a listener that is bound, or exchanges its setup once the caches are complete.
func (s *supervisor) bound(l *listener, to *setup) {
	s.listening.Go(func() {
		if !l.hasBegun() {
			l.start(l.life, s.runtime)
			return
		}
		if informer.WaitForSync(to.life, to.caches.registrations()...) != nil {
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

// swap makes a setup that is bound the one that the listener works with. The caller holds mu.
func (l *listener) swap(s *supervisor, to *setup) {
	from := l.now.Swap(to)
	if err := l.route.Use(to.pipeline()); err != nil { // what may be wrong was checked
		s.log.Error("listener failed", "listener", l.name, "error", err)
		l.now.Store(from)
		return
	}
	s.release(from, to)
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
			s.log.Warn("cannot close the handler", "listener", from.cfg.Name, "error", err)
		}
	}
	if caches != nil {
		caches.remove()
	}
}

// retire ends a listener: it finishes what it has, for as long as at the end.
func (s *supervisor) retire(ctx context.Context, l *listener) {
	l.remove()
	l.leave()
	grace := s.grace()
	s.listening.Go(func() {
		defer close(l.ended)
		s.binder.remove(l)
		draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		_ = l.route.Drain(draining) // logResults reports the rest
		l.unbind()
		logResults(s.log, []*listener{l})
		if now, wanted := l.setup(), l.wanted(); now == wanted {
			s.release(now)
		} else {
			s.release(wanted, now)
			s.release(now)
		}
	})
}

// closeLater closes outputs that nobody uses any more, once listeners have ended.
func (s *supervisor) closeLater(ctx context.Context, unused outputs, leaving []*listener) {
	if len(unused) == 0 {
		return
	}
	grace := s.runtime.plan.config.Shutdown.Close.Duration
	s.listening.Go(func() {
		for _, l := range leaving {
			<-l.ended
		}
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if err := unused.close(closing); err != nil {
			s.log.Warn("an output could not be closed in time", "error", err)
		}
	})
}
