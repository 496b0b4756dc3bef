// package tracing makes OpenTelemetry traces of some events, from the watch to the outputs.
//
//   - One of every so many states of objects is traced. Which ones follows from their uid and
//     version, so that all listeners, and a process after a restart, trace the same ones.
//   - A trace is of one event and one listener: a span from its arrival, or the turn of a worker if
//     that is not known, to the end of that turn, and below it one for the time in the buffer, one
//     for the filter, one for the handler, and one for each try of an output.
//   - The parent that a message carries is the span of the try that sends it.
//   - A nil Tracer traces nothing, and so does what it returns: that costs a comparison and no
//     memory. An event that is not traced allocates nothing either.
//   - Somebody who looks at a listener's events sees what became of each, whether it is traced or
//     not: what they look at is a [Recorder].
//   - Nothing waits for the receiver of traces. What it does not take is dropped, and counted.
//   - Names of objects are in traces, and nothing else of their content.
//
// Traces go through the client of webhooks and not through the SDK's exporter, which follows
// redirects, connects to whatever a name leads to, and does not read its token again.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/cespare/xxhash/v2"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	// maxQueued is how many spans wait for the receiver, and maxSent how many go to it at once.
	// More are dropped.
	maxQueued = 4096
	maxSent   = 512
	interval  = 2 * time.Second
)

// Config is what a Tracer is made of.
type Config struct {
	// Every: one of so many states is traced; at least 1, which means all.
	Every    uint64
	Exporter sdktrace.SpanExporter
	Cluster  string
	Version  string // of informerd
	Log      *slog.Logger
}

// Tracer makes traces. Make one with New, and Close it. It is safe for concurrent use.
type Tracer struct {
	every    uint64
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// New returns a Tracer.
func New(c Config) *Tracer {
	e := &exporter{SpanExporter: c.Exporter, log: c.Log}
	p := sdktrace.NewTracerProvider(
		sdktrace.WithSampler(sdktrace.AlwaysSample()), // Begin decides
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "informerd"),
			attribute.String("service.version", c.Version),
			attribute.String("k8s.cluster.name", c.Cluster))),
		sdktrace.WithBatcher(e, sdktrace.WithMaxQueueSize(maxQueued),
			sdktrace.WithMaxExportBatchSize(maxSent), sdktrace.WithBatchTimeout(interval)))
	return &Tracer{every: max(c.Every, 1), provider: p, tracer: p.Tracer("informerd")}
}

// Close sends what waits, as long as ctx lasts.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("tracing: spans that were not sent are lost: %w", err)
	}
	return nil
}

// Begin begins the trace of an event that a listener's worker has taken, nil if it is not traced.
// resource is that of the listener's informer. The trace notes what becomes of the event in record,
// too, unless that is nil.
func (t *Tracer) Begin(listener, resource string, e *event.Event, record *Record) *Trace {
	if t == nil || !t.wants(e) {
		if record == nil {
			return nil
		}
		return &Trace{record: record}
	}
	o, now := e.Object, time.Now()
	began := now
	if e.Arrived != 0 {
		began = now.Add(-time.Duration(event.Now() - e.Arrived))
	}
	ctx, span := t.tracer.Start(context.Background(), "event",
		trace.WithTimestamp(began), trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(
			attribute.String("informerd.listener", listener),
			attribute.String("informerd.op", e.Op.String()),
			attribute.String("informerd.resource", resource),
			attribute.Int("informerd.missed", int(e.Missed)),
			attribute.Bool("informerd.resumed", e.Resumed),
			attribute.String("k8s.namespace.name", bounded(o.Namespace())),
			attribute.String("k8s.object.name", bounded(o.Name())),
			attribute.String("k8s.object.uid", bounded(o.UID())),
			attribute.String("k8s.object.resource_version", bounded(o.ResourceVersion()))))
	tr := &Trace{record: record, tracer: t.tracer, parent: ctx, span: span}
	if e.Arrived != 0 {
		tr.Stage("buffer", began, nil)
	}
	return tr
}

// wants reports whether a state is one of those that are traced.
func (t *Tracer) wants(e *event.Event) bool {
	if t.every == 1 {
		return true
	}
	var d xxhash.Digest
	d.Reset()
	_, _ = d.WriteString(e.Object.UID())
	_, _ = d.WriteString(e.Object.ResourceVersion())
	return d.Sum64()%t.every == 0
}
