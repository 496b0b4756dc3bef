package daemon

import (
	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/changes"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// remembers returns what the listener knows of an object by its rules.
func (l *listener) remembers(key event.Key) memory.Rules {
	book := l.setup().book()
	if book == nil {
		return nil
	}
	return memory.RulesOf(book.Remembers(key), l.route.Receivers())
}

// selects reports whether the listener has an object among the selected ones. If its select fails,
// what was selected before is remembered.
func (l *listener) selects(key event.Key, o *object.Object) *bool {
	is, remembered := l.route.Remembers(key)
	s := l.setup()
	switch {
	case remembered, s.Select.LooksAround():
	case s.Select == nil:
		is = true
	default:
		is = s.Select.Explain(event.Event{Op: event.Resync, Object: o}, s.caches).Matched
	}
	return &is
}

// remembersSelected reports whether an object is selected, nil where that follows from its state.
func (l *listener) remembersSelected(key event.Key) *bool {
	is, remembered := l.route.Remembers(key)
	if !remembered && !l.setup().Select.LooksAround() {
		return nil
	}
	return &is
}

// remembers returns what a listener knows of an object.
func (s *supervisor) remembers(of admin.ObjectOf) (known memory.Object) {
	s.mu.Lock()
	cfg := s.plan.Config
	s.mu.Unlock()
	fixed := changes.Fixed(cfg)
	known.Fixed = &fixed
	for _, l := range s.current() {
		if l.name != of.Listener {
			continue
		}
		if own := cfg.Listeners[l.name]; own != nil {
			known.Digest, known.Outputs = plan.ListenerDigest(cfg, own), own.Outputs
		}
		known.Listener = true
		if known.Idle = s.idle(l); known.Idle != "" {
			continue // it remembers nothing yet
		}
		key := event.Key{Namespace: of.Namespace, Name: of.Name}
		for _, reg := range l.registrations() {
			if o, err := reg.Lister().Get(of.Namespace, of.Name); err == nil {
				known.Has, known.UID, known.Member = true, o.UID(), l.selects(key, o)
			}
		}
		known.Selected = l.remembersSelected(key)
		known.Rules = l.remembers(key)
	}
	return known
}
