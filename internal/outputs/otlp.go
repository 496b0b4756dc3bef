package outputs

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/httpsink"
)

// tracesPath is where a receiver takes traces, below its URL:
// https://opentelemetry.io/docs/specs/otlp/#otlphttp-request
const tracesPath = "/v1/traces"

// newOTLP returns an exporter, which sends traces by OTLP over HTTP, as protobuf.
//
//   - What a request goes to is checked as the URL of a webhook is, and so is what it trusts.
//   - A request is tried once. Traces that the receiver does not take are lost.
//   - Errors do not have the values of headers, or what is behind the host in the URL.
//
// The URL and the headers must be readable now.
func newOTLP(c httpsink.Config) (sdktrace.SpanExporter, error) {
	c.Path = tracesPath
	to, err := httpsink.New(c)
	if err != nil {
		return nil, err
	}
	return otlptrace.NewUnstarted(&otlpClient{to}), nil
}

// otlpClient implements otlptrace.Client.
type otlpClient struct{ to *httpsink.Client }

func (c *otlpClient) Start(context.Context) error { return nil }

func (c *otlpClient) Stop(ctx context.Context) error { return c.to.Close(ctx) }

func (c *otlpClient) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// on the wire it is the same as the request of the service, without that of gRPC
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err == nil {
		_, err = c.to.Post(ctx, httpsink.Request{Body: body,
			Header: http.Header{"Content-Type": {"application/x-protobuf"}}})
	}
	return sink.ErrorOf("otlp", err)
}
