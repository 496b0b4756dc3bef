package tracing

import (
	"context"
	"encoding/hex"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Trace is that of one event and one listener. Nil is that of an event that is not traced. It is
// safe for concurrent use.
type Trace struct {
	// record is nil unless somebody looks at the listener's events.
	record *Record
	// tracer, parent and span are nil if the event has no trace for OpenTelemetry.
	tracer trace.Tracer
	parent context.Context //nolint:containedctx // it is the span, as the API has it
	span   trace.Span
}

// Stage notes a stage that has just ended, with its error.
func (t *Trace) Stage(name string, began time.Time, err error) {
	if t == nil || t.span == nil {
		return
	}
	_, span := t.tracer.Start(t.parent, name, trace.WithTimestamp(began))
	end(span, err)
}

// End ends what a worker does with the event. outcome says what became of it: passed, filtered,
// dropped or failed.
func (t *Trace) End(outcome string, err error) {
	if t == nil {
		return
	}
	t.record.End(outcome, err)
	if t.span == nil {
		return
	}
	t.span.SetAttributes(attribute.String("informerd.outcome", outcome))
	end(t.span, err)
}

// Send begins a try of an output. waited is how long the event has waited for it, and attempt is 1
// for the first try.
func (t *Trace) Send(output string, waited time.Duration, attempt int) *Send {
	if t == nil {
		return nil
	}
	s := &Send{record: t.record, output: output}
	if t.span == nil {
		return s
	}
	_, s.span = t.tracer.Start(t.parent, "send", trace.WithSpanKind(trace.SpanKindProducer),
		trace.WithAttributes(attribute.String("informerd.output", output),
			attribute.Float64("informerd.waited_seconds", waited.Seconds()),
			attribute.Int("informerd.attempt", attempt)))
	return s
}

// Send is a try of an output, nil if it is not traced.
type Send struct {
	record *Record
	output string
	span   trace.Span // nil if there is none for OpenTelemetry
}

// Parent returns what the receiver's trace goes on with, as W3C Trace Context has it in the header
// traceparent: https://www.w3.org/TR/trace-context/#traceparent-header
func (s *Send) Parent() string {
	if s == nil || s.span == nil {
		return ""
	}
	c := s.span.SpanContext()
	id, span := c.TraceID(), c.SpanID()
	return "00-" + hex.EncodeToString(id[:]) + "-" + hex.EncodeToString(span[:]) + "-01"
}

// End ends the try.
func (s *Send) End(err error) {
	if s == nil {
		return
	}
	s.record.Sent(s.output, err)
	if s.span != nil {
		end(s.span, err)
	}
}

func end(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, bounded(err.Error()))
	}
	span.End()
}
