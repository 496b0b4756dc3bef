package informer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// conditions are what a subscription wants of an informer. They never change: a subscription that
// wants something else gets others.
type conditions struct {
	on          event.OpSet
	list        []condition.Condition // valid ones
	transitions bool                  // as a subscription's
	resync      time.Duration
}

// matcher decides which events a subscription gets of an informer, before anything is made or
// locked for them. Those of several subscriptions that share fields read an object once. The zero
// value refuses everything.
type matcher struct {
	on          event.OpSet
	list        *condition.List
	fields      *condition.Fields
	transitions bool
}

// matcher returns a matcher that reads with fields.
func (c *conditions) matcher(fields *condition.Fields) matcher {
	list, err := fields.Compile(c.list, c.transitions)
	if err != nil {
		panic(err) // they are valid
	}
	return matcher{c.on, list, fields, c.transitions}
}

// allows reports whether the subscription wants the event. With Transitions, it wants to know what
// became of an object of which an earlier process may have delivered a state that is passed over.
// It does not allocate, and once the fields are read it takes far less than a microsecond.
func (m *matcher) allows(e *buffer.Entry) bool {
	if e.MaybeKnown && m.transitions {
		return true
	}
	if !m.on.Has(e.Op) {
		return false
	}
	return m.list.Hold(m.fields, &condition.Event{Op: e.Op, Object: e.Object, Old: e.Old,
		Before: e.KnownBefore()})
}

// allowed returns the stored objects that a late subscription wants as adds.
func (c *conditions) allowed(objects []*object.Object) []*object.Object {
	if len(c.list) == 0 {
		return objects
	}
	var wanted []*object.Object // a new one, so that a few objects do not keep the list of all
	m := c.matcher(&condition.Fields{})
	for _, o := range objects {
		if m.allows(&buffer.Entry{Event: event.Event{Op: event.Add, Object: o}}) {
			wanted = append(wanted, o)
		}
	}
	return wanted
}

// made reports whether the matcher is not the zero one.
func (m *matcher) made() bool { return m.list != nil }
