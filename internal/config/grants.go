package config

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Grants are a handler's rights. It has no others.
type Grants struct {
	// Log lets the module write log lines.
	Log *LogGrant `json:"log,omitempty"`
	// KV lets the module keep values.
	KV *KVGrant `json:"kv,omitempty"`
	// Clock lets the module know the time.
	Clock *ClockGrant `json:"clock,omitempty"`
	// Random lets the module have random numbers.
	Random *RandomGrant `json:"random,omitempty"`
	// HTTP lets the module make HTTP requests.
	HTTP *HTTPGrant `json:"http,omitempty"`
	// Cache lets the module read the caches of informers.
	Cache *CacheGrant `json:"cache,omitempty"`
	// Emit says what the module may emit. Without it that is anything, within the limits below.
	Emit *EmitGrant `json:"emit,omitempty"`
}

// LogGrant lets a handler write log lines.
type LogGrant struct {
	// Level is the lowest level that is written.
	Level string `json:"level" jsonschema:"default=info,enum=debug,enum=info,enum=warn,enum=error"`
	// Rate is the most lines per second.
	Rate int `json:"rate" jsonschema:"default=10,minimum=1,maximum=10000"`
}

// KVGrant lets a handler keep values from one event to the next. All its instances share them, and
// nobody else does.
type KVGrant struct {
	// Keys is how many values there may be.
	Keys int `json:"keys" jsonschema:"default=1000,minimum=1,maximum=1000000"`
	// Bytes is how large all values may be together.
	Bytes Bytes `json:"bytes" jsonschema:"default=1Mi,minimum=1Ki,maximum=1Gi"`
	// TTL is the longest that a value is kept after it was written.
	TTL metav1.Duration `json:"ttl,omitzero" jsonschema:"default=0s,zero=without end,minimum=1s,maximum=365d"`
	// Persist keeps the values when informerd ends, in the folder state.dir, by the listener's
	// name.
	Persist bool `json:"persist,omitempty" jsonschema:"default=false"`
}

// ClockGrant lets a handler know the time. Write {} for the real one.
type ClockGrant struct {
	// Fixed is the time that it always is for the handler, as in 2026-01-01T00:00:00Z.
	// Default: none, the real time.
	Fixed time.Time `json:"fixed,omitzero" jsonschema:"minimum=1970-01-01T00:00:00Z,maximum=2261-12-31T23:59:59Z"`
}

// RandomGrant lets a handler have random numbers. Write {} for real ones.
type RandomGrant struct {
	// Seed makes each instance of the handler get the same numbers. Default: none, real randomness.
	Seed *int `json:"seed,omitempty" jsonschema:"minimum=0,maximum=2147483647"`
}

// HTTPGrant lets a handler make HTTP requests. They do not reach loopback, link-local and metadata
// addresses unless allow names the very address.
type HTTPGrant struct {
	// Allow are the URLs that requests may go to, and to what is below them:
	// https://hooks.example.com/a allows /a and /a/b, not /ab.
	Allow []string `json:"allow" jsonschema:"required,minItems=1,maxItems=100,uniqueItems,writeOnly,format=url-prefix" item:"URL"`
	// Methods are those that requests may have, in capitals; not CONNECT and TRACE.
	Methods []string `json:"methods" jsonschema:"default=GET,default=POST,minItems=1,uniqueItems,format=method" item:"method"`
	// Timeout is the longest one request may take. It also ends with the deadline in limits.
	Timeout metav1.Duration `json:"timeout" jsonschema:"default=5s,minimum=1ms,maximum=1m"`
	// MaxRequest is how large the body of a request may be.
	MaxRequest Bytes `json:"maxRequest" jsonschema:"default=64Ki,minimum=1,maximum=16Mi"`
	// MaxResponse is how large the body of an answer may be.
	MaxResponse Bytes `json:"maxResponse" jsonschema:"default=64Ki,minimum=1,maximum=16Mi"`
	// PerEvent is how many requests may be made for one event.
	PerEvent int `json:"perEvent" jsonschema:"default=4,minimum=1,maximum=1000"`
	// Private lets requests over plain http reach private addresses, as of services in a cluster,
	// by the names in allow. With https, or if allow has the address itself, it is not needed.
	Private bool `json:"private" jsonschema:"default=false"`
	// Headers go with every request, to each of allow, and the handler does not see them. Their
	// values are read when informerd starts, with a reload, and when their files change. Default:
	// none.
	Headers map[string]Value `json:"headers,omitempty" jsonschema:"maxProperties=64,propertyNames=header-name" item:"header"`
}

// EmitGrant says what a handler may emit for one event.
type EmitGrant struct {
	// Kinds are what it may emit: event, an event of its own, and data, other data for the object's
	// event. [] is nothing.
	Kinds []string `json:"kinds" jsonschema:"default=event,default=data,uniqueItems,enum=event,enum=data" item:"kind"`
	// Types are those that its events may have: one that ends in a dot, as in com.example., allows
	// all that begin with it. Default: all but those of informerd itself.
	Types []string `json:"types,omitempty" jsonschema:"minItems=1,maxItems=100,uniqueItems,format=event-type" item:"type"`
	// Count is how many events and data it may emit.
	Count int `json:"count" jsonschema:"default=64,minimum=1,maximum=1000"`
	// Bytes is how large all of it may be together.
	Bytes Bytes `json:"bytes" jsonschema:"default=1Mi,minimum=1Ki,maximum=16Mi"`
}

// CacheGrant lets a handler read the caches of informers. Values of a Secret are replaced by
// digests there.
type CacheGrant struct {
	// Informers are the names of the informers that it may read.
	Informers []string `json:"informers" jsonschema:"required,minItems=1,uniqueItems" item:"informer"`
	// Namespaces are those whose objects it may read; "" is for objects that are in none, such as
	// nodes. Default: all that the informers have.
	Namespaces []string `json:"namespaces,omitempty" jsonschema:"minItems=1,uniqueItems,format=namespace-or-none" item:"namespace"`
	// MaxItems is how many objects it may read for one event.
	MaxItems int `json:"maxItems" jsonschema:"default=1000,minimum=1,maximum=100000"`
	// MaxBytes is how large what it reads for one event may be.
	MaxBytes Bytes `json:"maxBytes" jsonschema:"default=8Mi,minimum=1Ki,maximum=1Gi"`
}
