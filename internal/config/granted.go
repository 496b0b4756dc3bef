package config

import (
	"reflect"
	"slices"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

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
			seed := uint64(*g.Random.Seed)
			granted.Random.Seed = &seed
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
	for _, f := range document.FieldsOf(reflect.TypeFor[Grants]()) {
		if example := help[f.Type.Elem()].Example; f.Name == name && example != "" {
			return name + ": " + example
		}
	}
	return name + ": {}"
}
