package config

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Tracing sends traces of some events to a receiver of OpenTelemetry: what the filter, the handler
// and the outputs of each listener do with them, and how long that takes. Messages of such events
// carry the trace on, in the attribute traceparent, and requests of webhooks in the header. What
// the receiver does not take is dropped. Traces have names of objects in them, and nothing else of
// their content.
type Tracing struct {
	// URL is that of the receiver, for OTLP over HTTP with protobuf; /v1/traces is added to it:
	// https://…, or http://… for a loopback or private address and for a service in the cluster, as
	// in http://otel-collector.NAMESPACE.svc:4318.
	URL Value `json:"url" jsonschema:"required,format=http-url"`
	// Every is how many states of objects there are for one that is traced; 1 traces all. All
	// listeners trace the same states.
	Every int `json:"every" jsonschema:"default=1000,minimum=1,maximum=1000000000"`
	// Timeout is the longest one request may take.
	Timeout metav1.Duration `json:"timeout" jsonschema:"default=10s,minimum=10ms,maximum=10m"`
	// Headers go with every request. Their values are read again when they change. Default: none.
	Headers map[string]Value `json:"headers,omitempty" jsonschema:"maxProperties=64,propertyNames=header-name" item:"header"`
	// TLS says whom the connection trusts, and how informerd identifies itself.
	TLS *TLS `json:"tls,omitempty"`
}
