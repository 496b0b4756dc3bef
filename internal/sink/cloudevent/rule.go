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
	// how often it was reported before, if it is reported again; else 0
	Repeats int
}

// Rule returns the message for what a rule has to report on the occasion of ev, which is about the
// rule's object. If nothing has happened to that, ev has no op, and nor has the message.
func (s *Source) Rule(ev event.Event, observed time.Time, r RuleState) sink.Message {
	m := s.about(ev, observed)
	m.Type = "dev.informerd.rule.resolved"
	if r.Violated {
		m.Type = "dev.informerd.rule.violated"
	}
	m.Rule, m.Severity = r.Rule, r.Severity
	since := r.Since.UTC().Format(time.RFC3339Nano)
	m.ID = s.ruleID(ev.Object, m.Type, r, since)

	data := make([]byte, 0, 256+len(r.Message)+ev.Object.Size())
	data = appendString(append(data, `{"rule":`...), r.Rule)
	data = appendString(append(data, `,"severity":`...), r.Severity)
	data = appendString(append(data, `,"message":`...), r.Message)
	data = appendString(append(data, `,"since":`...), since)
	if r.Repeats > 0 {
		data = append(data, `,"repeated":true`...)
	}
	data = append(data, `,"object":`...)
	data = appendObject(data, ev.Object)
	m.Data = string(append(data, '}'))
	return m
}
