package tracing

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// exporter counts what the receiver of traces takes, and logs when it begins to fail, and when it
// works again. The provider calls it from one goroutine.
type exporter struct {
	sdktrace.SpanExporter
	log          *slog.Logger
	sent, failed atomic.Uint64
	failing      bool
}

// ExportSpans implements sdktrace.SpanExporter. It returns no error: it would be logged twice.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err != nil {
		e.failed.Add(uint64(len(spans)))
		if !e.failing {
			e.log.WarnContext(ctx, "traces cannot be sent, and are dropped", "error", err)
		}
	} else {
		e.sent.Add(uint64(len(spans)))
		if e.failing {
			e.log.InfoContext(ctx, "traces are sent again", "dropped", e.failed.Load())
		}
	}
	e.failing = err != nil
	return nil
}

// maxText bounds the bytes of a text in a trace.
const maxText = 512

// bounded returns what a trace has of a text: protobuf wants UTF-8.
func bounded(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= maxText {
		return text
	}
	end := maxText - len("…")
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
