package cloudevent

import (
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
)

// The types of what a rule reports.
const (
	Violated = "dev.informerd.rule.violated"
	Resolved = "dev.informerd.rule.resolved"
)

// Rule returns the message for what a rule reports about the object of ev. If only time has passed,
// ev has no op, and the message has none either.
func (b *Builder) Rule(ev event.Event, observed time.Time, r sink.Report) sink.Message {
	var m sink.Message
	b.about(&m, &ev, observed)
	m.Type = Resolved
	if r.Violated {
		m.Type = Violated
	}
	m.ID = b.ruleID(ev.Object, m.Type, &r, since(&r))
	m.Report, m.Body = &r, sink.BodyReport
	return m
}

// since returns the text of the time when the violation began.
func since(r *sink.Report) string { return r.Since.UTC().Format(time.RFC3339Nano) }

// appendReport appends the data of a report.
func appendReport(dst []byte, m sink.Message) []byte {
	r := m.Report
	dst = appendString(append(dst, `{"rule":`...), r.Rule)
	dst = appendString(append(dst, `,"severity":`...), r.Severity)
	dst = appendString(append(dst, `,"message":`...), r.Message)
	dst = r.Since.UTC().AppendFormat(append(dst, `,"since":"`...), time.RFC3339Nano)
	dst = append(dst, '"')
	if r.Repeats > 0 {
		dst = append(dst, `,"repeated":true`...)
	}
	dst = append(dst, `,"object":`...)
	dst = appendObject(dst, m.Object)
	return append(dst, '}')
}
