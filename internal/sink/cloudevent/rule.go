package cloudevent

import (
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
)

// RuleState is what a rule has to tell of an object.
type RuleState struct {
	Rule, Severity, Message string
	Violated                bool      // else resolved
	Since                   time.Time // from when on the object has been, or was, in violation
	Repeated                bool      // it was told before
	UID                     string    // of the object that it is about, "" if that is the event's
}

// Rule gives the message for what a rule tells on the occasion of ev.
func (s *Source) Rule(ev event.Event, observed time.Time, r RuleState) sink.Message {
	m := s.about(ev, observed)
	m.Type = "dev.informerd.rule.resolved"
	if r.Violated {
		m.Type = "dev.informerd.rule.violated"
	}
	if r.UID != "" {
		m.UID = r.UID
	}
	m.Rule, m.Severity = r.Rule, r.Severity
	since := r.Since.UTC().Format(time.RFC3339Nano)
	parts := []string{s.stateID(ev), s.listener, m.Type, r.Rule, since}
	if r.Repeated {
		parts = append(parts, observed.UTC().Format(time.RFC3339Nano))
	}
	m.ID = hash(parts...)

	data := make([]byte, 0, 256+len(r.Message)+ev.Object.Size())
	data = appendString(append(data, `{"rule":`...), r.Rule)
	data = appendString(append(data, `,"severity":`...), r.Severity)
	data = appendString(append(data, `,"message":`...), r.Message)
	data = appendString(append(data, `,"since":`...), since)
	if r.Repeated {
		data = append(data, `,"repeated":true`...)
	}
	data = append(data, `,"object":`...)
	data = appendJSON(data, ev.Object.JSON())
	m.Data = string(append(data, '}'))
	return m
}
