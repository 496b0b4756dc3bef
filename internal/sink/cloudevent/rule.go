package cloudevent

import (
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
)

// RuleState is what a rule reports of an object.
type RuleState struct {
	Rule, Severity, Message string
	Violated                bool      // else resolved
	Since                   time.Time // when the violation began
	// how often the violation was reported before
	Repeats int
}

// Rule returns the message for what a rule reports about the object of ev. If only time has passed,
// ev has no op, and the message has none either.
func (b *Builder) Rule(ev event.Event, observed time.Time, r RuleState) sink.Message {
	m := b.about(ev, observed)
	m.Type = "dev.informerd.rule.resolved"
	if r.Violated {
		m.Type = "dev.informerd.rule.violated"
	}
	m.Rule, m.Severity = r.Rule, r.Severity
	since := r.Since.UTC().Format(time.RFC3339Nano)
	m.ID = b.ruleID(ev.Object, m.Type, r, since)

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
