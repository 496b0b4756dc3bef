package config

import (
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Grants are a handler's rights. One that is not there is not granted.
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
	// Level is the lowest level that is written: debug, info, warn or error. Default: info.
	Level string `json:"level"`
	// Rate is the most lines per second, 1 to 10,000. Default: 10.
	Rate int `json:"rate"`
}

// KVGrant lets a handler keep values from one event to the next. All its instances share them, and
// nobody else does.
type KVGrant struct {
	// Keys is how many values there may be, 1 to 1,000,000. Default: 1000.
	Keys int `json:"keys"`
	// Bytes is how large all values may be together, as a quantity, 1Ki to 1Gi. Default: 1Mi.
	Bytes Bytes `json:"bytes"`
	// TTL is the longest that a value is kept after it was written: 0, or 1s to 8760h (365 days).
	// Default: 0, without end.
	TTL metav1.Duration `json:"ttl,omitzero"`
	// Persist keeps the values when informerd ends, in the folder state.dir, by the listener's
	// name. Default: false.
	Persist bool `json:"persist,omitempty"`
}

// ClockGrant lets a handler know the time. Write {} for the real one.
type ClockGrant struct {
	// Fixed is the time that it always is for the handler, as in 2026-01-01T00:00:00Z, from 1970 to
	// 2261. Default: none, the real time.
	Fixed time.Time `json:"fixed,omitzero"`
}

// RandomGrant lets a handler have random numbers. Write {} for real ones.
type RandomGrant struct {
	// Seed makes each instance of the handler get the same numbers, 0 to 2147483647. Default: none,
	// real randomness.
	Seed *int `json:"seed,omitempty"`
}

// HTTPGrant lets a handler make HTTP requests. Whatever it allows, a request does not reach
// loopback, link-local and metadata addresses unless allow names the very address.
type HTTPGrant struct {
	// Allow are the URLs that requests may go to, and to what is below them:
	// https://hooks.example.com/a allows /a and /a/b, not /ab. At least one, at most 100.
	Allow []string `json:"allow"`
	// Methods are those that requests may have, in capitals; not CONNECT and TRACE. Default: GET
	// and POST.
	Methods []string `json:"methods"`
	// Timeout is the longest one request may take, 1ms to 1m. It also ends with the deadline in
	// limits. Default: 5s.
	Timeout metav1.Duration `json:"timeout"`
	// MaxRequest is how large the body of a request may be, as a quantity, 1 to 16Mi. Default:
	// 64Ki.
	MaxRequest Bytes `json:"maxRequest"`
	// MaxResponse is how large the body of an answer may be, as a quantity, 1 to 16Mi. Default:
	// 64Ki.
	MaxResponse Bytes `json:"maxResponse"`
	// PerEvent is how many requests may be made for one event, 1 to 1,000. Default: 4.
	PerEvent int `json:"perEvent"`
	// Private lets requests over plain http reach private addresses, as of services in a cluster,
	// by the names in allow. With https, or if allow has the address itself, it is not needed.
	// Default: false.
	Private bool `json:"private"`
	// Headers go with every request, to each of allow, and the handler does not see them. Default:
	// none.
	Headers map[string]HeaderValue `json:"headers,omitempty"`
}

// HeaderValue is the value of a header: a text, or one of {fromEnv: NAME} and {fromFile: PATH}. A
// header that holds a credential, such as Authorization, takes no text.
type HeaderValue struct {
	// FromEnv is the name of an environment variable, which must not be empty.
	FromEnv string `json:"fromEnv,omitempty"`
	// FromFile is the path of a file, which must not be empty; a relative one counts from the
	// folder of this configuration. A line break at its end is left out. It is read when informerd
	// starts.
	FromFile string `json:"fromFile,omitempty"`

	Text string `json:"-"` // if none of the others
}

// MarshalJSON writes the text, or where it is.
func (v HeaderValue) MarshalJSON() ([]byte, error) {
	if v.FromEnv == "" && v.FromFile == "" {
		return json.Marshal(v.Text)
	}
	type where HeaderValue // without this method
	return json.Marshal(where(v))
}

// EmitGrant says what a handler may emit for one event.
type EmitGrant struct {
	// Kinds are what it may emit: event, an event of its own, and data, other data for the object's
	// event. [] is nothing. Default: both.
	Kinds []string `json:"kinds"`
	// Types are those that its events may have: one that ends in a dot, as in com.example., allows
	// all that begin with it. At most 100. Default: all but those of informerd itself.
	Types []string `json:"types,omitempty"`
	// Count is how much it may emit, 1 to 1,000. Default: 64.
	Count int `json:"count"`
	// Bytes is how large all of it may be together, as a quantity, 1Ki to 16Mi. Default: 1Mi.
	Bytes Bytes `json:"bytes"`
}

// CacheGrant lets a handler read the caches of informers. Values of a Secret are replaced by
// digests there.
type CacheGrant struct {
	// Informers are the names of the informers that it may read. At least one.
	Informers []string `json:"informers"`
	// Namespaces are those whose objects it may read; "" is for objects that are in none, such as
	// nodes. Default: all that the informers have.
	Namespaces []string `json:"namespaces,omitempty"`
	// MaxItems is how many objects it may read for one event, 1 to 100,000. Default: 1000.
	MaxItems int `json:"maxItems"`
	// MaxBytes is how large what it reads for one event may be, as a quantity, 1Ki to 1Gi. Default:
	// 8Mi.
	MaxBytes Bytes `json:"maxBytes"`
}
