package delivery

import (
	"encoding/json"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Describe completes a letter with what it is about: where it comes from, and the event.
func Describe(l deadletter.Letter, from *sink.Origin, e event.Event) deadletter.Letter {
	o := e.Object
	l.Listener, l.Cluster, l.Resource = from.Listener, from.Cluster, from.Resource
	l.Group, l.Version, l.Plural, l.Kind = from.Group, from.Version, from.Plural, from.Kind
	l.Namespace, l.Name = o.Namespace(), o.Name()
	l.UID, l.ResourceVersion = o.UID(), o.ResourceVersion()
	if e.Op != 0 {
		l.Op = e.Op.String()
	}
	l.Initial, l.FinalStateUnknown = e.Initial, e.FinalStateUnknown
	l.Missed, l.Resumed = int(e.Missed), e.Resumed
	l.Object = textOf(o)
	if e.Old != nil {
		l.Old = textOf(e.Old)
	}
	return l
}

func textOf(o *object.Object) json.RawMessage { return o.AppendJSON(nil) }

// eventOf returns the event that a message is about.
func eventOf(m *sink.Message) event.Event {
	return event.Event{Op: m.Op, Object: m.Object, Old: m.Old, Initial: m.Initial,
		FinalStateUnknown: m.FinalStateUnknown, Missed: int32(m.Missed), Resumed: m.Resumed}
}

// withMessage adds the message that was not taken.
func withMessage(l deadletter.Letter, m sink.Message) deadletter.Letter {
	l.Message, l.Handler = cloudevent.Append(nil, m), m.Handler
	if m.Report != nil {
		l.Rule = m.Report.Rule
	}
	return l
}
