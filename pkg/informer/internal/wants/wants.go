// Package wants decides which events a subscription gets of an informer, before anything is made or
// locked for them. Matchers of several subscriptions that share fields read an object once.
package wants

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Conditions are what a subscription wants of an informer. They never change: a subscription that
// wants something else gets others.
type Conditions struct {
	On          event.OpSet
	List        []condition.Condition // valid ones
	Transitions bool                  // as a subscription's
	Resync      time.Duration
}

// Matcher decides which events a subscription gets. The zero value refuses everything.
type Matcher struct {
	on          event.OpSet
	list        *condition.List
	fields      *condition.Fields
	transitions bool
}

// Matcher returns a matcher that reads with fields.
func (c *Conditions) Matcher(fields *condition.Fields) Matcher {
	list, err := fields.Compile(c.List, c.Transitions)
	if err != nil {
		panic(err) // they are valid
	}
	return Matcher{c.On, list, fields, c.Transitions}
}

// Allows reports whether the subscription wants the event. With Transitions, it wants to know what
// became of an object of which an earlier process may have delivered a state that is passed over.
// It does not allocate, and once the fields are read it takes far less than a microsecond.
func (j *Matcher) Allows(e *buffer.Entry) bool {
	if e.Doubt && j.transitions {
		return true
	}
	if !j.on.Has(e.Op) {
		return false
	}
	return j.list.Hold(j.fields, &condition.Event{Op: e.Op, Object: e.Object, Old: e.Old,
		Before: e.KnownBefore()})
}

// Allowed returns the stored objects that a late subscription wants as adds.
func (c *Conditions) Allowed(objects []*object.Object) []*object.Object {
	if len(c.List) == 0 {
		return objects
	}
	var wanted []*object.Object // a new one, so that a few objects do not keep the list of all
	j := c.Matcher(&condition.Fields{})
	for _, o := range objects {
		if j.Allows(&buffer.Entry{Event: event.Event{Op: event.Add, Object: o}}) {
			wanted = append(wanted, o)
		}
	}
	return wanted
}

// Made reports whether the matcher is not the zero one.
func (j *Matcher) Made() bool { return j.list != nil }
