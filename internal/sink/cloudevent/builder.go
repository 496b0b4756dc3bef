package cloudevent

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

var typeOf = [...]string{
	event.Add:    "dev.informerd.object.added",
	event.Update: "dev.informerd.object.updated",
	event.Delete: "dev.informerd.object.deleted",
	event.Resync: "dev.informerd.object.resynced",
}

// TypeOf returns the type of the message for an object's event.
func TypeOf(op event.Op) string { return typeOf[op] }

// Builder makes the messages of one listener. Make one with NewBuilder.
type Builder struct {
	origin        *sink.Origin
	subjectPrefix string // the resource, encoded
	idPrefix      string // what all ids of states begin with, before they are hashed
}

// NewBuilder takes where the messages come from, but for Source, which it makes. Cluster, Listener
// and Resource must not be empty.
func NewBuilder(from sink.Origin) (*Builder, error) {
	for _, f := range []struct{ what, name string }{
		{"cluster", from.Cluster}, {"listener", from.Listener}, {"resource", from.Resource},
	} {
		if f.name == "" {
			return nil, fmt.Errorf("messages (cluster %q, listener %q, resource %q): %s is empty",
				from.Cluster, from.Listener, from.Resource, f.what)
		}
	}
	from.Source = "/clusters/" + url.PathEscape(from.Cluster) + "/listeners/" +
		url.PathEscape(from.Listener)
	return &Builder{origin: &from, subjectPrefix: url.PathEscape(from.Resource) + "/",
		idPrefix: string(appendParts(nil, from.Cluster, from.Resource))}, nil
}

// Origin returns where the builder's messages come from. Do not change it.
func (b *Builder) Origin() *sink.Origin { return b.origin }

// Event returns the message for an object's event.
func (b *Builder) Event(ev event.Event, observed time.Time) (m sink.Message) {
	b.SetEvent(&m, ev, observed)
	return m
}

// SetEvent sets a zero message to the one for an object's event. A Message is large, so copies of
// one are to be seen in what an event costs.
func (b *Builder) SetEvent(m *sink.Message, ev event.Event, observed time.Time) {
	b.about(m, &ev, observed)
	m.ID = b.stateID(&ev)
	m.Type = typeOf[ev.Op]
}

// Emitted returns the message for what a handler emitted about ev: the index-th for this event,
// from 0. Data is one JSON value, or empty for a message without data. A type or data that
// CloudEvents does not allow is a permanent error.
func (b *Builder) Emitted(ev event.Event, observed time.Time, typ string, index int,
	data string) (sink.Message, error) {
	if err := checkType(typ); err != nil {
		return sink.Message{}, sink.Permanent(fmt.Errorf("emitted event %d: %w", index, err))
	}
	if err := checkData(data); err != nil {
		return sink.Message{},
			sink.Permanent(fmt.Errorf("emitted event %d of type %q: %w", index, typ, err))
	}
	var m sink.Message
	b.about(&m, &ev, observed)
	m.ID = b.emittedID(&ev, typ, index)
	m.Type = typ
	m.Body, m.Data = sink.BodyData, data
	return m, nil
}

// about sets what all messages about ev have in common.
func (b *Builder) about(m *sink.Message, ev *event.Event, observed time.Time) {
	o := ev.Object
	m.Origin = b.origin
	m.Subject = b.subjectPrefix + url.PathEscape(o.Namespace()) + "/" + url.PathEscape(o.Name())
	m.Time, m.Op = observed, ev.Op
	m.ResourceVersion, m.UID = o.ResourceVersion(), o.UID()
	m.Initial, m.FinalStateUnknown = ev.Initial, ev.FinalStateUnknown
	m.Missed, m.Resumed = int(ev.Missed), ev.Resumed
	m.Object, m.Old = o, ev.Old
	if ev.Old != nil {
		m.OldResourceVersion = ev.Old.ResourceVersion()
	}
}

// checkType reports what CloudEvents does not allow in a type.
func checkType(typ string) error {
	switch {
	case typ == "":
		return errors.New("the type is empty")
	case !utf8.ValidString(typ):
		return fmt.Errorf("type %q is not valid UTF-8", typ)
	case strings.ContainsFunc(typ, unicode.IsControl):
		return fmt.Errorf("type %q contains a control character", typ)
	case strings.TrimSpace(typ) != typ:
		return fmt.Errorf("type %q begins or ends with white space", typ)
	}
	return nil
}

// checkData reports why data is not one JSON value. It never quotes the data, which may be a
// Secret's.
func checkData(data string) error {
	if data == "" {
		return nil
	}
	if !utf8.ValidString(data) {
		return errors.New("the data is not valid UTF-8")
	}
	end, err := object.ScanValue([]byte(data))
	if err != nil {
		return fmt.Errorf("the data is not valid JSON: %w", err)
	}
	if rest := strings.TrimLeft(data[end:], " \t\r\n"); rest != "" {
		return fmt.Errorf("the data is not one JSON value: there is more at offset %d",
			len(data)-len(rest))
	}
	return nil
}
