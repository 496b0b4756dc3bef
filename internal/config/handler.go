package config

import (
	"encoding/json"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// Handler is a sandboxed WASM module.
type Handler struct {
	// Wasm is the path of the module.
	Wasm string `json:"wasm" jsonschema:"required,format=module" item:"the module"`
	// SHA256 is the digest the module must have. Default: any.
	SHA256 string `json:"sha256,omitempty" jsonschema:"format=sha256"`
	// Config is handed to the module as JSON. Default: nothing.
	Config json.RawMessage `json:"config,omitempty"`
	// Batch is the most events that the module gets at once, if it takes several.
	Batch int `json:"batch" jsonschema:"default=64,minimum=1,maximum=1000"`
	// PauseAfter is how many crashes in a row make the listener pause, for 1s to 1m; 0 is never.
	PauseAfter int `json:"pauseAfter" jsonschema:"default=5,minimum=0,maximum=1000"`
	// Limits bound what the module may use.
	Limits Limits `json:"limits,omitzero"`
	// Grants are the rights the module gets beyond reading its event and its config. Default: none.
	Grants Grants `json:"grants,omitzero"`
}

// Limits bound one instance of a handler's module.
type Limits struct {
	// Memory is the most memory it may have.
	Memory Bytes `json:"memory" jsonschema:"default=16Mi,minimum=64Ki,maximum=4Gi"`
	// Deadline is the longest one call may take.
	Deadline metav1.Duration `json:"deadline" jsonschema:"default=100ms,minimum=1ms,maximum=1m"`
	// Fuel is how many instructions it may execute for one event; 0 means that the deadline alone
	// bounds it.
	Fuel int `json:"fuel,omitempty" jsonschema:"default=0,minimum=0,maximum=2000000000"`
	// Recycle is after how many events an instance is replaced by a fresh one; -1 means never, and
	// 0 the default.
	Recycle int `json:"recycle" jsonschema:"default=1000000,minimum=-1,maximum=2000000000"`
	// Module is the most bytes that its file may have.
	Module Bytes `json:"module" jsonschema:"default=32Mi,minimum=1Ki,maximum=64Mi"`
	// Load bounds what compiling it may take.
	Load LoadLimits `json:"load,omitzero"`
}

// LoadLimits bound what compiling a handler's module may take. A module that takes more is refused.
type LoadLimits struct {
	// Time is CPU time; on the clock, compiling may take ten times that.
	Time metav1.Duration `json:"time" jsonschema:"default=1m,minimum=100ms,maximum=1h"`
	// Memory is the most memory for the process that compiles it, and no more than half of the
	// container's.
	Memory Bytes `json:"memory" jsonschema:"default=1Gi,minimum=64Mi,maximum=16Gi"`
}

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

// KVGrant lets a handler keep values from one event to the next. Its instances share them.
type KVGrant struct {
	// Keys is how many values there may be.
	Keys int `json:"keys" jsonschema:"default=1000,minimum=1,maximum=1000000"`
	// Bytes is how large all values may be together.
	Bytes Bytes `json:"bytes" jsonschema:"default=1Mi,minimum=1Ki,maximum=1Gi"`
	// TTL is the longest that a value is kept after it was written.
	TTL metav1.Duration `json:"ttl,omitzero" jsonschema:"default=0s,zero=without end,minimum=1s,maximum=365d"`
	// Persist keeps the values in state.dir when informerd ends.
	Persist bool `json:"persist,omitempty" jsonschema:"default=false"`
}

// ClockGrant lets a handler know the time. Write {} for the real one.
type ClockGrant struct {
	// Fixed is the time that it always is for the handler. Default: none, the real time.
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
	// by the names in allow.
	Private bool `json:"private" jsonschema:"default=false"`
	// Headers go with every request, and the handler does not see them. Default: none.
	Headers map[string]Value `json:"headers,omitempty" jsonschema:"maxProperties=64,propertyNames=header-name" item:"header"`
}

// EmitGrant says what a handler may emit for one event.
type EmitGrant struct {
	// Kinds are what it may emit: event, an event of its own, and data, other data for the object's
	// event. [] is nothing.
	Kinds []string `json:"kinds" jsonschema:"default=event,default=data,uniqueItems,enum=event,enum=data" item:"kind"`
	// Types are those that its events may have: com.example. allows all that begin with it.
	// Default: all but those of informerd itself.
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
	// Namespaces are those whose objects it may read; "" is for objects that are in none. Default:
	// all that the informers have.
	Namespaces []string `json:"namespaces,omitempty" jsonschema:"minItems=1,uniqueItems,format=namespace-or-none" item:"namespace"`
	// MaxItems is how many objects it may read for one event.
	MaxItems int `json:"maxItems" jsonschema:"default=1000,minimum=1,maximum=100000"`
	// MaxBytes is how large what it reads for one event may be.
	MaxBytes Bytes `json:"maxBytes" jsonschema:"default=8Mi,minimum=1Ki,maximum=1Gi"`
}

// Host returns the grants as the host of handlers has them. They must have been checked. The values
// of headers are left out: they may be in files or in the environment.
func (g Grants) Host() (granted plugins.Grants) {
	if g.Log != nil {
		granted.Log = &plugins.LogGrant{LinesPerSecond: g.Log.Rate}
		_ = granted.Log.Level.UnmarshalText([]byte(g.Log.Level)) // it was checked
	}
	if g.KV != nil {
		granted.KV = &plugins.KVGrant{Keys: g.KV.Keys, Bytes: int64(g.KV.Bytes),
			TTL: g.KV.TTL.Duration, Persist: g.KV.Persist}
	}
	if g.Clock != nil {
		granted.Clock = &plugins.ClockGrant{Fixed: g.Clock.Fixed}
	}
	if g.Random != nil {
		granted.Random = &plugins.RandomGrant{}
		if g.Random.Seed != nil {
			granted.Random.Seed = new(uint64(*g.Random.Seed))
		}
	}
	if g.HTTP != nil {
		granted.HTTP = &plugins.HTTPGrant{Allow: g.HTTP.Allow, Methods: g.HTTP.Methods,
			MaxRequest: int64(g.HTTP.MaxRequest), MaxResponse: int64(g.HTTP.MaxResponse),
			Timeout: g.HTTP.Timeout.Duration, PerEvent: g.HTTP.PerEvent, Private: g.HTTP.Private}
	}
	if g.Cache != nil {
		granted.Cache = &plugins.CacheGrant{Informers: g.Cache.Informers,
			Namespaces: g.Cache.Namespaces, MaxItems: g.Cache.MaxItems,
			MaxBytes: int64(g.Cache.MaxBytes)}
	}
	if g.Emit != nil {
		granted.Emit = g.Emit.host()
	}
	return granted
}

func (g *EmitGrant) host() *plugins.EmitGrant {
	granted := &plugins.EmitGrant{Kinds: []abi.EmitKind{}, Types: g.Types, Count: g.Count,
		Bytes: int64(g.Bytes)} // an empty list means none
	for _, kind := range []abi.EmitKind{abi.EmitEvent, abi.EmitData} {
		if slices.Contains(g.Kinds, kind.String()) {
			granted.Kinds = append(granted.Kinds, kind)
		}
	}
	return granted
}

// GrantUsage returns a grant as a configuration has it, with what must be filled in, as in
// "kv: {}".
func GrantUsage(name string) string {
	switch name {
	case "http":
		return "http: {allow: [https://HOST/PATH]}"
	case "cache":
		return "cache: {informers: [NAME]}"
	}
	return name + ": {}"
}

func checkGrants(c *Config, g *Grants, path string, r *document.Report) {
	if g.KV != nil {
		field := path + ".kv.persist"
		if r.Good(field) && g.KV.Persist && c.State.Dir == "" && !r.Has("state") && !r.Broken("") {
			r.BadValue(field, noFolder, field)
		}
		if field := path + ".kv"; c.Sharding != nil && r.Good(field) && !(c.State.NATS != nil && g.KV.Persist) {
			r.Warn(r.Key(field), field, "%s: what the handler stores of a shard stays on the replica that has stored it, when another one takes the shard over", field)
		}
	}
	if g.HTTP != nil {
		checkHeaders(g.HTTP.Headers, path+".http.headers", r)
	}
	if g.Emit != nil {
		types := path + ".emit.types"
		if r.Good(types) && !r.Failed(path+".emit.kinds") &&
			!slices.ContainsFunc(g.Emit.Kinds, func(kind string) bool { return kind != "data" }) {
			r.BadField(types, "%s is set, but no events may be emitted", types)
		}
	}
	if g.Cache != nil {
		for i, name := range g.Cache.Informers {
			at := document.Item(path+".cache.informers", i)
			if r.Good(at) && !r.Has(document.Join("informers", name)) && !r.Failed("informers") {
				r.BadValue(at, "%s: unknown informer %s", at,
					document.Quote(name)).Hint = nameHint(r, name, "informers", c.Informers)
			}
		}
	}
}

// checkRequestTime warns of requests that have less time than their timeout.
func checkRequestTime(h *Handler, path string, r *document.Report) {
	timeout, deadline := path+".grants.http.timeout", path+".limits.deadline"
	if h.Grants.HTTP == nil || r.Failed(path+".grants.http") || r.Failed(timeout) ||
		r.Failed(deadline) {
		return
	}
	limit := h.Limits.Deadline.Duration
	switch {
	case r.Has(timeout) && h.Grants.HTTP.Timeout.Duration > limit:
		r.Warn(r.Value(timeout), timeout, "%s is %s, but %s ends a request earlier: it is %s", timeout,
			document.Short(h.Grants.HTTP.Timeout.Duration), deadline, document.Short(limit))
	case !r.Has(timeout) && !r.Has(deadline):
		grant := path + ".grants.http"
		r.Warn(r.Key(grant), grant, "%s: a request must fit in %s, which is %s unless it is set",
			grant, deadline, document.Short(limit))
	}
}
