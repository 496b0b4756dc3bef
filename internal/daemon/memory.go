package daemon

import (
	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/pkg/informer/event"
)

// remembers returns what the listener knows of an object by its rules.
func (l *listener) remembers(key event.Key) memory.Rules {
	book := l.setup().book()
	if book == nil {
		return nil
	}
	return memory.RulesOf(book.Remembers(key), l.route.Receivers())
}

// remembers returns what a listener knows of an object.
func (s *supervisor) remembers(of admin.ObjectOf) (known memory.Object) {
	for _, l := range s.current() {
		if l.name != of.Listener {
			continue
		}
		s.mu.Lock()
		cfg := s.plan.Config
		s.mu.Unlock()
		if own := cfg.Listeners[l.name]; own != nil {
			known.Digest, known.Outputs = plan.ListenerDigest(cfg, own), own.Outputs
		}
		known.Listener, known.Idle = true, s.idle(l)
		for _, reg := range l.registrations() {
			if o, err := reg.Lister().Get(of.Namespace, of.Name); err == nil {
				known.Has, known.UID = true, o.UID()
			}
		}
		key := event.Key{Namespace: of.Namespace, Name: of.Name}
		if l.setup().Select.LooksAround() {
			is := l.route.Remembers(key)
			known.Selected = &is
		}
		known.Rules = l.remembers(key)
	}
	return known
}
