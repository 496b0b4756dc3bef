package informer

import (
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// conditions are what a subscription wants, before anything is built or locked for an event.
type conditions struct {
	on          event.OpSet
	list        []condition.Condition
	transitions bool // see SubscriptionConfig.Transitions
}

func newConditions(on event.OpSet, list []condition.Condition, transitions bool) (conditions,
	error) {
	return conditions{on, list, transitions},
		condition.Validate(list)
}

// judge decides which events a subscription gets. Those of several subscriptions read what they ask
// for together, if they have the same fields. The zero value refuses everything.
type judge struct {
	on     event.OpSet
	list   *condition.List
	fields *condition.Fields
}

// judge makes one that reads with fields.
func (c *conditions) judge(fields *condition.Fields) judge {
	list, err := fields.Compile(c.list, c.transitions)
	if err != nil {
		panic(err) // NewSubscription has found them good
	}
	return judge{c.on, list, fields}
}

// allows reports whether the subscription wants the event. It does not allocate, and takes far less
// than a microsecond, once the fields that it asks for are read.
func (j *judge) allows(e *buffer.Entry) bool {
	if !j.on.Has(e.Op) {
		return false
	}
	return j.list.Hold(j.fields, &condition.Event{Op: e.Op, Object: e.Object, Old: e.Old,
		Before: e.KnownBefore()})
}

// allowed returns those of the stored objects that a subscription which comes late wants as adds.
func (c *conditions) allowed(objects []*object.Object) []*object.Object {
	if len(c.list) == 0 {
		return objects
	}
	var wanted []*object.Object // a new one, so that a few objects do not keep the list of all
	j := c.judge(&condition.Fields{})
	for _, o := range objects {
		if j.allows(&buffer.Entry{Event: event.Event{Op: event.Add, Object: o}}) {
			wanted = append(wanted, o)
		}
	}
	return wanted
}
