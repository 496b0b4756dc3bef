package daemon

import (
	"cmp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// remembers returns what a listener knows of an object.
func (s *supervisor) remembers(of admin.ObjectOf) (known admin.Memory) {
	for _, l := range s.current() {
		if l.name != of.Listener || of.Cluster != "" && l.cluster != of.Cluster || known.Has || len(known.Rules) > 0 { // another shard has the object
			continue
		}
		known.Listener, known.Idle = true, s.idle(l)
		if known.Idle == "" { // else it remembers nothing yet
			l.remembers(event.Key{Namespace: of.Namespace, Name: of.Name}, &known)
		}
	}
	return known
}

// remembers sets what the listener knows of an object.
func (l *listener) remembers(key event.Key, to *admin.Memory) {
	if o := storedIn(l.registrations(), key.Namespace, key.Name); o != nil {
		to.Has, to.UID, to.Selected = true, o.UID(), new(l.selects(key, o))
	}
	book, receivers := l.setup().book(), l.route.Receivers()
	if book == nil {
		return
	}
	for _, m := range book.Remembers(key) {
		one := admin.RuleMemory{Rule: m.Rule.Name(), Violated: m.Violated, Since: m.Since.UTC(),
			Message: m.Message, Severity: m.Severity, To: namesOf(m.Has, receivers),
			Waiting: namesOf(m.Waits, receivers)}
		switch {
		case !m.Violated:
			one.Next = one.Since.Add(m.Rule.For())
		case !m.Taken.IsZero():
			one.Reported = m.Taken.UTC()
			if m.Rule.Repeat() > 0 {
				one.Next = one.Reported.Add(m.Rule.Repeat())
			}
		}
		to.Rules = append(to.Rules, one)
	}
}

// selects reports whether the listener has an object among the selected ones. If its select fails,
// what was selected before is remembered.
func (l *listener) selects(key event.Key, o *object.Object) bool {
	is, remembered := l.route.Remembers(key)
	s := l.setup()
	if remembered || s.Select.LooksAround() {
		return is
	}
	if s.Select == nil {
		return true
	}
	is, err := s.Select.Evaluator().Match(event.Event{Op: event.Resync, Object: o})
	return is && err == nil
}

// namesOf returns the names of receivers, but of those that are no outputs any more.
func namesOf(these rules.Receivers, outputs []string) (names []string) {
	for i, name := range outputs {
		if name != "" && these.Has(i) {
			names = append(names, name)
		}
	}
	return names
}

// idle returns why a listener does not get events, "" if it does.
func (s *supervisor) idle(l *listener) string {
	if leads, _ := s.standing(); !leads {
		return "this replica stands by, so ask the one that leads"
	}
	if len(l.registrations()) > 0 {
		return ""
	}
	state := s.state(l)()
	return cmp.Or(strings.Join(slices.Concat(state.Failing, state.Starting), "; "),
		"it is not bound yet")
}
