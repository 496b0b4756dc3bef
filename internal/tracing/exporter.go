package tracing

import (
	"context"
	"log/slog"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/informerd/informerd/internal/wording"
)

// exporter counts what the receiver of traces does not take, and logs when it begins to fail, and
// when it works again. The provider calls it from one goroutine.
type exporter struct {
	sdktrace.SpanExporter
	log     *slog.Logger
	failed  int // spans
	failing bool
}

// ExportSpans implements sdktrace.SpanExporter. It returns no error: it would be logged twice.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.SpanExporter.ExportSpans(ctx, spans)
	if err != nil {
		e.failed += len(spans)
		if !e.failing {
			e.log.WarnContext(ctx, "traces cannot be sent, and are dropped", "error", err)
		}
	} else if e.failing {
		e.log.InfoContext(ctx, "traces are sent again", "dropped", e.failed)
	}
	e.failing = err != nil
	return nil
}

// maxText bounds the bytes of a text in a trace.
const maxText = 512

// bounded returns what a trace has of a text: protobuf wants UTF-8.
func bounded(text string) string { return wording.Cut(text, maxText) }
