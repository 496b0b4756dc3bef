package delivery

import (
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
)

// View sets what an output's expressions see of a message.
func View(v *filters.Message, m *sink.Message) {
	*v = filters.Message{
		Event:   eventOf(m),
		Cluster: m.Origin.Cluster, Listener: m.Origin.Listener, Resource: m.Origin.Resource,
		Namespace: m.Object.Namespace(), Name: m.Object.Name(), UID: m.UID,
		Type: m.Type, ID: m.ID, Subject: m.Subject,
	}
	if m.Body == sink.BodyData {
		v.Data = m.Data
	}
	if r := m.Report; r != nil {
		v.Rule, v.Severity, v.Message = r.Rule, r.Severity, r.Message
		v.Violated, v.Since = r.Violated, r.Since
	}
}

// Objects adds the hashes of the keys of the objects of which something is waiting.
func (o *Outbox) Objects(to map[uint64]struct{}) { o.queue.Underway(to) }
